import { type Condition, parseCondition } from '../model/condition.ts';
import { compileCondition, type Decide, type Fact, factsAskedBy } from '../model/decide.ts';
import { covers, EVERYTHING, JOB } from '../model/policy-values.ts';

/** A rule as a policy keeps it. */
export type StoredRule = {
  readonly name: string;
  readonly description?: string;
  readonly effect: string;
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly condition?: string;
};

export type PolicyRow = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly enabled: boolean;
  readonly rules: readonly StoredRule[];
};

export type RoleRow = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly enabled: boolean;
  readonly policyIds: readonly string[];
};

export type TeamRow = {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly parentIds: readonly string[];
  readonly roleIds: readonly string[];
  readonly policyIds: readonly string[];
  readonly domainIds: readonly string[];
};

/** All policies, roles and teams that are not deleted, as they are kept. */
export type RightsData = {
  readonly policies: readonly PolicyRow[];
  readonly roles: readonly RoleRow[];
  readonly teams: readonly TeamRow[];
};

/** A rule made ready: what it is about is looked up, what it asks for is a tree. */
export type Rule = {
  readonly stored: StoredRule;
  readonly policy: Policy;
  readonly isDeny: boolean;
  /** Undefined when the rule holds always. */
  readonly condition: Condition | undefined;
  readonly operations: ReadonlySet<string>;
  concerns(resource: string): boolean;
  covers(resource: string, operation: string): boolean;
};

export type Policy = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly enabled: boolean;
  readonly rules: readonly Rule[];
};

export type Role = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly policies: readonly Policy[];
};

export type Team = {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly roles: readonly Role[];
  readonly policies: readonly Policy[];
  readonly domainIds: readonly string[];
};

/** A rule's condition ready to be asked, with the team through which its policy came. */
export type Clause = {
  readonly decide: Decide;
  readonly policyTeam: string | undefined;
  readonly asked: readonly Fact[];
};

/** Rules of one kind for one resource and operation, apart by what they do. */
export type Clauses = { readonly denies: readonly Clause[]; readonly allows: readonly Clause[] };

/** The team that everybody belongs to, in the end. */
const ROOT = 'Organization';

const readCondition = (text: string): Condition | undefined => {
  try {
    return parseCondition(text);
  } catch {
    return undefined;
  }
};

/**
 * An owner may do anything with a record, so whoever may choose the owner of a service, a subscription or a role may take
 * all of it. A rule about all resources that grants ownership without the right to edit therefore reaches assets only.
 * Callers who may edit the record anyway gain nothing by owning it.
 */
const OWNERSHIP = 'EditOwners';
const EDITING = 'EditAll';

/** The tree of a stored condition. One that cannot be read any more never allows anything, and always denies. */
const compileRule = (stored: StoredRule, policy: Policy, assets: ReadonlySet<string>): Rule[] => {
  const isDeny = stored.effect === 'deny';
  const condition = stored.condition === undefined ? undefined : readCondition(stored.condition);
  if (stored.condition !== undefined && condition === undefined && !isDeny) return [];
  const operations = new Set(stored.operations);
  const resources = stored.resources[0] === EVERYTHING ? undefined : new Set(stored.resources);
  const concerns = (resource: string): boolean =>
    resources === undefined ? isDeny || resource !== JOB : resources.has(resource);
  const grantsOwnershipOnly = !isDeny && resources === undefined && !covers(operations, EDITING);
  const exceedsAssets = (resource: string, operation: string): boolean =>
    grantsOwnershipOnly && operation === OWNERSHIP && !assets.has(resource);
  return [
    {
      stored,
      policy,
      isDeny,
      condition,
      operations,
      concerns,
      covers: (resource, operation) =>
        concerns(resource) && covers(operations, operation) && !exceedsAssets(resource, operation),
    },
  ];
};

const compilePolicy = ({ rules, ...row }: PolicyRow, assets: ReadonlySet<string>): Policy => {
  const compiled: Rule[] = [];
  const policy: Policy = { ...row, rules: compiled };
  for (const stored of rules) compiled.push(...compileRule(stored, policy, assets));
  return policy;
};

/** What ids stand for; those of records that are deleted, or switched off, stand for nothing. */
const resolve = <T>(ids: readonly string[], known: ReadonlyMap<string, T>): T[] =>
  ids.flatMap((id) => known.get(id) ?? []);

const byId = <T extends { readonly id: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [item.id, item]));

const ALWAYS: Decide = () => true;

export const clauseOf = (condition: Condition | undefined, policyTeam: string | undefined): Clause => ({
  decide: condition === undefined ? ALWAYS : compileCondition(condition),
  policyTeam,
  asked: condition === undefined ? [] : factsAskedBy(condition),
});

/** How far up a hierarchy of teams is walked. */
const MAX_LEVELS = 50;

/** Finds the teams above a team, itself first, nearer ones before farther ones, and the root of all last. */
const createAscent = (rows: ReadonlyMap<string, TeamRow>, teams: ReadonlyMap<string, Team>, root: Team | undefined) => {
  const known = new Map<string, readonly Team[]>();

  const climb = (id: string): readonly Team[] => {
    const found = new Set<Team>();
    let level: readonly string[] = [id];
    for (let step = 0; step <= MAX_LEVELS && level.length > 0; step += 1) {
      const fresh = resolve(level, teams).filter((team) => team !== root && !found.has(team));
      for (const team of fresh) found.add(team);
      level = fresh.flatMap((team) => rows.get(team.id)?.parentIds ?? []);
    }
    return root === undefined ? [...found] : [...found, root];
  };

  return (id: string): readonly Team[] => {
    const above = known.get(id) ?? climb(id);
    known.set(id, above);
    return above;
  };
};

/** What teams that own records bring along, for one resource and operation. */
const createOwnerClauses = (teams: readonly Team[]) => {
  const bearers = teams.filter(({ policies }) => policies.length > 0);
  const known = new Map<string, ReadonlyMap<string, Clauses>>();

  const collect = (resource: string, operation: string): ReadonlyMap<string, Clauses> => {
    const found = new Map<string, Clauses>();
    for (const { id, fullyQualifiedName, policies } of bearers) {
      const rules = policies.flatMap((policy) => policy.rules).filter((rule) => rule.covers(resource, operation));
      if (rules.length === 0) continue;
      const clauses = (isDeny: boolean) =>
        rules.filter((rule) => rule.isDeny === isDeny).map((rule) => clauseOf(rule.condition, fullyQualifiedName));
      found.set(id, { denies: clauses(true), allows: clauses(false) });
    }
    return found;
  };

  return (resource: string, operation: string): ReadonlyMap<string, Clauses> => {
    const key = `${resource} ${operation}`;
    const clauses = known.get(key) ?? collect(resource, operation);
    known.set(key, clauses);
    return clauses;
  };
};

/** All policies, roles and teams of one moment, ready to be decided from. */
export type Rights = {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly rolesByName: ReadonlyMap<string, Role>;
  readonly teams: ReadonlyMap<string, Team>;
  /** The team that people without a living one belong to. */
  readonly root: Team | undefined;
  /** A team and the teams above it. Of a team that is not there any more: the root of all. */
  above(teamId: string): readonly Team[];
  /** The rules that teams owning a record bring along, by team. */
  ownerClauses(resource: string, operation: string): ReadonlyMap<string, Clauses>;
};

/** Makes what is kept ready to be decided from. `assets` are the types of records that are assets. */
export const compileRights = (data: RightsData, assets: ReadonlySet<string>): Rights => {
  const policies = byId(data.policies.map((policy) => compilePolicy(policy, assets)));
  const inForce = byId([...policies.values()].filter(({ enabled }) => enabled));
  const roles = byId(
    data.roles
      .filter(({ enabled }) => enabled)
      .map(({ id, name, fullyQualifiedName, policyIds }) => ({
        id,
        name,
        fullyQualifiedName,
        policies: resolve(policyIds, inForce),
      })),
  );
  const teams = byId(
    data.teams.map(({ id, fullyQualifiedName, roleIds, policyIds, domainIds }) => ({
      id,
      fullyQualifiedName,
      roles: resolve(roleIds, roles),
      policies: resolve(policyIds, inForce),
      domainIds,
    })),
  );
  const root = [...teams.values()].find(({ fullyQualifiedName }) => fullyQualifiedName === ROOT);
  return {
    policies,
    roles,
    rolesByName: new Map([...roles.values()].map((role) => [role.name, role])),
    teams,
    root,
    above: createAscent(byId(data.teams), teams, root),
    ownerClauses: createOwnerClauses([...teams.values()]),
  };
};
