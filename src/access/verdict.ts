import { type CallerFacts, type Fact, type ResourceFacts, settleCondition } from '../model/decide.ts';
import type { RecordFacts } from './authorize.ts';
import { type Clause, type Clauses, clauseOf, type Policy, type Rights, type Role, type Team } from './rights.ts';

/** A policy as it reaches somebody: through a role, or through a team. */
export type Grant = {
  readonly policy: Policy;
  readonly role: string | undefined;
  readonly team: string | undefined;
};

/** What people with the same roles in the same teams have in common. */
export type Profile = {
  readonly teams: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
  readonly teamIds: ReadonlySet<string>;
  readonly domainIds: readonly string[];
  /** In the order of evaluation: policies of roles, then of teams, nearer ones first. */
  readonly grants: readonly Grant[];
  verdict(resource: string, operation: string): Verdict;
};

/** What is to be said of one operation on one resource, as far as it is known before a record is looked at. */
export type Verdict = Clauses & {
  readonly isDenied: boolean;
  readonly isAllowed: boolean;
  /** What teams that own the record bring along. */
  readonly owners: ReadonlyMap<string, Clauses>;
  /** What must be known of the record; nothing when it makes no difference. */
  readonly needs: ReadonlySet<Fact>;
};

export const NO_FACTS: ReadonlySet<Fact> = new Set();

type Asked = { readonly denied: boolean; readonly allowed: boolean; readonly clauses: Clauses };

/** What the caller's own policies say. Conditions that the caller alone decides are decided here, once. */
const askGrants = (profile: Omit<Profile, 'verdict'>, resource: string, operation: string): Asked => {
  const denies: Clause[] = [];
  const allows: Clause[] = [];
  let denied = false;
  let allowed = false;
  for (const { policy, team } of profile.grants) {
    for (const rule of policy.rules) {
      if (!rule.covers(resource, operation)) continue;
      const asker = { teams: profile.teams, roles: profile.roles, policyTeam: team };
      const settled = rule.condition === undefined ? true : settleCondition(rule.condition, asker);
      if (typeof settled !== 'boolean') (rule.isDeny ? denies : allows).push(clauseOf(settled, team));
      else if (settled && rule.isDeny) denied = true;
      else if (settled) allowed = true;
    }
  }
  return { denied, allowed, clauses: { denies, allows } };
};

const askedBy = (clauses: readonly Clause[]): readonly Fact[] => clauses.flatMap(({ asked }) => asked);

/** What other teams than the caller's bring along when they own the record, all of them together. */
const strangeClauses = (owners: ReadonlyMap<string, Clauses>, own: ReadonlySet<string>): Clauses => {
  const strange = [...owners].flatMap(([teamId, clauses]) => (own.has(teamId) ? [] : [clauses]));
  return {
    denies: strange.flatMap(({ denies }) => denies),
    allows: strange.flatMap(({ allows }) => allows),
  };
};

/** Whose a record is decides whether the rules of its owners count. */
const askedByStrange = (clauses: readonly Clause[]): readonly Fact[] =>
  clauses.length === 0 ? [] : ['owners', ...askedBy(clauses)];

const compileVerdict = (
  rights: Rights,
  profile: Omit<Profile, 'verdict'>,
  resource: string,
  operation: string,
): Verdict => {
  const { denied, allowed, clauses } = askGrants(profile, resource, operation);
  const owners = rights.ownerClauses(resource, operation);
  const strange = strangeClauses(owners, profile.teamIds);
  const isHopeless = denied || (!allowed && clauses.allows.length + strange.allows.length === 0);
  const asked = [
    ...askedBy(clauses.denies),
    ...askedByStrange(strange.denies),
    ...(allowed ? [] : [...askedBy(clauses.allows), ...askedByStrange(strange.allows)]),
  ];
  const needs = isHopeless || asked.length === 0 ? NO_FACTS : new Set(asked);
  return { ...clauses, isDenied: denied, isAllowed: allowed, owners, needs };
};

/** Verdicts are made when they are first asked for; there are as many as there are resources and operations. */
const createVerdicts = (rights: Rights, profile: Omit<Profile, 'verdict'>): Profile['verdict'] => {
  const known = new Map<string, Map<string, Verdict>>();
  return (resource, operation) => {
    const ofResource = known.get(resource) ?? new Map<string, Verdict>();
    const found = ofResource.get(operation);
    if (found !== undefined) return found;
    const verdict = compileVerdict(rights, profile, resource, operation);
    known.set(resource, ofResource.set(operation, verdict));
    return verdict;
  };
};

/** The living teams somebody is in, with those above; whoever is in none belongs to the root. */
const teamsOf = (rights: Rights, teamIds: readonly string[]): Team[] => {
  const root = rights.root === undefined ? [] : [rights.root];
  const above = teamIds.filter((id) => rights.teams.has(id)).flatMap((id) => rights.above(id));
  const nearer = new Set(above.filter((team) => team !== rights.root));
  return [...nearer, ...root];
};

const grantsOf = (roles: readonly Role[], teams: readonly Team[]): Grant[] => [
  ...roles.flatMap(({ name, policies }) => policies.map((policy) => ({ policy, role: name, team: undefined }))),
  ...teams.flatMap(({ fullyQualifiedName, policies }) =>
    policies.map((policy) => ({ policy, role: undefined, team: fullyQualifiedName })),
  ),
];

export const createProfile = (rights: Rights, teamIds: readonly string[], ownRoles: readonly Role[]): Profile => {
  const teams = teamsOf(rights, teamIds);
  const roles = [...new Set([...ownRoles, ...teams.flatMap((team) => team.roles)])];
  const profile = {
    teams: new Set(teams.map(({ fullyQualifiedName }) => fullyQualifiedName)),
    roles: new Set(roles.map(({ fullyQualifiedName }) => fullyQualifiedName)),
    teamIds: new Set(teams.map(({ id }) => id)),
    domainIds: teams.flatMap(({ domainIds }) => domainIds),
    grants: grantsOf(roles, teams),
  };
  return { ...profile, verdict: createVerdicts(rights, profile) };
};

/** The names of the teams that own a record, or whose members do, and of all teams above them. */
const ownerTeamsOf = (rights: Rights, facts: RecordFacts): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const teamIds of [facts.owningTeamIds, facts.peoplesTeamIds]) {
    for (const id of teamIds) for (const team of rights.above(id)) names.add(team.fullyQualifiedName);
  }
  if (facts.ownerIds.length > 0 && rights.root !== undefined) names.add(rights.root.fullyQualifiedName);
  return names;
};

/** One request to be judged: made once, and filled with the team of each rule's policy in turn. */
export type Case = {
  readonly caller: CallerFacts;
  readonly resource: ResourceFacts | undefined;
  readonly owningTeamIds: readonly string[];
  policyTeam: string | undefined;
};

const NOBODY: readonly string[] = [];

export const createCase = (rights: Rights, caller: CallerFacts, facts: RecordFacts | undefined): Case => {
  if (facts === undefined) return { caller, resource: undefined, owningTeamIds: NOBODY, policyTeam: undefined };
  const { ownerIds, domainIds, tags, certification, owningTeamIds } = facts;
  const resource = {
    ownerIds,
    domainIds,
    tags,
    certification,
    // Few conditions ask for it, so it is worked out only for those.
    get ownerTeams() {
      return ownerTeamsOf(rights, facts);
    },
  };
  return { caller, resource, owningTeamIds, policyTeam: undefined };
};

const holds = (clauses: readonly Clause[], one: Case): boolean => {
  for (const { decide, policyTeam } of clauses) {
    one.policyTeam = policyTeam;
    if (decide(one)) return true;
  }
  return false;
};

const holdsForOwners = (rights: Rights, owners: Verdict['owners'], effect: keyof Clauses, one: Case): boolean => {
  if (owners.size === 0) return false;
  for (const id of one.owningTeamIds) {
    for (const team of rights.above(id)) {
      const clauses = owners.get(team.id);
      if (clauses !== undefined && holds(clauses[effect], one)) return true;
    }
  }
  return false;
};

export const isDenied = (rights: Rights, verdict: Verdict, one: Case): boolean =>
  verdict.isDenied || holds(verdict.denies, one) || holdsForOwners(rights, verdict.owners, 'denies', one);

export const isAllowed = (rights: Rights, verdict: Verdict, one: Case): boolean =>
  verdict.isAllowed || holds(verdict.allows, one) || holdsForOwners(rights, verdict.owners, 'allows', one);
