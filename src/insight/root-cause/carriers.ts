import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { checkPermissions } from '../../catalog/read/facts.ts';
import { requireKind } from '../../catalog/registry.ts';
import { findEndpointsByIds } from '../../lineage/endpoints.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { operationsToReadFields } from '../../model/kind/required-operations.ts';
import { listCarriers } from './queries.ts';
import type { CauseCandidate } from './rank-suspects.ts';

/** Finds the pipelines that bring data to assets upstream. An edge names its pipeline, which is no asset on the way itself. */

const MAX_EDGES = 20_000;

/** What lies upstream, before it is known what happened there. */
export type Place = Omit<CauseCandidate, 'evidence'> & { readonly entityType: string };

/** The type of what has runs. Edges may also name stored procedures, whose runs nobody reports. */
const PIPELINE = 'pipeline';

/** The members of a pipeline that tell of its runs. */
const RUN_FIELDS: ReadonlySet<string> = new Set(['pipelineStatus', 'tasks']);

/** Puts a pipeline right above the nearest asset that it brings data to; it covers what all of them cover. */
const placeAbove = ({ id, entityType, fullyQualifiedName }: RefNode, fed: readonly Place[]): Place | undefined => {
  const [nearest] = [...fed].sort(
    (one, other) => one.depth - other.depth || (one.fullyQualifiedName < other.fullyQualifiedName ? -1 : 1),
  );
  if (!nearest) return undefined;
  return {
    id,
    entityType,
    fullyQualifiedName,
    depth: nearest.depth + 1,
    trail: [id, ...nearest.trail],
    covers: new Set(fed.flatMap(({ covers }) => [...covers])),
  };
};

/** A pipeline may also be an asset on the way: then the nearer place counts. */
const unitePlaces = (one: Place, other: Place | undefined): Place => {
  if (!other) return one;
  const nearer = other.depth <= one.depth ? other : one;
  return { ...nearer, covers: new Set([...one.covers, ...other.covers]) };
};

/** Leaves only the pipelines whose runs the caller may read. */
export const filterReadablePipelines = async (
  engine: Engine,
  principal: Principal,
  ids: readonly string[],
): Promise<readonly string[]> => {
  const operations = operationsToReadFields(requireKind(engine.registry, PIPELINE), RUN_FIELDS);
  const records = ids.map((entityId) => ({ entityType: PIPELINE, entityId }));
  const isReadable = await checkPermissions(engine, principal, operations, records);
  return ids.filter((_, at) => isReadable[at]);
};

export type PlacesWithCarriers = {
  readonly places: ReadonlyMap<string, Place>;
  /** The pipelines among the places, those that are assets on the way included. */
  readonly pipelineIds: ReadonlySet<string>;
  readonly cut: string | undefined;
};

/** Adds the pipelines that the caller may see to the places upstream. */
export const addCarriers = async (
  engine: Engine,
  principal: Principal,
  places: ReadonlyMap<string, Place>,
): Promise<PlacesWithCarriers> => {
  const rows = await engine.graph.read(listCarriers, { ids: [...places.keys()], limit: MAX_EDGES });
  const fedBy = new Map<string, Set<Place>>();
  for (const { pipelineId, fromId, toId } of rows) {
    const to = places.get(toId);
    if (!to || !places.has(fromId)) continue;
    fedBy.set(pipelineId, (fedBy.get(pipelineId) ?? new Set()).add(to));
  }
  const pipelines = (await findEndpointsByIds(engine, [...fedBy.keys()])).filter(({ node }) => node.deleted !== true);
  const sees = await readNodeVisibility(
    engine,
    principal,
    pipelines.map(({ node }) => node),
  );
  const all = new Map(places);
  const pipelineIds = new Set(
    [...places.values()].flatMap(({ id, entityType }) => (entityType === PIPELINE ? [id] : [])),
  );
  for (const { node } of pipelines) {
    const { id } = node;
    const above = sees(id) ? placeAbove(node, [...(fedBy.get(id) ?? [])]) : undefined;
    if (!above) continue;
    all.set(id, unitePlaces(above, places.get(id)));
    if (node.entityType === PIPELINE) pipelineIds.add(id);
  }
  return { places: all, pipelineIds, cut: rows.length >= MAX_EDGES ? 'edges' : undefined };
};
