import { equalJson, isArray, isObject, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';
import { jsonItems, jsonObject, jsonObjects, jsonTexts, nonBlankText } from '../../model/json-parts.ts';
import { DAY_MS, parseDateTime } from '../../model/time.ts';
import { type IssueCollector, joinPath } from './issues.ts';
import { isSameText, omitEmpty, pairByKeys } from './json-parts.ts';
import { threeWayMerge } from './three-way-merge.ts';

/**
 * Converts between the team and the roles of a document and the owners, reviewers and security of a contract
 * (odcs.md 3).
 */

/** A user or team that a document names. */
export type DocumentPerson = { readonly id: string; readonly type: 'user' | 'team'; readonly name: string };

/** Looks up names of a document. All of them are resolved before the document is read. */
export type DocumentLookup = {
  readonly person: (text: string) => DocumentPerson | undefined;
  readonly tag: (fqn: string) => 'Classification' | 'Glossary' | undefined;
};

// The team, which holds owners and reviewers.

export type TeamRole = 'owner' | 'reviewer';

const TEAM_ROLES: readonly TeamRole[] = ['owner', 'reviewer'];

/** The members of a team, which is a list or an object that contains it. */
const teamMembersOf = (team: Json | undefined): readonly Json[] =>
  isArray(team) ? team : jsonItems(jsonObject(team)['members']);

const teamRoleOf = (member: Json): TeamRole | undefined =>
  TEAM_ROLES.find((role) => isSameText(nonBlankText(jsonObject(member)['role'])?.trim(), role));

/** The texts that may identify a member. */
const memberNames = (member: Json): readonly string[] =>
  ['username', 'name'].flatMap((name) => nonBlankText(jsonObject(member)[name]) ?? []);

/** The texts of all members that may become owners or reviewers. */
export const listPeopleTexts = (document: JsonObject): readonly string[] => [
  ...new Set(
    teamMembersOf(document['team']).flatMap((member) => (teamRoleOf(member) === undefined ? [] : memberNames(member))),
  ),
];

/** Finds the person of a member. Users are preferred to teams, whichever text names them. */
const findPerson = (member: Json, lookup: DocumentLookup): DocumentPerson | undefined => {
  const found = memberNames(member).flatMap((text) => lookup.person(text) ?? []);
  return found.find(({ type }) => type === 'user') ?? found[0];
};

/** Whether a member has left; a date without a time ends at midnight. */
const hasLeft = (member: JsonObject, now: number): boolean => {
  const dateOut = nonBlankText(member['dateOut']);
  if (dateOut === undefined) return false;
  const at = parseDateTime(dateOut.trim());
  return at !== undefined && (/^\d{4}-\d\d-\d\d$/.test(dateOut.trim()) ? at + DAY_MS : at) <= now;
};

type NamedMember = { readonly person: DocumentPerson; readonly path: string };

/** Selects several users or one team. Members that are not selected stay only in the document. */
const selectResponsible = (
  named: readonly NamedMember[],
  issues: IssueCollector,
  role: TeamRole,
): readonly DocumentPerson[] => {
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

type TeamReadContext = { readonly lookup: DocumentLookup; readonly issues: IssueCollector; readonly now: number };

const findMembersAs = (
  document: JsonObject,
  role: TeamRole,
  { lookup, issues, now }: TeamReadContext,
): readonly NamedMember[] => {
  const root = isArray(document['team']) ? 'team' : 'team.members';
  return teamMembersOf(document['team']).flatMap((member, index) => {
    if (!isObject(member) || teamRoleOf(member) !== role || hasLeft(member, now)) return [];
    const person = findPerson(member, lookup);
    if (person) return [{ person, path: joinPath(root, index) }];
    const message = `No user and no team is known as ${memberNames(member).join(' or ') || '(nobody)'}: kept with the document only`;
    issues.add({ severity: 'warning', category: 'team', field: 'username', path: joinPath(root, index), message });
    return [];
  });
};

/** Reads the owners and reviewers that a document names and the catalog contains. */
export const readTeam = (document: JsonObject, reading: TeamReadContext): JsonObject => {
  const people = (role: TeamRole) =>
    selectResponsible(findMembersAs(document, role, reading), reading.issues, role).map(({ id, type }) => ({
      id,
      type,
    }));
  return omitEmpty({ owners: people('owner'), reviewers: people('reviewer') });
};

/** References of a contract that are not inherited; documents do not contain inherited ones. */
const ownRefs = (refs: Json | undefined): readonly JsonObject[] =>
  jsonItems(refs).filter((ref): ref is JsonObject => isObject(ref) && ref['inherited'] !== true);

const createMember = (ref: JsonObject, role: TeamRole): JsonObject => {
  const username = nonBlankText(ref['name']) ?? nonBlankText(ref['fullyQualifiedName']) ?? String(ref['id']);
  return { username, name: nonBlankText(ref['displayName']) ?? username, role };
};

type TeamChange = {
  readonly made: JsonObject;
  readonly contract: JsonObject;
  readonly lookup: DocumentLookup;
  /** The roles that are requested. */
  readonly roles: ReadonlySet<TeamRole>;
};

type RoleReferences = Readonly<Record<TeamRole, readonly JsonObject[]>>;

const referencesByRole = (contract: JsonObject): RoleReferences => ({
  owner: ownRefs(contract['owners']),
  reviewer: ownRefs(contract['reviewers']),
});

const idsByRole = ({ owner, reviewer }: RoleReferences) => ({
  owner: new Set(owner.map((ref) => ref['id'])),
  reviewer: new Set(reviewer.map((ref) => ref['id'])),
});

/**
 * Updates the members of a document for the contract: removed people are dropped, new ones are appended, others stay.
 */
const updateMembers = (members: readonly Json[], { made, contract, lookup, roles }: TeamChange): readonly Json[] => {
  const wanted = referencesByRole(contract);
  const present = { owner: new Set<Json | undefined>(), reviewer: new Set<Json | undefined>() };
  const [wantedIds, madeIds] = [idsByRole(wanted), idsByRole(referencesByRole(made))];
  const kept = members.filter((member) => {
    const role = teamRoleOf(member);
    if (role === undefined) return true;
    if (!roles.has(role)) return false;
    const id = findPerson(member, lookup)?.id;
    if (id === undefined) return true;
    if (wantedIds[role].has(id)) present[role].add(id);
    return wantedIds[role].has(id) || !madeIds[role].has(id);
  });
  const added = TEAM_ROLES.filter((role) => roles.has(role)).flatMap((role) =>
    wanted[role].filter((ref) => !present[role].has(ref['id'])).map((ref) => createMember(ref, role)),
  );
  return added.length === 0 && kept.length === members.length ? members : [...kept, ...added];
};

/** Writes the team of a document for the contract, in the document's form, or as a list when it had none. */
export const writeTeam = (team: Json | undefined, change: TeamChange): Json | undefined => {
  const before = teamMembersOf(team);
  const members = updateMembers(before, change);
  if (members === before) return team;
  if (!isObject(team)) return members.length === 0 ? undefined : members;
  const out: MutableJsonObject = { ...team, members };
  if (members.length === 0) delete out['members'];
  return Object.keys(out).length === 0 ? undefined : out;
};

// The roles, which are the security of a contract.

const CLASSIFICATION = 'classification-';

/** The role of a policy that names none. */
const DEFAULT_ROLE = 'data-consumer';

const classificationOf = (role: Json): string | undefined => {
  const name = nonBlankText(jsonObject(role)['role']);
  return name?.startsWith(CLASSIFICATION) ? nonBlankText(name.slice(CLASSIFICATION.length)) : undefined;
};

const isPolicyRole = (role: Json): role is JsonObject =>
  nonBlankText(jsonObject(role)['role']) !== undefined && classificationOf(role) === undefined;

const approversOf = (approvers: Json | undefined): readonly string[] =>
  typeof approvers === 'string'
    ? approvers.split(',').flatMap((name) => nonBlankText(name)?.trim() ?? [])
    : jsonTexts(approvers).map((name) => name.trim());

const toPolicy = (role: JsonObject): JsonObject =>
  omitEmpty({ accessPolicy: nonBlankText(role['role']), identities: approversOf(role['firstLevelApprovers']) });

/** Reads the security of a contract from roles: one policy per role, and the first classification. */
export const readSecurityRoles = (document: JsonObject, issues: IssueCollector): JsonObject => {
  const roles = jsonItems(document['roles']);
  const classifications = roles.flatMap((role, index) => {
    const word = classificationOf(role);
    return word === undefined ? [] : [{ word, path: joinPath('roles', index) }];
  });
  for (const { path } of classifications.slice(1)) {
    const message = 'A contract has one classification of its data: this one is kept with the document only';
    issues.add({ severity: 'warning', category: 'roles', field: 'role', path, message });
  }
  const security = omitEmpty({
    dataClassification: classifications[0]?.word,
    policies: roles.filter(isPolicyRole).map(toPolicy),
  });
  return omitEmpty({ security });
};

/** The name of the role for a policy. */
export const policyRoleName = (policy: JsonObject): string => nonBlankText(policy['accessPolicy']) ?? DEFAULT_ROLE;

const toRole = (policy: JsonObject): JsonObject =>
  omitEmpty({
    role: policyRoleName(policy),
    firstLevelApprovers: jsonTexts(policy['identities']).join(', ') || undefined,
  });

const createRole = (policy: JsonObject): JsonObject => {
  const { role = DEFAULT_ROLE, ...approvers } = toRole(policy);
  return { role, access: 'read', ...approvers };
};

const updatePolicies = (roles: readonly Json[], made: readonly JsonObject[], wanted: readonly JsonObject[]) => {
  const partners = pairByKeys(wanted, made, policyRoleName);
  const kept = new Map(
    partners.flatMap((place, index) => (place === undefined ? [] : [[place, wanted[index]] as const])),
  );
  let place = -1;
  const items = roles.flatMap((role): readonly Json[] => {
    if (!isPolicyRole(role)) return [role];
    place += 1;
    const [before, after] = [made[place], kept.get(place)];
    if (before === undefined) return [role];
    return after === undefined ? [] : [threeWayMerge(role, toRole(before), toRole(after))];
  });
  return [...items, ...wanted.filter((_, index) => partners[index] === undefined).map(createRole)];
};

const updateClassification = (roles: readonly Json[], before: Json | undefined, after: Json | undefined) => {
  if (before === after) return roles;
  const place = roles.findIndex((role) => before !== undefined && classificationOf(role) === before);
  const role = after === undefined ? undefined : `${CLASSIFICATION}${after}`;
  if (place === -1) return role === undefined ? roles : [...roles, { role, access: 'read' }];
  return roles.flatMap((item, index) => {
    if (index !== place) return [item];
    return role === undefined || !isObject(item) ? [] : [{ ...item, role }];
  });
};

/** Writes the roles of a document for the contract. */
export const writeSecurityRoles = (
  roles: Json | undefined,
  made: JsonObject,
  contract: JsonObject,
): Json | undefined => {
  const [before, after] = [jsonObject(made['security']), jsonObject(contract['security'])];
  const policies = updatePolicies(jsonItems(roles), jsonObjects(before['policies']), jsonObjects(after['policies']));
  const items = updateClassification(
    policies,
    nonBlankText(before['dataClassification']),
    nonBlankText(after['dataClassification']),
  );
  if (equalJson(items, jsonItems(roles))) return roles;
  return items.length === 0 ? undefined : items;
};
