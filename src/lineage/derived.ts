import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { acceptedIds, VIEW } from '../catalog/read/facts.ts';
import type { Registry } from '../catalog/registry.ts';
import type { Kind } from '../model/kind.ts';
import type { PlatformView } from '../model/lineage-values.ts';
import { scopesOf } from '../model/name.ts';
import { derivedText } from './edge.ts';
import {
  countBetweenPlaces,
  countBetweenProducts,
  countBetweenServices,
  type EdgeTuple,
  listJoined,
} from './queries.ts';
import { sightOf } from './sight.ts';

/**
 * Edges between services, between domains and between data products follow from those between the records that belong to
 * them. They are counted whenever they are asked for: what is stored nowhere cannot be wrong.
 */

/** Edges that follow from others, and the records they join. */
export type Derived = { readonly edges: readonly EdgeTuple[]; readonly nodes: readonly RefNode[] };

/** Which edges count: those between records that somebody may see, and perhaps only between living ones. */
type Counting = {
  readonly hiddenTypes: readonly string[];
  readonly hiddenIds: readonly string[];
  readonly includeDeleted: boolean;
};

const countingFor = async (engine: Engine, principal: Principal, includeDeleted: boolean): Promise<Counting> => {
  const rights = engine.registry.kinds.map(({ entityType }) => ({
    entityType,
    filter: engine.judge.filter(principal, VIEW, entityType),
  }));
  const hiddenTypes = rights.flatMap(({ entityType, filter }) => (filter === 'none' ? [entityType] : []));
  const types = rights.flatMap(({ entityType, filter }) => (typeof filter === 'string' ? [] : [entityType]));
  if (types.length === 0) return { hiddenTypes, hiddenIds: [], includeDeleted };
  const joined = await engine.graph.read(listJoined, { types });
  const hidden = types.map(async (type) => {
    const ids = joined.flatMap(({ id, entityType }) => (entityType === type ? [id] : []));
    const seen = new Set(await acceptedIds(engine, principal, VIEW, type, ids));
    return ids.filter((id) => !seen.has(id));
  });
  return { hiddenTypes, hiddenIds: (await Promise.all(hidden)).flat(), includeDeleted };
};

/** So many edges lead from one record to another. */
type Count = { readonly from: string; readonly to: string; readonly edges: number };

/** Adds up what is counted in parts. Nothing is upstream of itself. */
const addUp = (parts: Iterable<Count>): readonly Count[] => {
  const sums = new Map<string, Count>();
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
type Service = { readonly kind: Kind; readonly fqn: string };

const serviceFinder = (registry: Registry) => {
  const kinds = new Map(registry.kinds.map(({ entityType }) => [entityType, serviceKindOf(registry, entityType)]));
  const known = new Map<string, Service>();
  const find = (entityType: string, fqn: string | null | undefined): string | undefined => {
    const kind = kinds.get(entityType);
    if (!kind || !fqn) return undefined;
    const key = `${kind.entityType} ${fqn}`;
    if (!known.has(key)) known.set(key, { kind, fqn });
    return key;
  };
  return { known, find };
};

/** What data runs through, as far as the caller may see it and it counts. */
const readCarriers = async (
  engine: Engine,
  principal: Principal,
  ids: readonly (string | null)[],
  includeDeleted: boolean,
): Promise<ReadonlyMap<string, RefNode>> => {
  const distinct = [...new Set(ids.flatMap((id) => id ?? []))];
  const found = (await Promise.all(distinct.map((id) => engine.store.referenceById(id)))).flatMap((node) => node ?? []);
  const sees = await sightOf(engine, principal, found);
  const counted = found.filter(({ id, deleted }) => sees(id) && (includeDeleted || deleted !== true));
  return new Map(counted.map((node) => [node.id, node]));
};

type Counted = { readonly counts: readonly Count[]; readonly nodeOf: (key: string) => Promise<RefNode | undefined> };

/** Data that runs through a pipeline elsewhere passes by the service of the pipeline. */
const countServices = async (engine: Engine, principal: Principal, counting: Counting): Promise<Counted> => {
  const rows = await engine.graph.read(countBetweenServices, counting);
  const { known, find } = serviceFinder(engine.registry);
  const ids = rows.map(({ pipelineId }) => pipelineId);
  const carriers = await readCarriers(engine, principal, ids, counting.includeDeleted);
  function* parts(): Generator<Count> {
    for (const { fromType, fromScope, toType, toScope, pipelineId, edges } of rows) {
      const carrier = carriers.get(pipelineId ?? '');
      const from = find(fromType, fromScope);
      const to = find(toType, toScope);
      const through = carrier && find(carrier.entityType, scopesOf(carrier.fullyQualifiedName)[0]);
      if (from && to) yield { from, to, edges };
      if (from && through) yield { from, to: through, edges };
      if (through && to) yield { from: through, to, edges };
    }
  }
  return {
    counts: addUp(parts()),
    nodeOf: async (key) => {
      const service = known.get(key);
      return service && engine.store.reference(service.kind, service.fqn);
    },
  };
};

const DOMAINS: ReadonlySet<'domains'> = new Set(['domains']);

/** Records have the domains of what contains them as long as they have none of their own. */
const countDomains = async (engine: Engine, _: Principal, counting: Counting): Promise<Counted> => {
  const rows = await engine.graph.read(countBetweenPlaces, counting);
  const places = [...new Set(rows.flatMap(({ fromId, toId }) => [fromId, toId]))];
  const facts = await engine.facts.many(places, DOMAINS);
  const domainsOf = (id: string) => facts.get(id)?.domainIds ?? [];
  const parts = rows.flatMap(({ fromId, toId, edges }) =>
    domainsOf(fromId).flatMap((from) => domainsOf(toId).map((to) => ({ from, to, edges }))),
  );
  return { counts: addUp(parts), nodeOf: (id) => engine.store.referenceById(id) };
};

const countProducts = async (engine: Engine, _: Principal, counting: Counting): Promise<Counted> => {
  const rows = await engine.graph.read(countBetweenProducts, counting);
  const parts = rows.map(({ fromId, toId, edges }) => ({ from: fromId, to: toId, edges }));
  return { counts: addUp(parts), nodeOf: (id) => engine.store.referenceById(id) };
};

const COUNT: Readonly<Record<PlatformView, typeof countServices>> = {
  service: countServices,
  domain: countDomains,
  dataProduct: countProducts,
};

/** The edges of one view of the platform that follow from those between records that somebody may see. */
export const readDerived = async (
  engine: Engine,
  principal: Principal,
  view: PlatformView,
  { includeDeleted }: { readonly includeDeleted: boolean },
): Promise<Derived> => {
  const counting = await countingFor(engine, principal, includeDeleted);
  const { counts, nodeOf } = await COUNT[view](engine, principal, counting);
  const keys = [...new Set(counts.flatMap(({ from, to }) => [from, to]))];
  const nodes = new Map<string, RefNode>();
  await Promise.all(
    keys.map(async (key) => {
      const node = await nodeOf(key);
      if (node && (includeDeleted || node.deleted !== true)) nodes.set(key, node);
    }),
  );
  const edges = counts.flatMap(({ from, to, edges: assetEdges }): EdgeTuple[] => {
    const [one, other] = [nodes.get(from), nodes.get(to)];
    return one && other ? [[one.id, other.id, null, derivedText(assetEdges)]] : [];
  });
  return { edges, nodes: [...nodes.values()] };
};
