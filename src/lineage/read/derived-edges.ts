import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { canSeeEverything } from '../../catalog/read/facts.ts';
import type { Registry } from '../../catalog/registry.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { fqnPrefixes } from '../../model/name.ts';
import { PIPELINE_KINDS, type PlatformView } from '../../model/schemas/lineage/lineage.ts';
import { serializeDerivedDetails } from '../edge.ts';
import { readNodeVisibility, readVisibleReferences, typeVisibilityOf } from '../node-visibility.ts';
import {
  countDomainEdges,
  countProductEdges,
  countServiceEdges,
  type EdgeCountOptions,
  type EdgeTuple,
  listDomainSupplies,
  listSupplies,
  readNearestDomains,
} from '../queries.ts';

/**
 * Edges between services, domains and data products, derived from the edges between the records that belong to them.
 * They are counted in the transaction that changes an edge. For callers who may not see all records, the edges between
 * those that they may see are counted on every read.
 */

/** Derived edges and the records they join. */
export type DerivedEdges = {
  readonly edges: readonly EdgeTuple[];
  readonly nodes: readonly RefNode[];
  readonly truncated: 'edges' | undefined;
};

/**
 * The maximum number of count rows read at once. Rows cover many edges each, except for callers with limited
 * visibility, where each row may be a single edge.
 */
const MAX_COUNTS = 200_000;

const createCountOptions = (engine: Engine, principal: Principal, includeDeleted: boolean): EdgeCountOptions => ({
  ...typeVisibilityOf(engine, principal),
  includeDeleted,
  limit: MAX_COUNTS + 1,
});

/** A request for derived edges: around some records or all of them, for a principal, with the edges to count. */
type DerivedEdgesRequest = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly around: readonly string[] | undefined;
  readonly counting: EdgeCountOptions;
};

type VisibleCountRows<R> = { readonly rows: readonly R[]; readonly truncated: 'edges' | undefined };

/** Keeps the counts between records that the caller may see. */
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

/** The number of edges from one record to another. */
type EdgeCount = { readonly from: string; readonly to: string; readonly edges: number };

/** Sums partial counts, without edges from a record to itself. */
const sumCounts = (parts: Iterable<EdgeCount>): readonly EdgeCount[] => {
  const sums = new Map<string, EdgeCount>();
  for (const { from, to, edges } of parts) {
    if (from === to) continue;
    const key = `${from}\u0001${to}`;
    sums.set(key, { from, to, edges: (sums.get(key)?.edges ?? 0) + edges });
  }
  return [...sums.values()];
};

/** Returns the kind of service at the root of a kind, at any distance, if there is one. */
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

/** A service by kind and name; the full name of every record in it starts with this name. */
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

/** Returns the pipelines that the caller may see and that count in this request. */
const readCountedPipelines = async (
  engine: Engine,
  principal: Principal,
  ids: readonly (string | null)[],
  includeDeleted: boolean,
): Promise<ReadonlyMap<string, RefNode>> => {
  const seen = await readVisibleReferences(engine, principal, ids);
  return new Map(seen.flatMap((node) => (includeDeleted || node.deleted !== true ? [[node.id, node]] : [])));
};

type CountedEdges = {
  readonly counts: readonly EdgeCount[];
  readonly truncated: 'edges' | undefined;
  readonly nodeOf: (key: string) => Promise<RefNode | undefined>;
  /** Returns the name under which the counts list a record. */
  readonly keyOf: (node: RefNode) => string;
};

/** Data that runs through a pipeline of another service counts as two edges, to and from that service. */
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

type RecordCount = { readonly fromId: string; readonly toId: string; readonly edges: number };

const toEdgeCount = ({ fromId, toId, edges }: RecordCount): EdgeCount => ({ from: fromId, to: toId, edges });

const lookUpById = ({ store }: Engine): Pick<CountedEdges, 'nodeOf' | 'keyOf'> => ({
  nodeOf: (id) => store.referenceById(id),
  keyOf: ({ id }) => id,
});

/** Turns counts between the records that determine domains into counts between these domains. */
const countForDomains = async ({ graph }: Engine, rows: readonly EdgeCount[]): Promise<readonly EdgeCount[]> => {
  const ids = [...new Set(rows.flatMap(({ from, to }) => [from, to]))];
  const found = await graph.read(readNearestDomains, { ids });
  const domains = new Map(found.map(({ id, domainIds }) => [id, domainIds]));
  const domainsOf = (id: string) => domains.get(id) ?? [];
  return rows.flatMap(({ from, to, edges }) =>
    domainsOf(from).flatMap((one) => domainsOf(to).map((other) => ({ from: one, to: other, edges }))),
  );
};

/** Records inherit the domains of their parents unless they have domains of their own. */
const countBetweenDomains = async (asked: DerivedEdgesRequest): Promise<CountedEdges> => {
  const { rows, truncated } = await countBetweenHolders(asked);
  return { counts: sumCounts(await countForDomains(asked.engine, rows)), truncated, ...lookUpById(asked.engine) };
};

const countBetweenDataProducts = async (asked: DerivedEdgesRequest): Promise<CountedEdges> => {
  const { engine, counting, around } = asked;
  const found = around
    ? await engine.graph.read(countProductEdges.around, { ...counting, ids: around })
    : await engine.graph.read(countProductEdges.between, counting);
  const { rows, truncated } = await filterVisibleCounts(asked, found);
  return { counts: sumCounts(rows.map(toEdgeCount)), truncated, ...lookUpById(engine) };
};

const readDomainSupplies = async (
  { graph }: Engine,
  { includeDeleted, limit }: EdgeCountOptions,
): Promise<readonly EdgeCount[]> => {
  const rows = await graph.read(listDomainSupplies, { includeDeleted, limit });
  return rows.flatMap(({ fromId, toIds, edges }) =>
    toIds.map((to, at) => ({ from: fromId, to, edges: edges[at] ?? 0 })),
  );
};

/**
 * Counts the edges between the records that determine domains: assets with a domain of their own, and what holds the
 * others. Where the caller may see all records, the counts are kept.
 */
const countBetweenHolders = async (asked: DerivedEdgesRequest): Promise<VisibleCountRows<EdgeCount>> => {
  const { engine, principal, counting, around } = asked;
  if (canSeeEverything(engine, principal)) {
    const rows = await readDomainSupplies(engine, counting);
    return { rows: rows.slice(0, MAX_COUNTS), truncated: rows.length === counting.limit ? 'edges' : undefined };
  }
  const found = around
    ? await engine.graph.read(countDomainEdges.around, { ...counting, ids: around })
    : await engine.graph.read(countDomainEdges.between, counting);
  const { rows, truncated } = await filterVisibleCounts(asked, found);
  return { rows: rows.map(toEdgeCount), truncated };
};

const readOtherSupplies = async (
  { engine, counting: { includeDeleted, limit }, around }: DerivedEdgesRequest,
  view: PlatformView,
): Promise<readonly EdgeCount[]> => {
  const entityTypes = engine.registry.kinds.filter((kind) => kind.platformView === view).map((kind) => kind.entityType);
  const rows = await engine.graph.read(listSupplies, { view, entityTypes, ids: around ?? null, includeDeleted, limit });
  return rows.map(toEdgeCount);
};

/** Reads the counts that are kept, for callers who may see all records. */
const readSupplies = async (asked: DerivedEdgesRequest, view: PlatformView): Promise<CountedEdges> => {
  if (view === 'domain') return countBetweenDomains(asked);
  const found = await readOtherSupplies(asked, view);
  const truncated = found.length === asked.counting.limit ? ('edges' as const) : undefined;
  return { counts: sumCounts(found.slice(0, MAX_COUNTS)), truncated, ...lookUpById(asked.engine) };
};

const COUNT_BY_VIEW: Readonly<Record<PlatformView, typeof countBetweenServices>> = {
  service: countBetweenServices,
  domain: countBetweenDomains,
  dataProduct: countBetweenDataProducts,
};

type DerivedEdgesOptions = {
  readonly includeDeleted: boolean;
  readonly around?: readonly RefNode[];
  /** Records that need not be read again. */
  readonly known?: readonly RefNode[];
};

/**
 * Reads the derived edges of one platform view that the caller may see: all of them, or those around some records of
 * the view. The latter costs only as much as there is around these records.
 */
export const readDerivedEdges = async (
  engine: Engine,
  principal: Principal,
  view: PlatformView,
  { includeDeleted, around, known = around ?? [] }: DerivedEdgesOptions,
): Promise<DerivedEdges> => {
  const counting = createCountOptions(engine, principal, includeDeleted);
  const ids = around?.map(({ id }) => id);
  const asked = { engine, principal, around: ids, counting };
  const { counts, truncated, nodeOf, keyOf } = canSeeEverything(engine, principal)
    ? await readSupplies(asked, view)
    : await COUNT_BY_VIEW[view](asked);
  const middle = around && new Set(around.map(keyOf));
  // Counting around some records also yields partial counts between two other records; these are dropped because they
  // do not cover all edges between the two.
  const whole = counts.filter(({ from, to }) => !middle || middle.has(from) || middle.has(to));
  const keys = [...new Set(whole.flatMap(({ from, to }) => [from, to]))];
  const read = new Map(known.map((node) => [keyOf(node), node]));
  const nodes = new Map<string, RefNode>();
  await Promise.all(
    keys.map(async (key) => {
      const node = read.get(key) ?? (await nodeOf(key));
      const isOfView = node && engine.registry.byType.get(node.entityType)?.platformView === view;
      if (isOfView && (includeDeleted || node.deleted !== true)) nodes.set(key, node);
    }),
  );
  const edges = whole.flatMap(({ from, to, edges: assetEdges }): EdgeTuple[] => {
    const [one, other] = [nodes.get(from), nodes.get(to)];
    return one && other ? [[one.id, other.id, null, serializeDerivedDetails(assetEdges)]] : [];
  });
  return { edges, nodes: [...nodes.values()], truncated };
};

/**
 * Reads how many edges lead from what holds assets to what holds others, such as schemas, as far as the caller may see
 * these edges. An asset with a domain of its own stands for itself.
 */
export const readHolderEdges = async (
  engine: Engine,
  principal: Principal,
  includeDeleted: boolean,
): Promise<Omit<DerivedEdges, 'nodes'>> => {
  const counting = createCountOptions(engine, principal, includeDeleted);
  const { rows, truncated } = await countBetweenHolders({ engine, principal, around: undefined, counting });
  const edges = sumCounts(rows).map(
    ({ from, to, edges: assetEdges }): EdgeTuple => [from, to, null, serializeDerivedDetails(assetEdges)],
  );
  return { edges, truncated };
};
