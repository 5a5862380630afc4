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
