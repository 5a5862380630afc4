import { type CatalogAnswer, readList, textOf } from '../../catalog-client.ts';
import { TEAM_FIELDS, USER_FIELDS } from './collections.ts';
import { fitRequest } from './fit-request.ts';
import { absentKey, existsInTarget, type ImportRoom, quietly, showProgress } from './import-room.ts';
import { readCollection } from './read-collection.ts';
import { addTo } from './tally.ts';

/**
 * Brings teams and users, whom everything else names as owners. They come without rights: roles, policies and who is an
 * administrator are decided here, and nobody's password or token leaves the other catalog. Bots stay there.
 */

/** What is in every catalog from the beginning, and stays as it is here. */
const BUILT_IN_TEAM = 'Organization';
const BUILT_IN_USER = 'admin';

const RIGHTS = ['roles', 'inheritedRoles', 'defaultRoles', 'policies', 'isAdmin', 'personas', 'defaultPersona'];

const withoutRights = ({ tally }: ImportRoom, type: string, record: CatalogAnswer): CatalogAnswer => {
  const kept: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(record)) {
    if (!RIGHTS.includes(member)) kept[member] = value;
    else if (value === true || readList(value).length > 0)
      addTo(tally.leftOut, `${type}.${member}: rights are given here`);
  }
  return kept;
};

const readAll = async (
  room: ImportRoom,
  path: string,
  fields: readonly string[],
): Promise<readonly CatalogAnswer[]> => {
  const all: CatalogAnswer[] = [];
  const options = { pageSize: room.move.pageSize, fields };
  for await (const { records, total } of readCollection(room.move.source, room.known, path, options)) {
    all.push(...records.filter(({ deleted }) => deleted !== true));
    showProgress(room, path, all.length, total);
  }
  return all;
};

const namesOf = (value: unknown): readonly string[] => readList(value).map(({ name }) => textOf(name));

/** The IDs that teams have here; a dry run has none for those that it does not create. */
const teamIds = async ({ target }: ImportRoom, names: readonly string[]): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const name of names) {
    const found = await target.find(`teams/name/${encodeURIComponent(name)}`);
    if (found) ids.push(textOf(found['id']));
  }
  return ids;
};

/** Teams after those that they lie in. */
const orderTeams = (teams: readonly CatalogAnswer[]): readonly CatalogAnswer[] => {
  const waiting = new Map(teams.map((team) => [textOf(team['name']), team]));
  const ordered: CatalogAnswer[] = [];
  while (waiting.size > 0) {
    const free = [...waiting].filter(([, { parents }]) => namesOf(parents).every((name) => !waiting.has(name)));
    // Teams that lie in each other cannot be ordered; the service says what is wrong with them.
    for (const [name, team] of free.length > 0 ? free : [...waiting]) {
      ordered.push(team);
      waiting.delete(name);
    }
  }
  return ordered;
};

/**
 * Whether somebody of this name stays as they are here: an administrator, or somebody with another address. Signing in goes
 * by the address, so that the other catalog must not decide on it.
 */
const staysAsHere = async ({ target }: ImportRoom, user: CatalogAnswer): Promise<boolean> => {
  const own = await target.find(`users/name/${encodeURIComponent(textOf(user['name']))}?include=all`);
  if (own === undefined) return false;
  return own['isAdmin'] === true || textOf(own['email']).toLowerCase() !== textOf(user['email']).toLowerCase();
};

export type People = { readonly teams: readonly CatalogAnswer[]; readonly users: readonly CatalogAnswer[] };

/** Writes people one by one; those who are refused own nothing. With `without`, writes only who is missing. */
const writePeople = async (
  room: ImportRoom,
  type: 'team' | 'user',
  records: readonly CatalogAnswer[],
  without?: readonly string[],
): Promise<void> => {
  const { target, tally, absent } = room;
  const own = without ? quietly(room) : room;
  const path = `${type}s`;
  const schema = target.createSchema(path);
  for (const [at, record] of records.entries()) {
    const name = textOf(record['name']);
    showProgress(room, path, at + 1, records.length);
    if (absent.has(absentKey(type, name)) || (without && (await existsInTarget(room, path, name)))) continue;
    if (!without && type === 'user' && (await staysAsHere(room, record))) {
      addTo(tally.leftOut, 'user: an administrator here, or somebody with another address');
      continue;
    }
    const { parents, teams, users: _, children: __, ...rest } = withoutRights(own, type, record);
    const given = Object.entries(rest).filter(([member]) => !without?.includes(member));
    const member = type === 'team' ? 'parents' : 'teams';
    const row = {
      ...fitRequest(own.fit, Object.fromEntries(given), schema, type),
      [member]: await teamIds(room, namesOf(type === 'team' ? parents : teams)),
    };
    const { passed, refused } = await target.sendRows(type, `${path}/bulk`, [row]);
    for (const one of refused) {
      absent.add(absentKey(type, name));
      tally.refusals.push({ name: one.name, message: one.message });
    }
    addTo(own.tally.written, type, passed);
  }
};

/** Reads teams and users, and writes those that are missing, so that others can name them. */
export const writeMissingPeople = async (room: ImportRoom): Promise<People> => {
  const { tally, absent } = room;
  const teams = orderTeams(await readAll(room, 'teams', TEAM_FIELDS)).filter(({ name }) => name !== BUILT_IN_TEAM);
  const all = await readAll(room, 'users', USER_FIELDS);
  const users = all.filter(({ isBot, name }) => isBot !== true && name !== BUILT_IN_USER);
  for (const { isBot, name } of all) {
    if (isBot !== true) continue;
    absent.add(absentKey('user', textOf(name)));
    addTo(tally.leftOut, 'user: a bot');
  }
  await writePeople(room, 'team', teams, ['owners', 'domains']);
  await writePeople(room, 'user', users, ['domains']);
  return { teams, users };
};

/** Writes teams and users whole, when everything is there that they name. */
export const writeWholePeople = async (room: ImportRoom, { teams, users }: People): Promise<void> => {
  await writePeople(room, 'team', teams);
  await writePeople(room, 'user', users);
};
