import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { badRequest } from '../../errors.ts';
import { readNamedPlaces } from './asset-places.ts';
import type { LabelledFlow } from './list-flows.ts';

/** Groups flows by the tag of their source, or by what they lead to. */

export const FLOW_GROUPINGS = ['tag', 'owner', 'target', 'domain'] as const;

type FlowGrouping = (typeof FLOW_GROUPINGS)[number];

export type FlowGroup = { readonly key: string | null; readonly targets: number; readonly ways: number };

export const readFlowGrouping = (text: string | null): FlowGrouping | undefined => {
  if (!text) return undefined;
  const known = FLOW_GROUPINGS.find((grouping) => grouping === text);
  if (!known) throw badRequest(`[groupBy must be one of ${FLOW_GROUPINGS.join(', ')}]`);
  return known;
};

type KeysOf = (flow: LabelledFlow) => readonly string[];

const readKeys = async (
  engine: Engine,
  principal: Principal,
  grouping: FlowGrouping,
  flows: readonly LabelledFlow[],
): Promise<KeysOf> => {
  if (grouping === 'tag') return ({ tags }) => tags;
  if (grouping === 'target') return ({ target }) => [target.fullyQualifiedName];
  const ids = [...new Set(flows.map(({ target }) => target.id))];
  const places = await readNamedPlaces(engine, principal, grouping === 'owner' ? 'owners' : 'domains', ids);
  return ({ target }) => places(target.id);
};

/** Those that most ways lead to come first, and the group of what has no key last among equals. */
const largestFirst = (one: FlowGroup, other: FlowGroup): number =>
  other.ways - one.ways ||
  Number(one.key === null) - Number(other.key === null) ||
  ((one.key ?? '') < (other.key ?? '') ? -1 : 1);

/** Sums numbers of ways, which may be as large as numbers go. */
export const sumWays = (flows: readonly LabelledFlow[]): number =>
  flows.reduce((sum, { ways }) => Math.min(Number.MAX_SAFE_INTEGER, sum + ways), 0);

export const countTargets = (flows: readonly LabelledFlow[]): number =>
  new Set(flows.map(({ target }) => target.id)).size;

/** A flow is in the group of each of its keys, and in that of `null` when it has none. */
export const groupFlows = async (
  engine: Engine,
  principal: Principal,
  grouping: FlowGrouping | undefined,
  flows: readonly LabelledFlow[],
): Promise<readonly FlowGroup[]> => {
  if (grouping === undefined) return [];
  const keysOf = await readKeys(engine, principal, grouping, flows);
  const groups = new Map<string | null, LabelledFlow[]>();
  for (const flow of flows) {
    const keys = keysOf(flow);
    for (const key of keys.length === 0 ? [null] : keys) {
      const group = groups.get(key);
      if (group) group.push(flow);
      else groups.set(key, [flow]);
    }
  }
  return [...groups]
    .map(([key, some]): FlowGroup => ({ key, targets: countTargets(some), ways: sumWays(some) }))
    .sort(largestFirst);
};
