import type { Principal } from '../../access/principal.ts';
import { staleStateError } from '../../catalog/plan/step.ts';
import { badRequest, notFound } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import type { JsonObject } from '../../model/json.ts';
import { DEFAULT_LINEAGE_SOURCE, LINEAGE_SOURCES } from '../../model/schemas/lineage/lineage.ts';
import { collectColumnKeys, resolveMappings } from '../column-mappings.ts';
import { buildContent, type EdgeState, type MergedEdge } from '../edge.ts';
import { type Endpoint, findEndpointsByIds, permitLineageEdit, resolvePipeline } from '../endpoints.ts';
import { mergeAssertions } from '../merge-assertions.ts';
import { type EndpointIds, listEdgesOfSource, listPipelineEdgesOfSource } from '../queries.ts';
import { type PipelineLookup, renderEdgeDetails } from '../render-edge.ts';
import {
  type EdgeResult,
  type EdgeStore,
  readEdge,
  retryEdgeOnConflict,
  withdrawAssertions,
  writeAssertion,
} from './edge-store.ts';
import { patchContent, patchDetails } from './patch-details.ts';
import { type EdgeDetailsInput, pipelinePointer } from './put-edge.ts';

const edgeNotFound = () => notFound('Lineage edge not found');

const endpointNames = ({ from, to }: { readonly from: Endpoint; readonly to: Endpoint }) => ({
  from: from.fullyQualifiedName,
  to: to.fullyQualifiedName,
});

type PresentEdge = { readonly state: EdgeState; readonly merged: MergedEdge };

const requirePresentEdge = (state: EdgeState | undefined): PresentEdge => {
  const merged = state && mergeAssertions(state.assertions);
  if (!state || !merged) throw edgeNotFound();
  return { state, merged };
};

/** Reads an existing edge and its merged details. Throws not_found when there is none. */
export const readPresentEdge = async (edges: EdgeStore, from: Endpoint, to: Endpoint): Promise<PresentEdge> =>
  requirePresentEdge((await readEdge(edges, from, to)).state);

/** Loads the pipeline of an edge as the caller may see it. */
export type RenderPipeline = (merged: MergedEdge) => Promise<PipelineLookup>;

/** The details of an edge after a patch, and the columns of the patch that are unknown. */
type PatchedEdge = { readonly details: JsonObject; readonly unknown: readonly string[] };

/** Applies a JSON patch to the details of an edge and returns the new details. */
export const patchEdge = async (
  edges: EdgeStore,
  principal: Principal,
  { from, to }: { readonly from: Endpoint; readonly to: Endpoint },
  body: unknown,
  showCarrier: RenderPipeline,
): Promise<PatchedEdge> => {
  let unknown: readonly string[] = [];
  let seen = await readPresentEdge(edges, from, to);
  await permitLineageEdit(edges.engine, principal, [from, to]);
  const names = endpointNames({ from, to });
  const { state: after } = await retryEdgeOnConflict(edges, from, to, async () => {
    const { state: before, merged } = seen;
    const shown = renderEdgeDetails(merged, names, await showCarrier(merged));
    const details: EdgeDetailsInput = patchDetails(shown, body);
    const requestedMappings = details.columnsLineage ?? [];
    // Columns named in the patch are read together with the current state of the edge.
    const { state, known } = await readEdge(edges, from, to, collectColumnKeys(from, to, requestedMappings));
    seen = requirePresentEdge(state);
    if (seen.state.revision !== before.revision) throw staleStateError();
    const pointer = pipelinePointer(edges, details);
    const isSame = pointer?.id !== undefined && pointer.id === merged.pipelineId;
    const carrier = pointer === undefined || isSame ? undefined : await resolvePipeline(edges.engine, pointer);
    // A patch without a pipeline keeps a pipeline that the caller may not see.
    const isHidden = shown['pipeline'] === undefined && pointer === undefined;
    const pipelineId = isSame || isHidden ? merged.pipelineId : carrier?.id;
    const understood = resolveMappings(from, to, requestedMappings, known);
    const { sqlQuery, description, tempLineageTables } = details;
    const { mappings } = understood;
    const content = buildContent({ sqlQuery, description, mappings, pipelineId, tempLineageTables });
    const source = details.source ?? merged.source ?? DEFAULT_LINEAGE_SOURCE;
    const own = before.assertions.find((assertion) => assertion.source === source);
    const shownDescription = shown['description'] as string | undefined;
    const patchedContent = patchContent(own, merged, { content, shownDescription });
    const { fromKeys, toKeys } = understood;
    unknown = understood.unknown;
    return writeAssertion(
      edges,
      principal,
      [from, to],
      { state, known },
      { source, content: patchedContent, fromKeys, toKeys },
    );
  });
  const { merged } = requirePresentEdge(after);
  return { details: renderEdgeDetails(merged, names, await showCarrier(merged)), unknown };
};

/** Removes an edge, whichever sources assert it. */
export const removeEdge = async (
  edges: EdgeStore,
  principal: Principal,
  from: Endpoint,
  to: Endpoint,
): Promise<void> => {
  await readPresentEdge(edges, from, to);
  await permitLineageEdit(edges.engine, principal, [from, to]);
  await retryEdgeOnConflict(edges, from, to, async () => {
    const { state } = await readPresentEdge(edges, from, to);
    return withdrawAssertions(edges, principal, [from, to], state, () => true);
  });
};

/** Parses the source in a path. */
export const parseSource = (text: string): string => {
  const known = LINEAGE_SOURCES.find((source) => source === text);
  if (!known) throw badRequest(`Lineage source ${text.slice(0, 100)} is not known`);
  return known;
};

/** Edges of these sources run through a pipeline and can be found by it. */
const PIPELINE_SOURCES: ReadonlySet<string> = new Set(['PipelineLineage', 'OpenLineage']);

/** The number of edges changed concurrently. */
const CONCURRENT_EDGES = 500;

/** Withdraws the assertion of a source from one edge. */
export const withdrawSourceFromEdge = async (
  edges: EdgeStore,
  principal: Principal,
  from: Endpoint,
  to: Endpoint,
  source: string,
): Promise<void> => {
  await retryEdgeOnConflict(edges, from, to, async (): Promise<EdgeResult> => {
    const { state } = await readEdge(edges, from, to);
    if (!state) return { outcome: 'same', state };
    return withdrawAssertions(edges, principal, [from, to], state, (assertion) => assertion.source === source);
  });
};

const readEdgesOfSource = ({ engine }: EdgeStore, { id }: Endpoint, source: string): Promise<EndpointIds[]> =>
  engine.graph.read(PIPELINE_SOURCES.has(source) ? listPipelineEdgesOfSource : listEdgesOfSource, { id, source });

/** Withdraws the assertions of a source from all edges into a record or through it. */
export const withdrawSource = async (
  edges: EdgeStore,
  principal: Principal,
  site: Endpoint,
  source: string,
): Promise<void> => {
  const { engine } = edges;
  await permitLineageEdit(engine, principal, [site]);
  const found = await readEdgesOfSource(edges, site, source);
  const pairs = await Promise.all(found.map(({ from, to }) => findEndpointsByIds(engine, [from, to])));
  await permitLineageEdit(engine, principal, pairs.flat());
  await mapConcurrently(pairs, CONCURRENT_EDGES, async ([from, to]) => {
    if (from && to) await withdrawSourceFromEdge(edges, principal, from, to, source);
  });
};
