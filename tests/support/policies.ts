import { parseCondition } from '../../src/model/language/condition.ts';
import {
  type CallerFacts,
  compileCondition,
  type ResourceFacts,
} from '../../src/model/language/condition-evaluation.ts';
import { ok } from './expect.ts';
import { type Client, type Service, uniqueName } from './service.ts';

/** Creates and reads policies with denying rules for tests. */

type Rule = { readonly name: string; readonly effect: string; readonly condition?: string };

export type Policy = {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly rules: readonly Rule[];
};

/** The body of a policy that denies everything under each of some conditions. */
export const denyingPolicy = (...conditions: readonly string[]) => ({
  name: uniqueName('deny'),
  rules: conditions.map((condition, at) => ({
    name: `r${at}`,
    effect: 'deny',
    operations: ['All'],
    resources: ['all'],
    condition,
  })),
});

/** A policy that denies everything under each of some conditions. */
export const createDenyingPolicy = async (client: Client, ...conditions: readonly string[]): Promise<Policy> =>
  ok(await client.post('/v1/policies', denyingPolicy(...conditions)), 201);

export const readPolicy = async (client: Client, id: string, query = ''): Promise<Policy> =>
  ok(await client.get(`/v1/policies/${id}${query}`));

export const conditionsOf = ({ rules }: Policy): string[] => rules.map(({ condition }) => condition ?? '');

type Given = { readonly caller?: Partial<CallerFacts>; readonly resource?: Partial<ResourceFacts> };

const NONE: ReadonlySet<string> = new Set();

/** Whether one of the rules of a policy applies. */
export const applies = (policy: Policy, { caller = {}, resource = {} }: Given): boolean => {
  const facts = {
    caller: { ownerIds: NONE, domainIds: NONE, teams: NONE, roles: NONE, ...caller },
    resource: { ownerIds: [], domainIds: [], tags: NONE, certification: undefined, ownerTeams: NONE, ...resource },
    policyTeam: undefined,
  };
  return conditionsOf(policy).some((condition) => compileCondition(parseCondition(condition))(facts));
};

/** The records that the graph notes a policy to name, each as its kind and its name. */
export const readNotedConditions = async (service: Service, id: string): Promise<unknown[]> => {
  const rows = await service.graph.query(
    'MATCH (:Policy {id: $id})-[:REFERENCES_NAME]->(n:Naming) RETURN DISTINCT n.target AS target ORDER BY target',
    { id },
  );
  return rows.map((row) => row['target']);
};
