import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import type { Registry } from '../../catalog/registry.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { fqnPrefixes } from '../../model/name.ts';
import { PIPELINE_KINDS, type PlatformView } from '../../model/schemas/lineage/lineage.ts';
import { serializeDerivedDetails } from '../edge.ts';
import { readNodeVisibility, typeVisibilityOf } from '../node-visibility.ts';
import {
  countDomainEdges,
  countProductEdges,
  countServiceEdges,
  type EdgeCountOptions,
  type EdgeTuple,
} from '../queries.ts';

/**
 * Edges between services, between domains and between data products follow from those between the records that belong to
 * them. They are counted whenever they are asked for: what is stored nowhere cannot be wrong.
 */

/** Edges that follow from others, and the records they join. */
export type DerivedEdges = {
  readonly edges: readonly EdgeTuple[];
  readonly nodes: readonly RefNode[];
  readonly truncated: 'edges' | undefined;
};

/** So many counts are read at once. Only for those who do not see everything is a count a single edge. */
const MAX_COUNTS = 200_000;

const createCountOptions = (engine: Engine, principal: Principal, includeDeleted: boolean): EdgeCountOptions => ({
  ...typeVisibilityOf(engine, principal),
  includeDeleted,
  limit: MAX_COUNTS + 1,
});

/** What is asked for: edges around some records, or all there are; by whom, and which of them count. */
type DerivedEdgesRequest = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly around: readonly string[] | undefined;
  readonly counting: EdgeCountOptions;
};

type VisibleCountRows<R> = { readonly rows: readonly R[]; readonly truncated: 'edges' | undefined };

/** What was counted between records that the caller may see. */
const filterVisibleCounts = async <R extends { readonly judged: readonly (readonly [string, string])[] }>(
  { engine, principal }: DerivedEdgesRequest,
  found: readonly R[],
): Promise<VisibleCountRows<R>> => {
  const truncated = found.length > MAX_COUNTS ? ('edges' as const) : undefined;
  const all = found.slice(0, MAX_COUNTS);
  const judged = all.flatMap((row) => row.judged.map(([id, entityType]) => ({ id, entityType })));
  const sees = await readNodeVisibility(engine, principal, judged);
  return { rows: all.filter((row) => row.judged.every(([id]) => sees(id))), truncated };
};

/** So many edges lead from one record to another. */
type EdgeCount = { readonly from: string; readonly to: string; readonly edges: number };

/** Adds up what is counted in parts. Nothing is upstream of itself. */
const sumCounts = (parts: Iterable<EdgeCount>): readonly EdgeCount[] => {
  const sums = new Map<string, EdgeCount>();
  for (const { from, to, edges } of parts) {
    if (from === to) continue;
    const key = `${from}\u0001${to}`;
    sums.set(key, { from, to, edges: (sums.get(key)?.edges ?? 0) + edges });
  }
  return [...sums.values()];
};

/** The kind of service that records of a kind are below, however far, if there is one. */
const serviceKindOf = ({ byType }: Registry, entityType: string): Kind | undefined => {
  const passed = new Set<string>();
  const waiting = [entityType];
  for (let type = waiting.shift(); type !== undefined; type = waiting.shift()) {
    const kind = byType.get(type);
    if (!kind || passed.has(type)) continue;
    passed.add(type);
    if (kind.platformView === 'service' && type !== entityType) return kind;
    waiting.push(...kind.parents.map((parent) => parent.kind));
  }
  return undefined;
};

/** A service by its kind and its name, which the names of everything below it begin with. */
type ServiceName = { readonly kind: Kind; readonly fqn: string };

const serviceKey = (entityType: string, fqn: string): string => `${entityType} ${fqn}`;

const createServiceIndex = (registry: Registry) => {
  const kinds = new Map(registry.kinds.map(({ entityType }) => [entityType, serviceKindOf(registry, entityType)]));
  const known = new Map<string, ServiceName>();
  const find = (entityType: string, fqn: string | null | undefined): string | undefined => {
    const kind = kinds.get(entityType);
    if (!kind || !fqn) return undefined;
    const key = serviceKey(kind.entityType, fqn);
    if (!known.has(key)) known.set(key, { kind, fqn });
    return key;
  };
  return { known, find };
};

/** What data runs through, as far as the caller may see it and it counts. */
const readCountedPipelines = async (
  engine: Engine,
  principal: Principal,
  ids: readonly (string | null)[],
  includeDeleted: boolean,
): Promise<ReadonlyMap<string, RefNode>> => {
  const distinct = [...new Set(ids.flatMap((id) => id ?? []))];
  const found = (await Promise.all(distinct.map((id) => engine.store.referenceById(id)))).flatMap((node) => node ?? []);
  const sees = await readNodeVisibility(engine, principal, found);
  const counted = found.filter(({ id, deleted }) => sees(id) && (includeDeleted || deleted !== true));
  return new Map(counted.map((node) => [node.id, node]));
};

type CountedEdges = {
  readonly counts: readonly EdgeCount[];
  readonly truncated: 'edges' | undefined;
  readonly nodeOf: (key: string) => Promise<RefNode | undefined>;
  /** How a record is called in the counts. */
  readonly keyOf: (node: RefNode) => string;
};

/** Data that runs through a pipeline elsewhere passes by the service of the pipeline. */
const countBetweenServices = async (asked: DerivedEdgesRequest): Promise<CountedEdges> => {
  const { engine, principal, counting, around } = asked;
  const found = around
    ? await engine.graph.read(countServiceEdges.around, { ...counting, ids: around, carrierTypes: PIPELINE_KINDS })
    : await engine.graph.read(countServiceEdges.between, counting);
  const { rows, truncated } = await filterVisibleCounts(asked, found);
  const { known, find } = createServiceIndex(engine.registry);
  const ids = rows.map(({ pipelineId }) => pipelineId);
  const carriers = await readCountedPipelines(engine, principal, ids, counting.includeDeleted);
  function* parts(): Generator<EdgeCount> {
    for (const { fromType, fromScope, toType, toScope, pipelineId, edges } of rows) {
      const carrier = carriers.get(pipelineId ?? '');
      const from = find(fromType, fromScope);
      const to = find(toType, toScope);
      const through = carrier && find(carrier.entityType, fqnPrefixes(carrier.fullyQualifiedName)[0]);
      if (from && to) yield { from, to, edges };
      if (from && through) yield { from, to: through, edges };
      if (through && to) yield { from: through, to, edges };
    }
  }
  return {
    counts: sumCounts(parts()),
    truncated,
    nodeOf: async (key) => {
      const service = known.get(key);
      return service && engine.store.reference(service.kind, service.fqn);
    },
    keyOf: ({ entityType, fullyQualifiedName }) => serviceKey(entityType, fullyQualifiedName),
  };
};

const lookUpById = ({ store }: Engine): Pick<CountedEdges, 'nodeOf' | 'keyOf'> => ({
  nodeOf: (id) => store.referenceById(id),
  keyOf: ({ id }) => id,
});

const DOMAINS: ReadonlySet<'domains'> = new Set(['domains']);

/** Records have the domains of what contains them as long as they have none of their own. */
const countBetweenDomains = async (asked: DerivedEdgesRequest): Promise<CountedEdges> => {
  const { engine, counting, around } = asked;
  const found = around
    ? await engine.graph.read(countDomainEdges.around, { ...counting, ids: around })
    : await engine.graph.read(countDomainEdges.between, counting);
  const { rows, truncated } = await filterVisibleCounts(asked, found);
  const places = [...new Set(rows.flatMap(({ fromId, toId }) => [fromId, toId]))];
  const facts = await engine.facts.readMany(places, DOMAINS);
  const domainsOf = (id: string) => facts.get(id)?.domainIds ?? [];
  const parts = rows.flatMap(({ fromId, toId, edges }) =>
    domainsOf(fromId).flatMap((from) => domainsOf(toId).map((to) => ({ from, to, edges }))),
  );
  return { counts: sumCounts(parts), truncated, ...lookUpById(engine) };
};

const countBetweenDataProducts = async (asked: DerivedEdgesRequest): Promise<CountedEdges> => {
  const { engine, counting, around } = asked;
  const found = around
    ? await engine.graph.read(countProductEdges.around, { ...counting, ids: around })
    : await engine.graph.read(countProductEdges.between, counting);
  const { rows, truncated } = await filterVisibleCounts(asked, found);
  const parts = rows.map(({ fromId, toId, edges }) => ({ from: fromId, to: toId, edges }));
  return { counts: sumCounts(parts), truncated, ...lookUpById(engine) };
};

const COUNT_BY_VIEW: Readonly<Record<PlatformView, typeof countBetweenServices>> = {
  service: countBetweenServices,
  domain: countBetweenDomains,
  dataProduct: countBetweenDataProducts,
};

/**
 * The edges of one view of the platform that follow from those between records that somebody may see: all of them, or
 * those that lead from or to some of the records of that view. Only the latter costs no more than there is around these.
 */
export const readDerivedEdges = async (
  engine: Engine,
  principal: Principal,
  view: PlatformView,
  { includeDeleted }: { readonly includeDeleted: boolean },
  around?: readonly RefNode[],
): Promise<DerivedEdges> => {
  const counting = createCountOptions(engine, principal, includeDeleted);
  const ids = around?.map(({ id }) => id);
  const { counts, truncated, nodeOf, keyOf } = await COUNT_BY_VIEW[view]({ engine, principal, around: ids, counting });
  const middle = around && new Set(around.map(keyOf));
  // What else these edges stand for is not all that there is between two others.
  const whole = counts.filter(({ from, to }) => !middle || middle.has(from) || middle.has(to));
  const keys = [...new Set(whole.flatMap(({ from, to }) => [from, to]))];
  const nodes = new Map<string, RefNode>();
  await Promise.all(
    keys.map(async (key) => {
      const node = await nodeOf(key);
      if (node && (includeDeleted || node.deleted !== true)) nodes.set(key, node);
    }),
  );
  const edges = whole.flatMap(({ from, to, edges: assetEdges }): EdgeTuple[] => {
    const [one, other] = [nodes.get(from), nodes.get(to)];
    return one && other ? [[one.id, other.id, null, serializeDerivedDetails(assetEdges)]] : [];
  });
  return { edges, nodes: [...nodes.values()], truncated };
};
