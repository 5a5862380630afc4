import { type CallerFacts, compileCondition, settleCondition } from '../model/decide.ts';
import { joinFqn } from '../model/name.ts';
import { OPERATIONS } from '../model/policy-values.ts';
import type { RecordFacts } from './authorize.ts';
import type { Rights, Rule } from './rights.ts';
import { type Case, createCase, type Grant, type Profile } from './verdict.ts';

/** What is to be said of an operation, from what counts most to what counts least. */
export const ACCESSES = ['deny', 'allow', 'conditionalDeny', 'conditionalAllow', 'notAllow'] as const;
type Access = (typeof ACCESSES)[number];

/** What somebody may do, and the rule that decides it, with the policy and the role it comes from. */
export type Permission = {
  readonly operation: string;
  readonly access: Access;
  readonly rule?: { readonly [member: string]: unknown };
  readonly policy?: string;
  readonly role?: string;
};

/** What administrators may do: everything, by no rule. */
export const allowAll = (): readonly Permission[] =>
  OPERATIONS.map((operation) => ({ operation, access: 'allow' as const }));

/** What a rule comes to for one who asks; undefined when its condition is not met. */
type Weigh = (rule: Rule, grant: Grant) => Access | undefined;

const accessOf = ({ isDeny }: Rule, truth: boolean | undefined): Access | undefined => {
  if (truth === false) return undefined;
  if (truth === undefined) return isDeny ? 'conditionalDeny' : 'conditionalAllow';
  return isDeny ? 'deny' : 'allow';
};

/** Where no record is at hand, what depends on one stays open. */
const weighFor =
  ({ teams, roles }: Pick<CallerFacts, 'teams' | 'roles'>): Weigh =>
  (rule, { team }) => {
    if (rule.condition === undefined) return accessOf(rule, true);
    const settled = settleCondition(rule.condition, { teams, roles, policyTeam: team });
    return accessOf(rule, typeof settled === 'boolean' ? settled : undefined);
  };

const weighCase =
  (one: Case): Weigh =>
  (rule, { team }) => {
    one.policyTeam = team;
    return accessOf(rule, rule.condition === undefined || compileCondition(rule.condition)(one));
  };

/** Whoever it is: what depends on the caller stays open too. */
const weighRule: Weigh = (rule) => accessOf(rule, rule.condition === undefined ? true : undefined);

const shown = ({ stored, policy }: Rule) => ({
  ...stored,
  fullyQualifiedName: joinFqn(policy.fullyQualifiedName, stored.name),
});

type Found = { readonly access: Access; readonly rule: Rule; readonly grant: Grant };

const weightOf = (access: Access): number => ACCESSES.indexOf(access);

/** Of several rules about one operation the weightiest counts, and of equal ones the first. */
const decideAll = (grants: readonly Grant[], resource: string, weigh: Weigh): readonly Permission[] => {
  const best = new Map<string, Found>();
  for (const grant of grants) {
    for (const rule of grant.policy.rules) {
      if (!rule.concerns(resource)) continue;
      const access = weigh(rule, grant);
      if (access === undefined) continue;
      for (const operation of OPERATIONS) {
        if (!rule.covers(resource, operation)) continue;
        const known = best.get(operation);
        if (known && weightOf(known.access) <= weightOf(access)) continue;
        best.set(operation, { access, rule, grant });
      }
    }
  }
  return OPERATIONS.map((operation): Permission => {
    const found = best.get(operation);
    if (!found) return { operation, access: 'notAllow' };
    const { access, rule, grant } = found;
    const role = grant.role === undefined ? {} : { role: grant.role };
    return { operation, access, rule: shown(rule), policy: grant.policy.name, ...role };
  });
};

/** The policies that the teams owning a record bring along, as far as the caller does not have them anyway. */
const ownerGrants = (rights: Rights, { teamIds }: Profile, { owningTeamIds }: RecordFacts): Grant[] => {
  const teams = new Set(owningTeamIds.flatMap((id) => rights.above(id)).filter(({ id }) => !teamIds.has(id)));
  return [...teams].flatMap(({ fullyQualifiedName, policies }) =>
    policies.map((policy) => ({ policy, role: undefined, team: fullyQualifiedName })),
  );
};

type Asker = { readonly profile: Profile; readonly caller: CallerFacts };

/** What a caller may do with a resource; with the facts of one record, what he may do with that. */
export const explain = (
  rights: Rights,
  { profile, caller }: Asker,
  resource: string,
  facts: RecordFacts | undefined,
): readonly Permission[] => {
  if (facts === undefined) return decideAll(profile.grants, resource, weighFor(caller));
  const grants = [...profile.grants, ...ownerGrants(rights, profile, facts)];
  return decideAll(grants, resource, weighCase(createCase(rights, caller, facts)));
};

/** What policies say of a resource; one that is switched off says nothing. */
export const explainPolicies = (
  rights: Rights,
  policyIds: readonly string[],
  resource: string,
): readonly Permission[] => {
  const grants = policyIds.flatMap((id) => {
    const policy = rights.policies.get(id);
    return policy?.enabled ? [{ policy, role: undefined, team: undefined }] : [];
  });
  return decideAll(grants, resource, weighRule);
};
