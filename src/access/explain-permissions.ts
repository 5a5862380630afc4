import { type CallerFacts, compileCondition, simplifyCondition } from '../model/language/condition-evaluation.ts';
import { joinFqn } from '../model/name.ts';
import { coversOperation, POLICY_OPERATIONS } from '../model/schemas/access/policy.ts';
import type { RecordFacts } from './authorization.ts';
import type { CompiledRule, Rights } from './rights.ts';
import { type AccessCase, createAccessCase, type PolicyGrant, type RightsProfile } from './verdict.ts';

/** The possible results for an operation, from highest to lowest priority. */
export const ACCESS_LEVELS = ['deny', 'allow', 'conditionalDeny', 'conditionalAllow', 'notAllow'] as const;
type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** The result for one operation, and the rule that decides it, with the policy and role it comes from. */
export type Permission = {
  readonly operation: string;
  readonly access: AccessLevel;
  readonly rule?: { readonly [member: string]: unknown };
  readonly policy?: string;
  readonly role?: string;
};

/** Permissions of administrators: everything, independent of rules. */
export const allowEverything = (resources: readonly string[]): readonly ResourcePermissions[] => {
  const permissions = POLICY_OPERATIONS.map((operation) => ({ operation, access: 'allow' as const }));
  return resources.map((resource) => ({ resource, permissions }));
};

/** Evaluates a rule for a caller. Undefined when the rule's condition is not met. */
type RuleEvaluator = (rule: CompiledRule, grant: PolicyGrant) => AccessLevel | undefined;

const accessLevelOf = ({ isDeny }: CompiledRule, truth: boolean | undefined): AccessLevel | undefined => {
  if (truth === false) return undefined;
  if (truth === undefined) return isDeny ? 'conditionalDeny' : 'conditionalAllow';
  return isDeny ? 'deny' : 'allow';
};

/** Evaluates rules without a record: conditions that depend on one stay open (conditional). */
const createCallerEvaluator =
  ({ teams, roles }: Pick<CallerFacts, 'teams' | 'roles'>): RuleEvaluator =>
  (rule, { team }) => {
    if (rule.condition === undefined) return accessLevelOf(rule, true);
    const outcome = simplifyCondition(rule.condition, { teams, roles, policyTeam: team });
    return accessLevelOf(rule, typeof outcome === 'boolean' ? outcome : undefined);
  };

const createRecordEvaluator =
  (one: AccessCase): RuleEvaluator =>
  (rule, { team }) => {
    one.policyTeam = team;
    return accessLevelOf(rule, rule.condition === undefined || compileCondition(rule.condition)(one));
  };

/** Evaluates rules without a caller: conditions that depend on the caller stay open too. */
const evaluateForAnyone: RuleEvaluator = (rule) => accessLevelOf(rule, rule.condition === undefined ? true : undefined);

const describeRule = ({ stored, policy }: CompiledRule) => ({
  ...stored,
  fullyQualifiedName: joinFqn(policy.fullyQualifiedName, stored.name),
});

type EvaluatedRule = { readonly access: AccessLevel; readonly rule: CompiledRule; readonly grant: PolicyGrant };

const precedenceOf = (access: AccessLevel): number => ACCESS_LEVELS.indexOf(access);

/**
 * Evaluates the grants once, independent of resource and operation, so that this is not repeated for each. Higher
 * access levels come first; equal levels keep the order of evaluation.
 */
const evaluateGrants = (grants: readonly PolicyGrant[], weigh: RuleEvaluator): readonly EvaluatedRule[] =>
  grants
    .flatMap((grant) =>
      grant.policy.rules.flatMap((rule) => {
        const access = weigh(rule, grant);
        return access === undefined ? [] : [{ access, rule, grant }];
      }),
    )
    .sort((a, b) => precedenceOf(a.access) - precedenceOf(b.access));

const describePermission = (operation: string, found: EvaluatedRule | undefined): Permission => {
  if (!found) return { operation, access: 'notAllow' };
  const { access, rule, grant } = found;
  const role = grant.role === undefined ? {} : { role: grant.role };
  return { operation, access, rule: describeRule(rule), policy: grant.policy.name, ...role };
};

export type ResourcePermissions = { readonly resource: string; readonly permissions: readonly Permission[] };

/** The indexes, in the list of all operations, of those that a rule covers. */
const coveredOperations = ({ operations }: CompiledRule): readonly number[] =>
  POLICY_OPERATIONS.flatMap((operation, at) => (coversOperation(operations, operation) ? [at] : []));

const decideResource = (resource: string, all: readonly EvaluatedRule[], covered: readonly (readonly number[])[]) => {
  const best = new Array<EvaluatedRule | undefined>(POLICY_OPERATIONS.length).fill(undefined);
  all.forEach((found, index) => {
    if (!found.rule.appliesTo(resource)) return;
    for (const at of covered[index] ?? []) {
      if (best[at] === undefined && found.rule.covers(resource, POLICY_OPERATIONS[at] ?? '')) best[at] = found;
    }
  });
  return { resource, permissions: POLICY_OPERATIONS.map((operation, at) => describePermission(operation, best[at])) };
};

const decideResources = (
  grants: readonly PolicyGrant[],
  resources: readonly string[],
  weigh: RuleEvaluator,
): ResourcePermissions[] => {
  const all = evaluateGrants(grants, weigh);
  const covered = all.map(({ rule }) => coveredOperations(rule));
  return resources.map((resource) => decideResource(resource, all, covered));
};

/** The policies of the teams that own a record, unless the caller already has them. */
const ownerGrants = (rights: Rights, { teamIds }: RightsProfile, { owningTeamIds }: RecordFacts): PolicyGrant[] => {
  const teams = new Set(owningTeamIds.flatMap((id) => rights.teamsAbove(id)).filter(({ id }) => !teamIds.has(id)));
  return [...teams].flatMap(({ fullyQualifiedName, policies }) =>
    policies.map((policy) => ({ policy, role: undefined, team: fullyQualifiedName })),
  );
};

type ExplainedCaller = { readonly profile: RightsProfile; readonly caller: CallerFacts };

/** Explains what a caller may do with resources, or with one record when its facts are given. */
export const explainPermissions = (
  rights: Rights,
  { profile, caller }: ExplainedCaller,
  resources: readonly string[],
  facts: RecordFacts | undefined,
): readonly ResourcePermissions[] => {
  if (facts === undefined) return decideResources(profile.grants, resources, createCallerEvaluator(caller));
  const grants = [...profile.grants, ...ownerGrants(rights, profile, facts)];
  return decideResources(grants, resources, createRecordEvaluator(createAccessCase(rights, caller, facts)));
};

/** Explains what policies say about resources. A disabled policy says nothing. */
export const explainPolicies = (
  rights: Rights,
  policyIds: readonly string[],
  resources: readonly string[],
): readonly ResourcePermissions[] => {
  const grants = policyIds.flatMap((id) => {
    const policy = rights.policies.get(id);
    return policy?.enabled ? [{ policy, role: undefined, team: undefined }] : [];
  });
  return decideResources(grants, resources, evaluateForAnyone);
};
