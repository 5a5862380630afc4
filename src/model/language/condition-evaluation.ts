import type { ConditionFunction, PolicyCondition } from './condition.ts';

/** What conditions may know of the caller. All names are fully qualified ones in normal form. Sets are made once per caller, so that a decision only looks things up. */
export type CallerFacts = {
  /** By which the caller can be an owner: the caller's own id and those of the caller's teams. */
  readonly ownerIds: ReadonlySet<string>;
  readonly domainIds: ReadonlySet<string>;
  /** The names of the caller's teams and of all teams above them. */
  readonly teams: ReadonlySet<string>;
  /** The names of the caller's own and inherited roles. */
  readonly roles: ReadonlySet<string>;
};

/**
 * What conditions may know of the record that the request is about. A member is read only when a condition asks for it,
 * so it may be worked out when it is read.
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
  /** Absent when a request is about no single record: a list, whose rows are judged one by one afterwards. */
  readonly resource: ResourceFacts | undefined;
  /** The name of the team the policy came through; absent when it came through a role. */
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

/** What each function is true of. Where no record is at hand, nothing is true of it but `hasDomain`. */
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

/** Turns a condition into a function, once, so that deciding allocates nothing and reads no text. */
export const compileCondition = (condition: PolicyCondition): ConditionPredicate => {
  if (condition.op === 'call') return FUNCTION_PREDICATES[condition.name](condition.names);
  if (condition.op === 'not') {
    const inner = compileCondition(condition.of);
    return (facts) => !inner(facts);
  }
  const parts = condition.of.map(compileCondition);
  return condition.op === 'all' ? compileAll(parts) : compileAny(parts);
};

/** What a condition may have to look up about a record. */
export type ResourceFact = 'owners' | 'domains' | 'tags' | 'certification';

/** What must be known of the record before each function can be decided; nothing where the caller alone decides. */
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

/** What must be known of a record to decide a condition about it. */
export const requiredFacts = (condition: PolicyCondition): readonly ResourceFact[] => {
  if (condition.op === 'not') return requiredFacts(condition.of);
  if (condition.op !== 'call') return condition.of.flatMap(requiredFacts);
  const fact = REQUIRED_FACTS[condition.name];
  return fact === undefined ? [] : [fact];
};

type ConditionCall = Extract<PolicyCondition, { readonly op: 'call' }>;

/** Who asks, as far as that settles a condition before any record is looked at. */
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

/** What is left of a condition once it is known who asks: its truth, or what still depends on the record. */
export const simplifyCondition = (condition: PolicyCondition, caller: ConditionCaller): PolicyCondition | boolean => {
  if (condition.op === 'call') return simplifyCall(condition, caller);
  if (condition.op !== 'not') return simplifyParts(condition, caller);
  const inner = simplifyCondition(condition.of, caller);
  return typeof inner === 'boolean' ? !inner : { op: 'not', of: inner };
};
