import { findUsersByEmail } from '../../../catalog/queries.ts';
import type { JsonObject } from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import type { FacetBag } from '../event.ts';
import { type FacetChange, type FacetRoom, type FacetTarget, findVisible } from './facet-room.ts';
import { readFacet } from './facet-shapes.ts';

/** Plans the owners of records that have no owners of their own. */

type OwnerType = 'user' | 'team';
type FoundOwner = { readonly id: string; readonly type: OwnerType; readonly text: string };

const findByEmail = async ({ engine, principal }: FacetRoom, email: string): Promise<string | undefined> => {
  const [row] = await engine.graph.read(findUsersByEmail, { texts: [email] });
  const node = row && (await engine.store.referenceById(row.id));
  return node && (await readNodeVisibility(engine, principal, [node]))(node.id) ? node.id : undefined;
};

const findUser = async (room: FacetRoom, text: string): Promise<string | undefined> =>
  text.includes('@') ? findByEmail(room, text) : (await findVisible(room, 'user', asName(text.toLowerCase())))?.id;

const findTeam = async (room: FacetRoom, text: string): Promise<string | undefined> =>
  (await findVisible(room, 'team', asName(text)))?.id;

const asName = (text: string): string => (text.includes('.') ? `"${text.replaceAll('"', '')}"` : text);

const FORMS = /^(user|team|group):(.+)$/i;

/** Finds the user or team of an owner: `ada`, `ada@example.com`, `user:ada` or `team:sales`. */
const findOwner = async (room: FacetRoom, text: string): Promise<FoundOwner | undefined> => {
  const [, form = '', rest = text] = FORMS.exec(text) ?? [];
  const kind = form.toLowerCase();
  const user = kind === '' || kind === 'user' ? await findUser(room, rest) : undefined;
  if (user !== undefined) return { id: user, type: 'user', text };
  const team = kind === 'user' ? undefined : await findTeam(room, rest);
  return team === undefined ? undefined : { id: team, type: 'team', text };
};

const hasOwnOwners = ({ owners }: JsonObject): boolean =>
  jsonObjects(owners).some(({ inherited }) => inherited !== true);

/** A record is owned by people or by one team; people come before teams. */
const selectOwners = (found: readonly FoundOwner[]): readonly FoundOwner[] => {
  const users = found.filter(({ type }) => type === 'user');
  return users.length > 0 ? users : found.slice(0, 1);
};

export const planOwnership = async (target: FacetTarget, bag: FacetBag): Promise<readonly FacetChange[]> => {
  const { room, report, subject } = target;
  const facet = 'ownership';
  const told = readFacet(bag, facet, subject, report);
  const names = [...new Set((told?.owners ?? []).map(({ name }) => name))];
  if (names.length === 0) return [];
  const document = await target.document();
  if (!document || hasOwnOwners(document)) return [];
  const owners = await Promise.all(names.map(async (text) => ({ text, owner: await findOwner(room, text) })));
  for (const { text, owner } of owners) {
    if (!owner) report.add(subject, facet, `no user or team ${text}`);
  }
  const found = owners.flatMap(({ owner }) => owner ?? []);
  const chosen = selectOwners(found);
  for (const { text } of found.filter((one) => !chosen.includes(one))) {
    report.add(subject, facet, `owners are users or one team, so ${text} is left out`);
  }
  if (chosen.length === 0) return [];
  const value = [...new Map(chosen.map(({ id, type }) => [id, { id, type }])).values()];
  return [{ facet, operations: [{ op: 'add', path: '/owners', value }] }];
};
