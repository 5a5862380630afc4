import type { Engine } from '../../catalog/engine.ts';
import { badRequest, notFound } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { type ColumnNameMapper, renameMappings } from '../../lineage/column-mappings.ts';
import { type Assertion, buildContent, decodeAssertion, type EdgeState } from '../../lineage/edge.ts';
import { type Endpoint, findEndpointsByIds } from '../../lineage/endpoints.ts';
import { listAdjacentEdges, listEdgesOfColumns, listEdgesViaPipeline } from '../../lineage/queries.ts';
import { isPipeline } from '../../lineage/read/read-subgraph.ts';
import { type EdgeStore, foreseeAssertion } from '../../lineage/write/edge-store.ts';
import { prepareAssertion, type ResolvedEdge } from '../../lineage/write/put-edge.ts';
import { fqnPart } from '../../model/name.ts';
import type { ColumnMoves } from './column-overlay.ts';
import {
  edgesCarriedBy,
  edgesTouching,
  type Overlay,
  type OverlayEdge,
  pairKeyOf,
  readOverlayEdge,
  setEdge,
} from './overlay.ts';
import { correctColumnKeys } from './overlay-columns.ts';
import { createOverlayEngine } from './overlay-engine.ts';

/** Changes the edges of an overlay as the writes of lineage would change those that are stored. */

/** So many edges are read at once; reads that arrive together share statements. */
const AT_ONCE = 64;

/** Reads edges and their columns as they would be by now. Nothing is written, so no event needs its subject. */
export const openOverlayEdges = (overlay: Overlay): EdgeStore => {
  const { graph } = overlay.stored;
  const findColumns = correctColumnKeys(overlay);
  return {
    engine: createOverlayEngine(overlay),
    subject: async () => undefined,
    read: async (key) => {
      const known = overlay.edges.get(pairKeyOf(key.from, key.to));
      const isNew = overlay.added.has(key.from) || overlay.added.has(key.to);
      const stored = isNew ? undefined : await overlay.storedEdges.read(key);
      const state = known ? known.after : stored?.state;
      if (stored && !overlay.columns.has(key.from) && !overlay.columns.has(key.to))
        return { state, known: stored.known };
      const wanted = { id: key.from, keys: key.keys, names: [] };
      const columns = await findColumns((statement, params) => graph.read(statement, params), wanted);
      const names = new Map(columns.map(({ key: column, name }) => [column, name]));
      return { state, known: { columns: names, parts: stored?.known.parts ?? new Map() } };
    },
  };
};

/** States an edge as `PUT /v1/lineage` would. */
export const stateEdge = async (
  overlay: Overlay,
  edges: EdgeStore,
  found: ResolvedEdge,
  keepsUnsaid = false,
): Promise<void> => {
  const { from, to } = found;
  const { assertion } = await prepareAssertion(edges, found, { strictColumns: false, keepsUnsaid });
  const edge = await readOverlayEdge(overlay, from, to);
  const after = foreseeAssertion(overlay.principal, edge.after, assertion, edges.engine.clock());
  if (after !== edge.after) setEdge(overlay, { ...edge, after });
};

export const endEdge = async (overlay: Overlay, from: Endpoint, to: Endpoint): Promise<void> => {
  const edge = await readOverlayEdge(overlay, from, to);
  if (!edge.after) throw notFound('Lineage edge not found');
  setEdge(overlay, { ...edge, after: undefined });
};

/** Withdraws what some assertions say of an edge; without any left, it ends. */
export const withdrawFromEdge = async (
  overlay: Overlay,
  from: Endpoint,
  to: Endpoint,
  isWithdrawn: (assertion: Assertion) => boolean,
): Promise<void> => {
  const edge = await readOverlayEdge(overlay, from, to);
  if (!edge.after?.assertions.some(isWithdrawn)) return;
  const assertions = edge.after.assertions.filter((one) => !isWithdrawn(one));
  setEdge(overlay, { ...edge, after: assertions.length === 0 ? undefined : { ...edge.after, assertions } });
};

const mapAssertions = (edge: OverlayEdge, change: (assertion: Assertion) => Assertion): OverlayEdge => ({
  ...edge,
  after: edge.after && { ...edge.after, assertions: edge.after.assertions.map(change) },
});

const mapColumns = (edge: OverlayEdge, from: ColumnNameMapper, to: ColumnNameMapper): OverlayEdge =>
  mapAssertions(edge, (assertion) => {
    const mappings = renameMappings(assertion.content.mappings, from, to);
    return { ...assertion, content: { ...assertion.content, mappings } };
  });

/** Reads stored edges into the overlay, as they are. */
const takeEdges = async (
  overlay: Overlay,
  rows: readonly { readonly fromId: string; readonly toId: string; readonly state?: EdgeState }[],
): Promise<void> => {
  const fresh = rows.filter(({ fromId, toId }) => !overlay.edges.has(pairKeyOf(fromId, toId)));
  const ids = [...new Set(fresh.flatMap(({ fromId, toId }) => [fromId, toId]))];
  const ends = new Map((await findEndpointsByIds(overlay.stored, ids)).map((end) => [end.id, end]));
  await mapConcurrently(fresh, AT_ONCE, async ({ fromId, toId, state }) => {
    const [from, to] = [ends.get(fromId), ends.get(toId)];
    // An end that was removed meanwhile has no edges any more.
    if (!from || !to) return;
    const edge = state
      ? { id: state.id, from, to, before: state, after: state }
      : await readOverlayEdge(overlay, from, to);
    // Another change may have touched it while it was read.
    if (!overlay.edges.has(pairKeyOf(fromId, toId))) setEdge(overlay, edge);
  });
};

/** Gives the mappings of an asset's edges the new names of its columns, and ends those of columns that are gone. */
export const moveEdgeColumns = async (
  overlay: Overlay,
  asset: Endpoint,
  { keys, names }: ColumnMoves,
): Promise<void> => {
  if (keys.length === 0) return;
  const rows = overlay.added.has(asset.id) ? [] : await overlay.stored.graph.read(listEdgesOfColumns, { keys });
  await takeEdges(
    overlay,
    rows.map(({ fromId, toId, edge, assertions }) => ({
      fromId,
      toId,
      state: {
        id: edge['id'] as string,
        since: edge['since'] as number,
        revision: edge['revision'] as number,
        assertions: assertions.filter((one) => (one['until'] ?? null) === null).map(decodeAssertion),
      },
    })),
  );
  const own: ColumnNameMapper = (name) => (names.has(name) ? names.get(name) : name);
  const same: ColumnNameMapper = (name) => name;
  for (const edge of edgesTouching(overlay, asset.id)) {
    const [from, to] = [edge.from.id === asset.id ? own : same, edge.to.id === asset.id ? own : same];
    const isNamed = edge.after?.assertions.some(({ content }) =>
      content.mappings.some(
        (mapping) => mapping.from.some((name) => from(name) !== name) || to(mapping.to) !== mapping.to,
      ),
    );
    if (!isNamed) continue;
    setEdge(overlay, mapColumns(edge, from, to));
  }
};

/** Ends the mappings of a record that represents a column of others, such as a chart. */
const endPartMappings = async (overlay: Overlay, { id, node }: Endpoint): Promise<void> => {
  const rows = await overlay.stored.graph.read(listEdgesOfColumns, { keys: [id] });
  await takeEdges(overlay, rows);
  const lost: ColumnNameMapper = (name) => (name === fqnPart(node.name) ? undefined : name);
  const same: ColumnNameMapper = (name) => name;
  for (const { fromId, toId, joined } of rows) {
    const edge = overlay.edges.get(pairKeyOf(fromId, toId));
    if (!edge) continue;
    const sides = new Set(joined.map(([, isFrom]) => isFrom));
    setEdge(overlay, mapColumns(edge, sides.has(true) ? lost : same, sides.has(false) ? lost : same));
  }
};

const representsColumns = ({ registry }: Engine, { kind }: Endpoint): boolean =>
  registry.kinds.some(({ lineageParts }) => lineageParts?.kind === kind.entityType);

/** The number of edges that a removed asset may have. */
const MAX_ENDED = 20_000;

/** Ends the edges of an asset, and no longer has others run through it. */
export const endEdgesOf = async (overlay: Overlay, asset: Endpoint): Promise<void> => {
  const { graph } = overlay.stored;
  const adjacent = overlay.added.has(asset.id)
    ? []
    : await graph.read(listAdjacentEdges, { rows: [{ id: asset.id, at: 0 }], edges: MAX_ENDED });
  if (adjacent.some(({ isCut }) => isCut)) throw badRequest(`The asset has more than ${MAX_ENDED} edges`);
  const carried = isPipeline(asset) ? await graph.read(listEdgesViaPipeline, { id: asset.id, limit: MAX_ENDED }) : [];
  const tuples = [...adjacent.flatMap(({ above, below }) => [...above, ...below]), ...carried.map(({ edge }) => edge)];
  await takeEdges(
    overlay,
    tuples.map(([fromId, toId]) => ({ fromId, toId })),
  );
  if (representsColumns(overlay.stored, asset)) await endPartMappings(overlay, asset);
  for (const edge of edgesTouching(overlay, asset.id)) setEdge(overlay, { ...edge, after: undefined });
  if (!isPipeline(asset)) return;
  for (const edge of edgesCarriedBy(overlay, asset.id)) {
    if (!edge.after?.assertions.some(({ content }) => content.pipelineId === asset.id)) continue;
    const without = mapAssertions(edge, (assertion) =>
      assertion.content.pipelineId === asset.id
        ? { ...assertion, content: buildContent({ ...assertion.content, pipelineId: undefined }) }
        : assertion,
    );
    setEdge(overlay, without);
  }
};

/** Reads the stored edges that lead to an asset. */
export const listEnteringEdges = async (
  overlay: Overlay,
  assets: readonly Endpoint[],
): Promise<readonly OverlayEdge[]> => {
  const rows = assets.map(({ id }, at) => ({ id, at }));
  const found = await overlay.stored.graph.read(listAdjacentEdges, { rows, edges: MAX_ENDED });
  const ids = new Set(assets.map(({ id }) => id));
  await takeEdges(
    overlay,
    found.flatMap(({ above }) => above.map(([fromId, toId]) => ({ fromId, toId }))),
  );
  return [...overlay.edges.values()].filter(({ to }) => ids.has(to.id));
};
