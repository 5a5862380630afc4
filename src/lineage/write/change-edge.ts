import type { Principal } from '../../access/principal.ts';
import { staleStateError } from '../../catalog/plan/step.ts';
import { badRequest } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import type { JsonObject } from '../../model/json.ts';
import { LINEAGE_SOURCES } from '../../model/schemas/lineage/lineage.ts';
import { collectColumnKeys, resolveMappings } from '../column-mappings.ts';
import { type Asserter, buildContent, type EdgeState, isSameAsserter, type MergedEdge } from '../edge.ts';
import { type Endpoint, findEndpointsByIds, permitLineageEdit, resolvePipeline } from '../endpoints.ts';
import { mergeAssertions } from '../merge-assertions.ts';
import { type EndpointIds, listEdgesOfSource, listPipelineEdgesOfSource } from '../queries.ts';
import { type PipelineLookup, renderEdgeDetails } from '../render-edge.ts';
import {
  type EdgeResult,
  type EdgeStore,
  edgeNotFound,
  readEdge,
  retryEdgeOnConflict,
  unchangedEdge,
  withdrawAssertions,
  writeAssertion,
} from './edge-store.ts';
import { patchContent, patchDetails } from './patch-details.ts';
import { type EdgeDetailsInput, pipelinePointer } from './put-edge.ts';

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

type EdgePatchOptions = {
  readonly renderPipeline: RenderPipeline;
  /** Whether to check everything and write nothing. */
  readonly isDryRun: boolean;
};

/** Whose assertion a patch changes: the newest, unless it names another. A name that was shown belongs to its source. */
const patchedAsserter = ({ source, sourceName }: EdgeDetailsInput, merged: MergedEdge): Asserter => {
  const isOther = source !== undefined && source !== merged.source && sourceName === merged.sourceName;
  return { source: source ?? merged.source, sourceName: isOther ? undefined : sourceName };
};

/** Applies a JSON patch to the details of an edge and returns the new details. */
export const patchEdge = async (
  edges: EdgeStore,
  principal: Principal,
  { from, to }: { readonly from: Endpoint; readonly to: Endpoint },
  body: unknown,
  { renderPipeline, isDryRun }: EdgePatchOptions,
): Promise<PatchedEdge> => {
  let unknown: readonly string[] = [];
  let seen = await readPresentEdge(edges, from, to);
  await permitLineageEdit(edges.engine, principal, [from, to]);
  const names = endpointNames({ from, to });
  const { state: after } = await retryEdgeOnConflict(edges, from, to, async () => {
    const { state: before, merged } = seen;
    const shown = renderEdgeDetails(merged, names, await renderPipeline(merged));
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
    const asserter = patchedAsserter(details, merged);
    const own = before.assertions.find((assertion) => isSameAsserter(assertion, asserter));
    const shownDescription = shown['description'] as string | undefined;
    const patchedContent = patchContent(own, merged, { content, shownDescription });
    const { fromKeys, toKeys } = understood;
    unknown = understood.unknown;
    if (isDryRun) return unchangedEdge(seen);
    return writeAssertion(
      edges,
      principal,
      [from, to],
      { state, known },
      { ...asserter, content: patchedContent, fromKeys, toKeys },
    );
  });
  const { merged } = requirePresentEdge(after);
  return { details: renderEdgeDetails(merged, names, await renderPipeline(merged)), unknown };
};

/** Withdraws the assertions that `withdraws` selects from an edge that must exist; the caller must have checked the permission. */
export const withdrawFromPresentEdge = (
  edges: EdgeStore,
  principal: Principal,
  [from, to]: readonly [Endpoint, Endpoint],
  withdraws: (assertion: Asserter) => boolean,
): Promise<EdgeResult> =>
  retryEdgeOnConflict(edges, from, to, async () => {
    const { state } = await readPresentEdge(edges, from, to);
    return withdrawAssertions(edges, principal, [from, to], state, withdraws);
  });

/** Removes an edge, whichever sources assert it. */
export const removeEdge = async (
  edges: EdgeStore,
  principal: Principal,
  from: Endpoint,
  to: Endpoint,
): Promise<void> => {
  await readPresentEdge(edges, from, to);
  await permitLineageEdit(edges.engine, principal, [from, to]);
  await withdrawFromPresentEdge(edges, principal, [from, to], () => true);
};

/** Parses the source in a path. */
export const parseSource = (text: string): string => {
  const known = LINEAGE_SOURCES.find((source) => source === text);
  if (!known) throw badRequest(`Lineage source ${text.slice(0, 100)} is not known`);
  return known;
};

/** What to withdraw, and the ID of the record whose edges alone are meant. */
export type Withdrawal = Asserter & { readonly from?: string | undefined };

/** Edges of these sources run through a pipeline and can be found by it. */
const PIPELINE_SOURCES: ReadonlySet<string> = new Set(['PipelineLineage', 'OpenLineage']);

/** The number of edges changed concurrently. */
const CONCURRENT_EDGES = 500;

/** Whose assertions are withdrawn: those of a source, or with its name those of one of the several that share it. */
const isWithdrawnBy =
  ({ source, sourceName }: Asserter) =>
  (assertion: Asserter): boolean =>
    assertion.source === source && (sourceName === undefined || assertion.sourceName === sourceName);

/** Withdraws the assertions of a source from one edge. */
export const withdrawSourceFromEdge = async (
  edges: EdgeStore,
  principal: Principal,
  from: Endpoint,
  to: Endpoint,
  asserter: Asserter,
): Promise<void> => {
  await retryEdgeOnConflict(edges, from, to, async (): Promise<EdgeResult> => {
    const { state } = await readEdge(edges, from, to);
    if (!state) return { outcome: 'same', state };
    return withdrawAssertions(edges, principal, [from, to], state, isWithdrawnBy(asserter));
  });
};

const readEdgesOfSource = (
  { engine }: EdgeStore,
  { id }: Endpoint,
  { source, sourceName }: Withdrawal,
): Promise<EndpointIds[]> => {
  const statement = PIPELINE_SOURCES.has(source) ? listPipelineEdgesOfSource : listEdgesOfSource;
  return engine.graph.read(statement, { id, source, sourceName: sourceName ?? null });
};

/** Withdraws the assertions of a source from all edges into a record or through it, or from those that leave one. */
export const withdrawSource = async (
  edges: EdgeStore,
  principal: Principal,
  site: Endpoint,
  withdrawal: Withdrawal,
): Promise<void> => {
  const { engine } = edges;
  await permitLineageEdit(engine, principal, [site]);
  const { from: only } = withdrawal;
  const known = await readEdgesOfSource(edges, site, withdrawal);
  const found = known.filter(({ from }) => only === undefined || from === only);
  const pairs = await Promise.all(found.map(({ from, to }) => findEndpointsByIds(engine, [from, to])));
  await permitLineageEdit(engine, principal, pairs.flat());
  await mapConcurrently(pairs, CONCURRENT_EDGES, async ([from, to]) => {
    if (from && to) await withdrawSourceFromEdge(edges, principal, from, to, withdrawal);
  });
};
