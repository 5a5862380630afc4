import type { Condition, ConditionFunction } from './condition.ts';

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

export type Facts = {
  readonly caller: CallerFacts;
  /** Absent when a request is about no single record: a list, whose rows are judged one by one afterwards. */
  readonly resource: ResourceFacts | undefined;
  /** The name of the team the policy came through; absent when it came through a role. */
  readonly policyTeam: string | undefined;
};

export type Decide = (facts: Facts) => boolean;

const always: Decide = () => true;

const some = (items: readonly string[], set: ReadonlySet<string>): boolean => {
  for (const item of items) if (set.has(item)) return true;
  return false;
};

const every = (items: readonly string[], set: ReadonlySet<string>): boolean => {
  for (const item of items) if (!set.has(item)) return false;
  return true;
};

const sharesDomain: Decide = ({ caller, resource }) => {
  if (resource === undefined) return true;
  if (resource.domainIds.length === 0) return caller.domainIds.size === 0;
  return some(resource.domainIds, caller.domainIds);
};

const isOfPolicyTeam: Decide = ({ caller, resource, policyTeam }) =>
  policyTeam !== undefined && caller.teams.has(policyTeam) && resource?.ownerTeams.has(policyTeam) === true;

/** What each function is true of. Where no record is at hand, nothing is true of it but `hasDomain`. */
const MEANINGS: Readonly<Record<ConditionFunction, (names: readonly string[]) => Decide>> = {
  isOwner:
    () =>
    ({ caller, resource }) =>
      resource !== undefined && some(resource.ownerIds, caller.ownerIds),
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
      resource !== undefined && every(names, resource.tags),
  matchAnyTag:
    (names) =>
    ({ resource }) =>
      resource !== undefined && some(names, resource.tags),
  matchAnyCertification: (names) => {
    const wanted = new Set(names);
    return ({ resource }) => resource?.certification !== undefined && wanted.has(resource.certification);
  },
  inAnyTeam:
    (names) =>
    ({ caller }) =>
      some(names, caller.teams),
  hasAnyRole:
    (names) =>
    ({ caller }) =>
      some(names, caller.roles),
};

const compileAll = (parts: readonly Decide[]): Decide => {
  const [first = always, second = always] = parts;
  if (parts.length === 2) return (facts) => first(facts) && second(facts);
  return (facts) => {
    for (const part of parts) if (!part(facts)) return false;
    return true;
  };
};

const compileAny = (parts: readonly Decide[]): Decide => {
  const [first = always, second = always] = parts;
  if (parts.length === 2) return (facts) => first(facts) || second(facts);
  return (facts) => {
    for (const part of parts) if (part(facts)) return true;
    return false;
  };
};

/** Turns a condition into a function, once, so that deciding allocates nothing and reads no text. */
export const compileCondition = (condition: Condition): Decide => {
  if (condition.op === 'call') return MEANINGS[condition.name](condition.names);
  if (condition.op === 'not') {
    const inner = compileCondition(condition.of);
    return (facts) => !inner(facts);
  }
  const parts = condition.of.map(compileCondition);
  return condition.op === 'all' ? compileAll(parts) : compileAny(parts);
};

/** What a condition may have to look up about a record. */
export type Fact = 'owners' | 'domains' | 'tags' | 'certification';

/** What must be known of the record before each function can be decided; nothing where the caller alone decides. */
const ASKED: Readonly<Record<ConditionFunction, Fact | undefined>> = {
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
export const factsAskedBy = (condition: Condition): readonly Fact[] => {
  if (condition.op === 'not') return factsAskedBy(condition.of);
  if (condition.op !== 'call') return condition.of.flatMap(factsAskedBy);
  const fact = ASKED[condition.name];
  return fact === undefined ? [] : [fact];
};

type Call = Extract<Condition, { readonly op: 'call' }>;

/** Who asks, as far as that settles a condition before any record is looked at. */
export type Asker = Pick<CallerFacts, 'teams' | 'roles'> & Pick<Facts, 'policyTeam'>;

const settleCall = (call: Call, { teams, roles, policyTeam }: Asker): Condition | boolean => {
  if (call.name === 'inAnyTeam') return some(call.names, teams);
  if (call.name === 'hasAnyRole') return some(call.names, roles);
  const isStranger = policyTeam === undefined || !teams.has(policyTeam);
  return call.name === 'matchTeam' && isStranger ? false : call;
};

const settleMany = (
  { op, of }: Extract<Condition, { readonly of: readonly Condition[] }>,
  asker: Asker,
): Condition | boolean => {
  const decisive = op === 'any';
  const open: Condition[] = [];
  for (const part of of) {
    const settled = settleCondition(part, asker);
    if (settled === decisive) return decisive;
    if (typeof settled !== 'boolean') open.push(settled);
  }
  const [first] = open;
  if (first === undefined) return !decisive;
  return open.length === 1 ? first : { op, of: open };
};

/** What is left of a condition once it is known who asks: its truth, or what still depends on the record. */
export const settleCondition = (condition: Condition, asker: Asker): Condition | boolean => {
  if (condition.op === 'call') return settleCall(condition, asker);
  if (condition.op !== 'not') return settleMany(condition, asker);
  const inner = settleCondition(condition.of, asker);
  return typeof inner === 'boolean' ? !inner : { op: 'not', of: inner };
};
