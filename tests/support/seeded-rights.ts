import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordFacts } from '../../src/access/authorization.ts';
import { createAuthorizer } from '../../src/access/authorizer.ts';
import type { Principal } from '../../src/access/principal.ts';
import type { PolicyRightsRow, PolicyRuleData, RightsData, RoleRightsRow } from '../../src/access/rights.ts';
import { packageRoot } from '../../src/graph/package-root.ts';

/** Decisions of the authorizer with many rules. */

type Seed = {
  readonly kind: string;
  readonly body: {
    readonly name: string;
    readonly rules?: readonly PolicyRuleData[];
    readonly policies?: readonly string[];
  };
};

const CONDITIONS = [
  "matchAnyTag('PII.Sensitive', 'Tier.Tier5')",
  "isOwner() && hasDomain() && !hasAnyRole('DataSteward')",
  "matchAnyCertification('Certification.Gold') || noOwner()",
  "matchTeam() || matchAllTags('Tier.Tier1', 'PII.None')",
  "noDomain() && inAnyTeam('Organization')",
];

/** As many policies with one condition each, in turn allowing and denying, none of which decides about `RECORD`. */
const conditionalPolicies = (count: number): PolicyRightsRow[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `conditional${at}`,
    name: `conditional${at}`,
    fullyQualifiedName: `conditional${at}`,
    enabled: true,
    rules: [
      {
        name: 'rule',
        effect: at % 2 === 0 ? 'allow' : 'deny',
        operations: ['ViewAll', 'EditAll'],
        resources: ['all'],
        condition: CONDITIONS[at % CONDITIONS.length] ?? '',
      },
    ],
  }));

/** The rights that every catalog starts with, and a role with conditional policies on top. */
const seededRights = (conditional: number): RightsData => {
  const seeds = JSON.parse(readFileSync(join(packageRoot, 'seeds', 'builtin', 'records.json'), 'utf8')) as Seed[];
  const named = ({ body }: Seed) => ({
    id: body.name,
    name: body.name,
    fullyQualifiedName: body.name,
    enabled: true,
  });
  const more = conditionalPolicies(conditional);
  const policies = seeds
    .filter(({ kind }) => kind === 'policy')
    .map((seed) => ({ ...named(seed), rules: seed.body.rules ?? [] }));
  const roles: RoleRightsRow[] = seeds
    .filter(({ kind }) => kind === 'role')
    .map((seed) => ({ ...named(seed), policyIds: seed.body.policies ?? [] }));
  const team = { parentIds: [], roleIds: ['DataConsumer'], policyIds: ['OrganizationPolicy'], domainIds: [] };
  return {
    policies: [...policies, ...more],
    roles: [
      ...roles,
      { id: 'more', name: 'more', fullyQualifiedName: 'more', enabled: true, policyIds: more.map(({ id }) => id) },
    ],
    teams: [{ id: 'Organization', fullyQualifiedName: 'Organization', ...team }],
  };
};

const RECORD: RecordFacts = {
  ownerIds: ['somebody'],
  owningTeamIds: [],
  peoplesTeamIds: [],
  domainIds: ['sales'],
  tags: new Set(['Tier.Tier1', 'PII.NonSensitive']),
  certification: undefined,
};

/**
 * Prepares decisions for somebody with the rights that everybody has and so many conditional policies besides, each of
 * which has to be asked about every record.
 */
export const prepareDecisions = async (conditional: number): Promise<(times: number) => void> => {
  const judge = createAuthorizer({
    readRevision: async () => 1,
    readRights: async () => seededRights(conditional),
    subjectTypes: new Map(),
    assets: new Set(['table']),
    clock: Date.now,
  });
  await judge.ensureFresh();
  const membership = { teamIds: [], roleIds: ['more'], domainIds: [] };
  const caller: Principal = { id: 'ann', name: 'ann', email: '', isAdmin: false, isBot: false, roles: [], membership };
  if (judge.requiredFacts(caller, ['ViewBasic'], 'table').size === 0) throw new Error('the conditions are not asked');
  const subject = { resource: 'table', facts: RECORD };
  return (times) => {
    for (let at = 0; at < times; at += 1) judge.authorize(caller, ['ViewBasic'], subject);
  };
};
