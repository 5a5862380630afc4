import { type PolicyCondition, parseCondition } from '../model/language/condition.ts';
import {
  type ConditionPredicate,
  compileCondition,
  holdingFacts,
  type ResourceFact,
  requiredFacts,
} from '../model/language/condition-evaluation.ts';
import { ALL_RESOURCE_NAME, coversOperation, isGiving, JOB_RESOURCE } from '../model/schemas/access/policy.ts';

/** A rule as stored in a policy. */
export type PolicyRuleData = {
  readonly name: string;
  readonly description?: string;
  readonly effect: string;
  readonly operations: readonly string[];
  readonly resources: readonly string[];
  readonly condition?: string;
};

export type PolicyRightsRow = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly enabled: boolean;
  readonly rules: readonly PolicyRuleData[];
};

export type RoleRightsRow = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly enabled: boolean;
  readonly policyIds: readonly string[];
};

export type TeamRightsRow = {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly parentIds: readonly string[];
  readonly roleIds: readonly string[];
  readonly policyIds: readonly string[];
  readonly domainIds: readonly string[];
};

/** All stored policies, roles and teams that are not deleted. */
export type RightsData = {
  readonly policies: readonly PolicyRightsRow[];
  readonly roles: readonly RoleRightsRow[];
  readonly teams: readonly TeamRightsRow[];
};

/** A rule prepared for evaluation: its resources and operations are resolved and its condition is parsed. */
export type CompiledRule = {
  readonly stored: PolicyRuleData;
  readonly policy: CompiledPolicy;
  readonly isDeny: boolean;
  /** Undefined when the rule always holds. */
  readonly condition: PolicyCondition | undefined;
  readonly operations: ReadonlySet<string>;
  appliesTo(resource: string): boolean;
  covers(resource: string, operation: string): boolean;
};

export type CompiledPolicy = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly enabled: boolean;
  readonly rules: readonly CompiledRule[];
};

export type CompiledRole = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly policies: readonly CompiledPolicy[];
};

export type CompiledTeam = {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly roles: readonly CompiledRole[];
  readonly policies: readonly CompiledPolicy[];
  readonly domainIds: readonly string[];
};

/** The condition of a rule, with the team through which the caller has the policy. */
export type RuleClause = {
  readonly decide: ConditionPredicate;
  readonly policyTeam: string | undefined;
  readonly requiredFacts: readonly ResourceFact[];
};

/** The clauses for one resource and operation, separated by effect. */
export type RuleClauses = { readonly denies: readonly RuleClause[]; readonly allows: readonly RuleClause[] };

/** The root team, to which everybody belongs. */
const ROOT_TEAM = 'Organization';

const parseStoredCondition = (text: string): PolicyCondition | undefined => {
  try {
    return parseCondition(text);
  } catch {
    return undefined;
  }
};

/**
 * An owner may do anything with a record, so a caller who may choose the owner of a service, a subscription or a role
 * could take it over. A rule about all resources that grants ownership without the right to edit therefore applies to
 * assets only. Callers who may edit the record anyway gain nothing by owning it.
 */
const OWNERSHIP_OPERATION = 'EditOwners';
const FULL_EDIT_OPERATION = 'EditAll';

/** Compiles a stored rule. A condition that can no longer be parsed never allows anything and always denies. */
const compileRule = (stored: PolicyRuleData, policy: CompiledPolicy, assets: ReadonlySet<string>): CompiledRule[] => {
  const isDeny = stored.effect === 'deny';
  const condition = stored.condition === undefined ? undefined : parseStoredCondition(stored.condition);
  if (stored.condition !== undefined && condition === undefined && !isDeny) return [];
  const operations = new Set(stored.operations);
  const resources = stored.resources[0] === ALL_RESOURCE_NAME ? undefined : new Set(stored.resources);
  const appliesTo = (resource: string): boolean =>
    resources === undefined ? isDeny || resource !== JOB_RESOURCE : resources.has(resource);
  const grantsOwnershipOnly = !isDeny && resources === undefined && !coversOperation(operations, FULL_EDIT_OPERATION);
  const exceedsAssets = (resource: string, operation: string): boolean =>
    grantsOwnershipOnly && operation === OWNERSHIP_OPERATION && !assets.has(resource);
  const givesByName = resources !== undefined && !(condition && requiredFacts(condition).includes('owners'));
  return [
    {
      stored,
      policy,
      isDeny,
      condition,
      operations,
      appliesTo,
      covers: (resource, operation) =>
        appliesTo(resource) &&
        coversOperation(operations, operation) &&
        !exceedsAssets(resource, operation) &&
        (isDeny || givesByName || !isGiving(operation)),
    },
  ];
};

const compilePolicy = ({ rules, ...row }: PolicyRightsRow, assets: ReadonlySet<string>): CompiledPolicy => {
  const compiled: CompiledRule[] = [];
  const policy: CompiledPolicy = { ...row, rules: compiled };
  for (const stored of rules) compiled.push(...compileRule(stored, policy, assets));
  return policy;
};

/** Resolves ids to known records. Ids of deleted or disabled records are dropped. */
const findKnown = <T>(ids: readonly string[], known: ReadonlyMap<string, T>): T[] =>
  ids.flatMap((id) => known.get(id) ?? []);

const byId = <T extends { readonly id: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [item.id, item]));

const ALWAYS: ConditionPredicate = () => true;

export const compileClause = (condition: PolicyCondition | undefined, policyTeam: string | undefined): RuleClause => ({
  decide: condition === undefined ? ALWAYS : compileCondition(condition),
  policyTeam,
  requiredFacts: condition === undefined ? [] : requiredFacts(condition),
});

/** The maximum depth of the team hierarchy that is walked. */
const MAX_LEVELS = 50;

/** Finds the ancestors of a team: the team itself first, nearer teams before farther ones, the root team last. */
const createTeamsAbove = (
  rows: ReadonlyMap<string, TeamRightsRow>,
  teams: ReadonlyMap<string, CompiledTeam>,
  root: CompiledTeam | undefined,
) => {
  const known = new Map<string, readonly CompiledTeam[]>();

  const walkUp = (id: string): readonly CompiledTeam[] => {
    const found = new Set<CompiledTeam>();
    let level: readonly string[] = [id];
    for (let step = 0; step <= MAX_LEVELS && level.length > 0; step += 1) {
      const fresh = findKnown(level, teams).filter((team) => team !== root && !found.has(team));
      for (const team of fresh) found.add(team);
      level = fresh.flatMap((team) => rows.get(team.id)?.parentIds ?? []);
    }
    return root === undefined ? [...found] : [...found, root];
  };

  return (id: string): readonly CompiledTeam[] => {
    const above = known.get(id) ?? walkUp(id);
    known.set(id, above);
    return above;
  };
};

/** Builds the clauses of teams that own records, for one resource and operation. */
const createOwnerClauses = (teams: readonly CompiledTeam[]) => {
  const teamsWithPolicies = teams.filter(({ policies }) => policies.length > 0);
  const known = new Map<string, ReadonlyMap<string, RuleClauses>>();

  const collect = (resource: string, operation: string): ReadonlyMap<string, RuleClauses> => {
    const found = new Map<string, RuleClauses>();
    for (const { id, fullyQualifiedName, policies } of teamsWithPolicies) {
      const rules = policies.flatMap((policy) => policy.rules).filter((rule) => rule.covers(resource, operation));
      if (rules.length === 0) continue;
      const clauses = (isDeny: boolean) =>
        rules.filter((rule) => rule.isDeny === isDeny).map((rule) => compileClause(rule.condition, fullyQualifiedName));
      found.set(id, { denies: clauses(true), allows: clauses(false) });
    }
    return found;
  };

  return (resource: string, operation: string): ReadonlyMap<string, RuleClauses> => {
    const key = `${resource} ${operation}`;
    const clauses = known.get(key) ?? collect(resource, operation);
    known.set(key, clauses);
    return clauses;
  };
};

/** The types of the records that a record of a type may be about, for types whose records are about others. */
export type SubjectTypes = ReadonlyMap<string, readonly string[]>;

/** What hides records of a type: when one loses it, a rule that denies something may deny it no longer. */
export type HidingFacts = {
  readonly labels: ReadonlySet<string>;
  readonly owners: boolean;
  readonly domains: boolean;
};

/** All policies, roles and teams of one moment, prepared for decisions. */
export type Rights = {
  /** What hides records of a type, by the rules of all policies that somebody may have. */
  hiding(resource: string): HidingFacts;
  readonly policies: ReadonlyMap<string, CompiledPolicy>;
  readonly roles: ReadonlyMap<string, CompiledRole>;
  readonly rolesByName: ReadonlyMap<string, CompiledRole>;
  readonly teams: ReadonlyMap<string, CompiledTeam>;
  /** The team of people who are in no existing team. */
  readonly root: CompiledTeam | undefined;
  readonly subjectTypes: SubjectTypes;
  /** A team and its ancestors. For a team that no longer exists: the root team. */
  teamsAbove(teamId: string): readonly CompiledTeam[];
  /** The clauses of teams that own a record, by team. */
  ownerClauses(resource: string, operation: string): ReadonlyMap<string, RuleClauses>;
};

const createHiding = (policies: ReadonlySet<CompiledPolicy>): Rights['hiding'] => {
  const denials = [...policies].flatMap(({ rules }) =>
    rules.flatMap(({ isDeny, condition, appliesTo }) => (isDeny && condition ? [{ condition, appliesTo }] : [])),
  );
  const known = new Map<string, HidingFacts>();
  const describe = (resource: string): HidingFacts => {
    const facts = denials
      .filter(({ appliesTo }) => appliesTo(resource))
      .map(({ condition }) => holdingFacts(condition));
    return {
      labels: new Set(facts.flatMap(({ labels }) => labels)),
      owners: facts.some(({ owners }) => owners),
      domains: facts.some(({ domains }) => domains),
    };
  };
  return (resource) => {
    const facts = known.get(resource) ?? describe(resource);
    known.set(resource, facts);
    return facts;
  };
};

/** What the rights depend on besides what is stored. */
export type DeclaredTypes = {
  /** The record types that are assets. Only to these may a rule about all resources grant ownership. */
  readonly assets: ReadonlySet<string>;
  readonly subjectTypes: SubjectTypes;
};

/** Compiles the stored rights for decisions. */
export const compileRights = (data: RightsData, { assets, subjectTypes }: DeclaredTypes): Rights => {
  const policies = byId(data.policies.map((policy) => compilePolicy(policy, assets)));
  const inForce = byId([...policies.values()].filter(({ enabled }) => enabled));
  const roles = byId(
    data.roles
      .filter(({ enabled }) => enabled)
      .map(({ id, name, fullyQualifiedName, policyIds }) => ({
        id,
        name,
        fullyQualifiedName,
        policies: findKnown(policyIds, inForce),
      })),
  );
  const teams = byId(
    data.teams.map(({ id, fullyQualifiedName, roleIds, policyIds, domainIds }) => ({
      id,
      fullyQualifiedName,
      roles: findKnown(roleIds, roles),
      policies: findKnown(policyIds, inForce),
      domainIds,
    })),
  );
  const root = [...teams.values()].find(({ fullyQualifiedName }) => fullyQualifiedName === ROOT_TEAM);
  return {
    hiding: createHiding(new Set([...roles.values(), ...teams.values()].flatMap((holder) => holder.policies))),
    policies,
    roles,
    rolesByName: new Map([...roles.values()].map((role) => [role.name, role])),
    teams,
    root,
    subjectTypes,
    teamsAbove: createTeamsAbove(byId(data.teams), teams, root),
    ownerClauses: createOwnerClauses([...teams.values()]),
  };
};
