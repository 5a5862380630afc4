import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { LabelNode, RefNode } from '../../catalog/queries.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { findEndpointsByIds } from '../../lineage/endpoints.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { chunk } from '../../model/chunk.ts';
import { groupBy } from '../../model/group-by.ts';
import { compareByFqn } from '../../model/name.ts';
import type { LineageView } from '../graph/lineage-view.ts';
import { neighboursOf } from '../graph/network.ts';
import { isInScope, type Scope } from '../scope.ts';
import type { FlowStep, ValueNode } from './nearest-sources.ts';
import { type AssetProperty, givenValue, type NodeValue, type NodeValues, recordsValue } from './property-value.ts';
import { listRecordLabels } from './queries.ts';

/** Reads the assets in a scope and upstream of it, the edges between them, and what they have. */

export type FlowAsset = ValueNode & { readonly entityType: string };

export type AssetFlow = { readonly steps: readonly FlowStep<FlowAsset>[]; readonly cut: string | undefined };

/** Walks upstream from the assets in a scope, as far as the caller may see. No function stands at an edge. */
export const walkAssetFlow = (
  { network, cut }: Pick<LineageView, 'network' | 'cut'>,
  scope: Scope,
  { maxDepth, maxSteps }: { readonly maxDepth: number; readonly maxSteps: number },
): AssetFlow => {
  const nodes = network.assets.map(
    ({ id, fullyQualifiedName, entityType }): FlowAsset => ({ key: id, fullyQualifiedName, entityType }),
  );
  const steps: FlowStep<FlowAsset>[] = [];
  let frontier = [...nodes.keys()].filter((at) => isInScope(scope, nodes[at]?.fullyQualifiedName ?? ''));
  const reached = new Set(frontier);
  for (let depth = 0; depth < maxDepth && frontier.length > 0; depth += 1) {
    const next: number[] = [];
    for (const to of frontier) {
      for (const from of neighboursOf(network.upstream, to)) {
        if (steps.length === maxSteps) return { steps, cut: 'edges' };
        steps.push({ from: nodes[from] as FlowAsset, to: nodes[to] as FlowAsset, blocker: undefined });
        if (!reached.has(from)) next.push(from);
        reached.add(from);
      }
    }
    frontier = next;
  }
  return { steps, cut };
};

/** The records among some that are living and that the caller may see, by ID. */
const readVisibleRecords = async (
  engine: Engine,
  principal: Principal,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RefNode>> => {
  const found = (await findEndpointsByIds(engine, [...new Set(ids)])).map(({ node }) => node);
  const living = found.filter(({ deleted }) => deleted !== true);
  const sees = await readNodeVisibility(engine, principal, living);
  return new Map(living.flatMap((node) => (sees(node.id) ? [[node.id, node] as const] : [])));
};

/** The owners or domains of assets as the catalog shows them: their own, or those of the nearest ancestor that has some. */
const readSetValues = async (
  engine: Engine,
  principal: Principal,
  property: 'owners' | 'domains',
  ids: readonly string[],
): Promise<NodeValues> => {
  const facts = await engine.facts.readMany(ids, new Set([property]));
  const sets = [...facts].map(
    ([id, { ownerIds, domainIds }]) => [id, property === 'owners' ? ownerIds : domainIds] as const,
  );
  const records = await readVisibleRecords(
    engine,
    principal,
    sets.flatMap(([, members]) => members),
  );
  return new Map(
    sets.flatMap(([id, members]): [string, NodeValue][] => {
      const value = recordsValue(members.flatMap((member) => records.get(member) ?? []));
      return value ? [[id, givenValue(value)]] : [];
    }),
  );
};

const TIERS = 'Tier.';
const READ_BATCH = 1000;
const READS_AT_ONCE = 2;

const readTierValues = async (engine: Engine, principal: Principal, ids: readonly string[]): Promise<NodeValues> => {
  const rows = await mapConcurrently(chunk(ids, READ_BATCH), READS_AT_ONCE, (some) =>
    engine.graph.read(listRecordLabels, { ids: some, scope: TIERS }),
  );
  const all = rows.flat();
  const tags = new Map(all.map(({ label: { tagId: id, entityType } }) => [id, { id, entityType }]));
  const sees = await readNodeVisibility(engine, principal, [...tags.values()]);
  const visible = all.filter(({ label }) => sees(label.tagId));
  return new Map(
    [...groupBy(visible, ({ id }) => id)].map(([id, some]) => [id, tierOf(some.map(({ label }) => label))]),
  );
};

const byName = (one: LabelNode, other: LabelNode): number =>
  compareByFqn({ fullyQualifiedName: one.tagFQN }, { fullyQualifiedName: other.tagFQN });

/** An asset has one tier. One that came along lineage is not passed on. */
const tierOf = (labels: readonly LabelNode[]): NodeValue => {
  const [first] = [...labels].sort(byName) as [LabelNode, ...LabelNode[]];
  const carried = { kind: 'label', label: first } as const;
  return { carried, passed: first.labelType === 'Propagated' ? undefined : carried };
};

export const readAssetValues = (
  engine: Engine,
  principal: Principal,
  property: AssetProperty,
  ids: readonly string[],
): Promise<NodeValues> =>
  property === 'tier' ? readTierValues(engine, principal, ids) : readSetValues(engine, principal, property, ids);
