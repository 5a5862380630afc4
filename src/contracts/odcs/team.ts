import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';
import type { IssueCollector } from './issue.ts';
import { compact, itemsOf, objectOf, sameText, spoken } from './parts.ts';
import type { Lookup, Person } from './people.ts';
import { at } from './problem.ts';

/** The team of a document and the owners and reviewers of a contract (odcs.md 3). */

export type TeamRole = 'owner' | 'reviewer';

const ROLES: readonly TeamRole[] = ['owner', 'reviewer'];

/** The members of a team, which documents list by themselves or inside an object that tells more of the team. */
const membersOf = (team: Json | undefined): readonly Json[] =>
  isArray(team) ? team : itemsOf(objectOf(team)['members']);

const roleOf = (member: Json): TeamRole | undefined =>
  ROLES.find((role) => sameText(spoken(objectOf(member)['role'])?.trim(), role));

/** The texts by which a member may be known. */
const textsOf = (member: Json): readonly string[] =>
  ['username', 'name'].flatMap((name) => spoken(objectOf(member)[name]) ?? []);

/** The texts of all members that may become owners or reviewers. */
export const peopleIn = (document: JsonObject): readonly string[] => [
  ...new Set(membersOf(document['team']).flatMap((member) => (roleOf(member) === undefined ? [] : textsOf(member)))),
];

/** Users come before teams, whichever text names them. */
const personOf = (member: Json, lookup: Lookup): Person | undefined => {
  const found = textsOf(member).flatMap((text) => lookup.person(text) ?? []);
  return found.find(({ type }) => type === 'user') ?? found[0];
};

/** Whether somebody has left: a day without a time ends at midnight. */
const hasLeft = (member: JsonObject, now: number): boolean => {
  const dateOut = spoken(member['dateOut']);
  if (dateOut === undefined) return false;
  const at = Date.parse(dateOut);
  return !Number.isNaN(at) && (/^\d{4}-\d\d-\d\d$/.test(dateOut.trim()) ? at + 86_400_000 : at) <= now;
};

type Named = { readonly person: Person; readonly path: string };

/** Several users or one team may be responsible; who is left over stays in the document. */
const responsible = (named: readonly Named[], issues: IssueCollector, role: TeamRole): readonly Person[] => {
  const users = named.filter(({ person }) => person.type === 'user');
  const kept = users.length > 0 ? users : named.slice(0, 1);
  const ids = new Set(kept.map(({ person }) => person.id));
  for (const { person, path } of named) {
    if (ids.has(person.id)) continue;
    const message = `${users.length > 0 ? 'Users' : 'Another team'} and the team ${person.name} cannot both be ${role}s: the team is kept with the document only`;
    issues.add({ severity: 'warning', category: 'team', field: 'role', path, message });
  }
  return [...new Map(kept.map(({ person }) => [person.id, person])).values()];
};

type Reading = { readonly lookup: Lookup; readonly issues: IssueCollector; readonly now: number };

const namedAs = (document: JsonObject, role: TeamRole, { lookup, issues, now }: Reading): readonly Named[] => {
  const root = isArray(document['team']) ? 'team' : 'team.members';
  return membersOf(document['team']).flatMap((member, index) => {
    if (!isObject(member) || roleOf(member) !== role || hasLeft(member, now)) return [];
    const person = personOf(member, lookup);
    if (person) return [{ person, path: at(root, index) }];
    const message = `No user and no team is known as ${textsOf(member).join(' or ') || '(nobody)'}: kept with the document only`;
    issues.add({ severity: 'warning', category: 'team', field: 'username', path: at(root, index), message });
    return [];
  });
};

/** The owners and reviewers that a document names and the catalog knows. */
export const readTeam = (document: JsonObject, reading: Reading): JsonObject => {
  const people = (role: TeamRole) =>
    responsible(namedAs(document, role, reading), reading.issues, role).map(({ id, type }) => ({ id, type }));
  return compact({ owners: people('owner'), reviewers: people('reviewer') });
};

/** References of a contract that are its own: what it inherits is somebody else's to tell. */
const ownRefs = (refs: Json | undefined): readonly JsonObject[] =>
  itemsOf(refs).filter((ref): ref is JsonObject => isObject(ref) && ref['inherited'] !== true);

const newMember = (ref: JsonObject, role: TeamRole): JsonObject => {
  const username = spoken(ref['name']) ?? spoken(ref['fullyQualifiedName']) ?? String(ref['id']);
  return { username, name: spoken(ref['displayName']) ?? username, role };
};

type Change = {
  readonly made: JsonObject;
  readonly contract: JsonObject;
  readonly lookup: Lookup;
  /** The roles that are asked for. */
  readonly roles: ReadonlySet<TeamRole>;
};

type Refs = Readonly<Record<TeamRole, readonly JsonObject[]>>;

const refsBy = (contract: JsonObject): Refs => ({
  owner: ownRefs(contract['owners']),
  reviewer: ownRefs(contract['reviewers']),
});

const idsBy = ({ owner, reviewer }: Refs) => ({
  owner: new Set(owner.map((ref) => ref['id'])),
  reviewer: new Set(reviewer.map((ref) => ref['id'])),
});

/** The members of a document after the contract: who was taken away is gone, who is new comes last, others stay. */
const changedMembers = (members: readonly Json[], { made, contract, lookup, roles }: Change): readonly Json[] => {
  const wanted = refsBy(contract);
  const present = { owner: new Set<Json | undefined>(), reviewer: new Set<Json | undefined>() };
  const [wantedIds, madeIds] = [idsBy(wanted), idsBy(refsBy(made))];
  const kept = members.filter((member) => {
    const role = roleOf(member);
    if (role === undefined) return true;
    if (!roles.has(role)) return false;
    const id = personOf(member, lookup)?.id;
    if (id === undefined) return true;
    if (wantedIds[role].has(id)) present[role].add(id);
    return wantedIds[role].has(id) || !madeIds[role].has(id);
  });
  const added = ROLES.filter((role) => roles.has(role)).flatMap((role) =>
    wanted[role].filter((ref) => !present[role].has(ref['id'])).map((ref) => newMember(ref, role)),
  );
  return added.length === 0 && kept.length === members.length ? members : [...kept, ...added];
};

/** The team of a document as the contract has it; in the form that the document used, a list when there was none. */
export const writeTeam = (team: Json | undefined, change: Change): Json | undefined => {
  const before = membersOf(team);
  const members = changedMembers(before, change);
  if (members === before) return team;
  if (!isObject(team)) return members.length === 0 ? undefined : members;
  const out: MutableJsonObject = { ...team, members };
  if (members.length === 0) delete out['members'];
  return Object.keys(out).length === 0 ? undefined : out;
};
