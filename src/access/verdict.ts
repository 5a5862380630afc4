import {
  type CallerFacts,
  type ResourceFact,
  type ResourceFacts,
  simplifyCondition,
} from '../model/language/condition-evaluation.ts';
import type { RecordFacts } from './authorization.ts';
import {
  type CompiledPolicy,
  type CompiledRole,
  type CompiledTeam,
  compileClause,
  type Rights,
  type RuleClause,
  type RuleClauses,
} from './rights.ts';

/** A policy with the role or team through which a caller has it. */
export type PolicyGrant = {
  readonly policy: CompiledPolicy;
  readonly role: string | undefined;
  readonly team: string | undefined;
};

/** The rights that people with the same roles in the same teams share. */
export type RightsProfile = {
  readonly teams: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
  readonly teamIds: ReadonlySet<string>;
  readonly domainIds: readonly string[];
  /** In the order of evaluation: policies of roles, then of teams, nearer teams first. */
  readonly grants: readonly PolicyGrant[];
  verdict(resource: string, operation: string): AccessVerdict;
};

/** The decision for one operation on one resource, as far as it is known before a record is read. */
export type AccessVerdict = RuleClauses & {
  readonly isDenied: boolean;
  readonly isAllowed: boolean;
  /** The clauses of the teams that own the record. */
  readonly owners: ReadonlyMap<string, RuleClauses>;
  /** The record facts needed for the decision; empty when they make no difference. */
  readonly needs: ReadonlySet<ResourceFact>;
};

export const NO_FACTS: ReadonlySet<ResourceFact> = new Set();

/** The operation that shows a record. */
export const VIEW_OPERATION = 'ViewBasic';

type GrantEvaluation = { readonly denied: boolean; readonly allowed: boolean; readonly clauses: RuleClauses };

/** Evaluates the caller's own policies. Conditions that depend only on the caller are decided here, once. */
const evaluateGrantsOf = (
  profile: Omit<RightsProfile, 'verdict'>,
  resource: string,
  operation: string,
): GrantEvaluation => {
  const denies: RuleClause[] = [];
  const allows: RuleClause[] = [];
  let denied = false;
  let allowed = false;
  for (const { policy, team } of profile.grants) {
    for (const rule of policy.rules) {
      if (!rule.covers(resource, operation)) continue;
      const context = { teams: profile.teams, roles: profile.roles, policyTeam: team };
      const outcome = rule.condition === undefined ? true : simplifyCondition(rule.condition, context);
      if (typeof outcome !== 'boolean') (rule.isDeny ? denies : allows).push(compileClause(outcome, team));
      else if (outcome && rule.isDeny) denied = true;
      else if (outcome) allowed = true;
    }
  }
  return { denied, allowed, clauses: { denies, allows } };
};

const factsRequiredBy = (clauses: readonly RuleClause[]): readonly ResourceFact[] =>
  clauses.flatMap(({ requiredFacts }) => requiredFacts);

/** The clauses that all teams other than the caller's own would contribute if they owned the record. */
const otherTeamClauses = (owners: ReadonlyMap<string, RuleClauses>, own: ReadonlySet<string>): RuleClauses => {
  const others = [...owners].flatMap(([teamId, clauses]) => (own.has(teamId) ? [] : [clauses]));
  return {
    denies: others.flatMap(({ denies }) => denies),
    allows: others.flatMap(({ allows }) => allows),
  };
};

/** The facts that owner clauses need. The owners decide whether their clauses apply. */
const factsRequiredByOthers = (clauses: readonly RuleClause[]): readonly ResourceFact[] =>
  clauses.length === 0 ? [] : ['owners', ...factsRequiredBy(clauses)];

const ONLY_SUBJECTS: readonly ResourceFact[] = ['subjects'];

/**
 * The facts that show whether the caller sees what a record is about. None are needed when the caller sees every record
 * that it may be about.
 */
const factsRequiredBySubjects = (
  { subjectTypes }: Rights,
  verdictOf: RightsProfile['verdict'],
  resource: string,
  operation: string,
): readonly ResourceFact[] => {
  if (operation !== VIEW_OPERATION) return [];
  const verdicts = (subjectTypes.get(resource) ?? []).map((type) => verdictOf(type, VIEW_OPERATION));
  const isOpen = verdicts.every(({ isDenied, isAllowed, needs }) => isAllowed && !isDenied && needs.size === 0);
  return isOpen ? [] : [...ONLY_SUBJECTS, ...verdicts.flatMap(({ needs }) => [...needs])];
};

const compileVerdict = (
  rights: Rights,
  profile: Omit<RightsProfile, 'verdict'>,
  verdictOf: RightsProfile['verdict'],
  resource: string,
  operation: string,
): AccessVerdict => {
  const { denied, allowed, clauses } = evaluateGrantsOf(profile, resource, operation);
  const owners = rights.ownerClauses(resource, operation);
  const others = otherTeamClauses(owners, profile.teamIds);
  const isHopeless = denied || (!allowed && clauses.allows.length + others.allows.length === 0);
  const facts = [
    ...factsRequiredBy(clauses.denies),
    ...factsRequiredByOthers(others.denies),
    ...(allowed ? [] : [...factsRequiredBy(clauses.allows), ...factsRequiredByOthers(others.allows)]),
    ...factsRequiredBySubjects(rights, verdictOf, resource, operation),
  ];
  const needs = isHopeless || facts.length === 0 ? NO_FACTS : new Set(facts);
  return { ...clauses, isDenied: denied, isAllowed: allowed, owners, needs };
};

/** Creates verdicts on first use and caches them. There is one per resource and operation. */
const createVerdicts = (rights: Rights, profile: Omit<RightsProfile, 'verdict'>): RightsProfile['verdict'] => {
  const known = new Map<string, Map<string, AccessVerdict>>();
  const verdictOf: RightsProfile['verdict'] = (resource, operation) => {
    const ofResource = known.get(resource) ?? new Map<string, AccessVerdict>();
    const found = ofResource.get(operation);
    if (found !== undefined) return found;
    const verdict = compileVerdict(rights, profile, verdictOf, resource, operation);
    known.set(resource, ofResource.set(operation, verdict));
    return verdict;
  };
  return verdictOf;
};

/** The teams of a member that still exist, with their ancestors. A member without teams belongs to the root team. */
const teamsOfMember = (rights: Rights, teamIds: readonly string[]): CompiledTeam[] => {
  const root = rights.root === undefined ? [] : [rights.root];
  const above = teamIds.filter((id) => rights.teams.has(id)).flatMap((id) => rights.teamsAbove(id));
  const nearer = new Set(above.filter((team) => team !== rights.root));
  return [...nearer, ...root];
};

const grantsOf = (roles: readonly CompiledRole[], teams: readonly CompiledTeam[]): PolicyGrant[] => [
  ...roles.flatMap(({ name, policies }) => policies.map((policy) => ({ policy, role: name, team: undefined }))),
  ...teams.flatMap(({ fullyQualifiedName, policies }) =>
    policies.map((policy) => ({ policy, role: undefined, team: fullyQualifiedName })),
  ),
];

export const createRightsProfile = (
  rights: Rights,
  teamIds: readonly string[],
  ownRoles: readonly CompiledRole[],
): RightsProfile => {
  const teams = teamsOfMember(rights, teamIds);
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

/** The names of the teams that own a record or whose members do, and of all their ancestors. */
const ownerTeamsOf = (rights: Rights, facts: RecordFacts): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const teamIds of [facts.owningTeamIds, facts.peoplesTeamIds]) {
    for (const id of teamIds) for (const team of rights.teamsAbove(id)) names.add(team.fullyQualifiedName);
  }
  if (facts.ownerIds.length > 0 && rights.root !== undefined) names.add(rights.root.fullyQualifiedName);
  return names;
};

/** One request to decide. It is created once, and `policyTeam` is set for each rule in turn. */
export type AccessCase = {
  readonly caller: CallerFacts;
  readonly resource: ResourceFacts | undefined;
  readonly owningTeamIds: readonly string[];
  policyTeam: string | undefined;
};

const NO_TEAMS: readonly string[] = [];

export const createAccessCase = (rights: Rights, caller: CallerFacts, facts: RecordFacts | undefined): AccessCase => {
  if (facts === undefined) return { caller, resource: undefined, owningTeamIds: NO_TEAMS, policyTeam: undefined };
  const { ownerIds, domainIds, tags, certification, owningTeamIds } = facts;
  const resource = {
    ownerIds,
    domainIds,
    tags,
    certification,
    // Few conditions need it, so it is computed on demand.
    get ownerTeams() {
      return ownerTeamsOf(rights, facts);
    },
  };
  return { caller, resource, owningTeamIds, policyTeam: undefined };
};

const isAnyClauseMet = (clauses: readonly RuleClause[], one: AccessCase): boolean => {
  for (const { decide, policyTeam } of clauses) {
    one.policyTeam = policyTeam;
    if (decide(one)) return true;
  }
  return false;
};

const isAnyOwnerClauseMet = (
  rights: Rights,
  owners: AccessVerdict['owners'],
  effect: keyof RuleClauses,
  one: AccessCase,
): boolean => {
  if (owners.size === 0) return false;
  for (const id of one.owningTeamIds) {
    for (const team of rights.teamsAbove(id)) {
      const clauses = owners.get(team.id);
      if (clauses !== undefined && isAnyClauseMet(clauses[effect], one)) return true;
    }
  }
  return false;
};

export const isAccessDenied = (rights: Rights, verdict: AccessVerdict, one: AccessCase): boolean =>
  verdict.isDenied || isAnyClauseMet(verdict.denies, one) || isAnyOwnerClauseMet(rights, verdict.owners, 'denies', one);

export const isAccessAllowed = (rights: Rights, verdict: AccessVerdict, one: AccessCase): boolean =>
  verdict.isAllowed ||
  isAnyClauseMet(verdict.allows, one) ||
  isAnyOwnerClauseMet(rights, verdict.owners, 'allows', one);
