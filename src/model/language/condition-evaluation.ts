import type { ConditionFunction, PolicyCondition } from './condition.ts';

/**
 * The facts about the caller that conditions use. All names are fully qualified and in normal form. The sets are built
 * once per caller, so that a decision only needs look-ups.
 */
export type CallerFacts = {
  /** The ids by which the caller can be an owner: the caller's own and those of the caller's teams. */
  readonly ownerIds: ReadonlySet<string>;
  readonly domainIds: ReadonlySet<string>;
  /** The names of the caller's teams and of all teams above them. */
  readonly teams: ReadonlySet<string>;
  /** The names of the caller's own and inherited roles. */
  readonly roles: ReadonlySet<string>;
};

/**
 * The facts about the requested record that conditions use. A member is read only when a condition needs it, so it may
 * be computed on access.
 */
export type ResourceFacts = {
  readonly ownerIds: readonly string[];
  readonly domainIds: readonly string[];
  /** The names of its tags and glossary terms. */
  readonly tags: ReadonlySet<string>;
  readonly certification: string | undefined;
  /** The names of the teams that own it, or whose members own it, and of all teams above them. */
  readonly ownerTeams: ReadonlySet<string>;
};

export type ConditionFacts = {
  readonly caller: CallerFacts;
  /** Absent when a request is about no single record: a list, whose rows are checked one by one afterwards. */
  readonly resource: ResourceFacts | undefined;
  /** The name of the team that the policy was inherited through. Absent when it came through a role. */
  readonly policyTeam: string | undefined;
};

export type ConditionPredicate = (facts: ConditionFacts) => boolean;

const alwaysTrue: ConditionPredicate = () => true;

const includesSome = (items: readonly string[], set: ReadonlySet<string>): boolean => {
  for (const item of items) if (set.has(item)) return true;
  return false;
};

const includesAll = (items: readonly string[], set: ReadonlySet<string>): boolean => {
  for (const item of items) if (!set.has(item)) return false;
  return true;
};

const sharesDomain: ConditionPredicate = ({ caller, resource }) => {
  if (resource === undefined) return true;
  if (resource.domainIds.length === 0) return caller.domainIds.size === 0;
  return includesSome(resource.domainIds, caller.domainIds);
};

const isOfPolicyTeam: ConditionPredicate = ({ caller, resource, policyTeam }) =>
  policyTeam !== undefined && caller.teams.has(policyTeam) && resource?.ownerTeams.has(policyTeam) === true;

/** The predicate of each function. Without a record, every predicate about it is false except `hasDomain`. */
const FUNCTION_PREDICATES: Readonly<Record<ConditionFunction, (names: readonly string[]) => ConditionPredicate>> = {
  isOwner:
    () =>
    ({ caller, resource }) =>
      resource !== undefined && includesSome(resource.ownerIds, caller.ownerIds),
  noOwner:
    () =>
    ({ resource }) =>
      resource?.ownerIds.length === 0,
  hasDomain: () => sharesDomain,
  noDomain:
    () =>
    ({ resource }) =>
      resource?.domainIds.length === 0,
  matchTeam: () => isOfPolicyTeam,
  matchAllTags:
    (names) =>
    ({ resource }) =>
      resource !== undefined && includesAll(names, resource.tags),
  matchAnyTag:
    (names) =>
    ({ resource }) =>
      resource !== undefined && includesSome(names, resource.tags),
  matchAnyCertification: (names) => {
    const wanted = new Set(names);
    return ({ resource }) => resource?.certification !== undefined && wanted.has(resource.certification);
  },
  inAnyTeam:
    (names) =>
    ({ caller }) =>
      includesSome(names, caller.teams),
  hasAnyRole:
    (names) =>
    ({ caller }) =>
      includesSome(names, caller.roles),
};

const compileAll = (parts: readonly ConditionPredicate[]): ConditionPredicate => {
  const [first = alwaysTrue, second = alwaysTrue] = parts;
  if (parts.length === 2) return (facts) => first(facts) && second(facts);
  return (facts) => {
    for (const part of parts) if (!part(facts)) return false;
    return true;
  };
};

const compileAny = (parts: readonly ConditionPredicate[]): ConditionPredicate => {
  const [first = alwaysTrue, second = alwaysTrue] = parts;
  if (parts.length === 2) return (facts) => first(facts) || second(facts);
  return (facts) => {
    for (const part of parts) if (part(facts)) return true;
    return false;
  };
};

/** Compiles a condition to a function, once, so that a decision allocates nothing and parses no text. */
export const compileCondition = (condition: PolicyCondition): ConditionPredicate => {
  if (condition.op === 'call') return FUNCTION_PREDICATES[condition.name](condition.names);
  if (condition.op === 'not') {
    const inner = compileCondition(condition.of);
    return (facts) => !inner(facts);
  }
  const parts = condition.of.map(compileCondition);
  return condition.op === 'all' ? compileAll(parts) : compileAny(parts);
};

/** A fact about a record that a condition may need. */
export type ResourceFact = 'owners' | 'domains' | 'tags' | 'certification' | 'subjects';

/** The fact that each function needs about the record. Undefined where the caller alone decides. */
const REQUIRED_FACTS: Readonly<Record<ConditionFunction, ResourceFact | undefined>> = {
  isOwner: 'owners',
  noOwner: 'owners',
  hasDomain: 'domains',
  noDomain: 'domains',
  matchTeam: 'owners',
  matchAllTags: 'tags',
  matchAnyTag: 'tags',
  matchAnyCertification: 'certification',
  inAnyTeam: undefined,
  hasAnyRole: undefined,
};

/** What a record may lose so that a condition holds for it no longer. */
export type HoldingFacts = { readonly labels: readonly string[]; readonly owners: boolean; readonly domains: boolean };

/** Whether a function can stop to hold, or begin to hold, when the record loses what it asks for. */
const CHANGES_BY_LOSS: Readonly<Record<ConditionFunction, { readonly stops: boolean; readonly begins: boolean }>> = {
  isOwner: { stops: true, begins: false },
  noOwner: { stops: false, begins: true },
  // It also holds where neither the caller nor the record has a domain.
  hasDomain: { stops: true, begins: true },
  noDomain: { stops: false, begins: true },
  matchTeam: { stops: true, begins: false },
  matchAllTags: { stops: true, begins: false },
  matchAnyTag: { stops: true, begins: false },
  matchAnyCertification: { stops: true, begins: false },
  inAnyTeam: { stops: false, begins: false },
  hasAnyRole: { stops: false, begins: false },
};

/** Answers what a record may lose so that a condition holds for it no longer. */
export const holdingFacts = (condition: PolicyCondition, isNegated = false): HoldingFacts => {
  if (condition.op === 'not') return holdingFacts(condition.of, !isNegated);
  if (condition.op !== 'call') {
    const parts = condition.of.map((part) => holdingFacts(part, isNegated));
    return {
      labels: parts.flatMap(({ labels }) => labels),
      owners: parts.some(({ owners }) => owners),
      domains: parts.some(({ domains }) => domains),
    };
  }
  const { stops, begins } = CHANGES_BY_LOSS[condition.name];
  const fact = (isNegated ? begins : stops) ? REQUIRED_FACTS[condition.name] : undefined;
  return {
    labels: fact === 'tags' ? condition.names : [],
    owners: fact === 'owners',
    domains: fact === 'domains',
  };
};

/** Answers the facts about a record that a condition needs. */
export const requiredFacts = (condition: PolicyCondition): readonly ResourceFact[] => {
  if (condition.op === 'not') return requiredFacts(condition.of);
  if (condition.op !== 'call') return condition.of.flatMap(requiredFacts);
  const fact = REQUIRED_FACTS[condition.name];
  return fact === undefined ? [] : [fact];
};

type ConditionCall = Extract<PolicyCondition, { readonly op: 'call' }>;

/** The facts about the caller that can decide a condition before any record is read. */
export type ConditionCaller = Pick<CallerFacts, 'teams' | 'roles'> & Pick<ConditionFacts, 'policyTeam'>;

const simplifyCall = (
  call: ConditionCall,
  { teams, roles, policyTeam }: ConditionCaller,
): PolicyCondition | boolean => {
  if (call.name === 'inAnyTeam') return includesSome(call.names, teams);
  if (call.name === 'hasAnyRole') return includesSome(call.names, roles);
  const isStranger = policyTeam === undefined || !teams.has(policyTeam);
  return call.name === 'matchTeam' && isStranger ? false : call;
};

const simplifyParts = (
  { op, of }: Extract<PolicyCondition, { readonly of: readonly PolicyCondition[] }>,
  caller: ConditionCaller,
): PolicyCondition | boolean => {
  const decisive = op === 'any';
  const undecided: PolicyCondition[] = [];
  for (const part of of) {
    const simplified = simplifyCondition(part, caller);
    if (simplified === decisive) return decisive;
    if (typeof simplified !== 'boolean') undecided.push(simplified);
  }
  const [first] = undecided;
  if (first === undefined) return !decisive;
  return undecided.length === 1 ? first : { op, of: undecided };
};

/** Simplifies a condition for a known caller: to true or false, or to the part that depends on the record. */
export const simplifyCondition = (condition: PolicyCondition, caller: ConditionCaller): PolicyCondition | boolean => {
  if (condition.op === 'call') return simplifyCall(condition, caller);
  if (condition.op !== 'not') return simplifyParts(condition, caller);
  const inner = simplifyCondition(condition.of, caller);
  return typeof inner === 'boolean' ? !inner : { op: 'not', of: inner };
};
