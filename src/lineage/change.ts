import type { Principal } from '../access/principal.ts';
import { stale } from '../catalog/plan/step.ts';
import { badRequest, notFound } from '../errors.ts';
import { sideBySide } from '../graph/side-by-side.ts';
import type { JsonObject } from '../model/json.ts';
import { DEFAULT_SOURCE, LINEAGE_SOURCES } from '../model/lineage-values.ts';
import { understand, wantedColumns } from './columns.ts';
import { type CarrierOf, showDetails } from './details.ts';
import { contentOf, type EdgeState, type Merged } from './edge.ts';
import { assertEdge, type Edges, readEdge, settle, withdrawEdge } from './edges.ts';
import { findCarrier, findEnds, permitEnds, type Site } from './ends.ts';
import { merge } from './merge.ts';
import { contentAfter, patchDetails } from './patch.ts';
import { type Details, pipelinePointer } from './put.ts';
import { type EndIds, listCarriedSaid, listSaid } from './queries.ts';

const noEdge = () => notFound('Lineage edge not found');

const nameOf = ({ from, to }: { readonly from: Site; readonly to: Site }) => ({
  from: from.fullyQualifiedName,
  to: to.fullyQualifiedName,
});

type Standing = { readonly state: EdgeState; readonly merged: Merged };

const detailsIn = (state: EdgeState | undefined): Standing => {
  const merged = state && merge(state.assertions);
  if (!state || !merged) throw noEdge();
  return { state, merged };
};

/** An edge that is there, and how it is shown. Throws not_found when there is none. */
export const readDetails = async (edges: Edges, from: Site, to: Site): Promise<Standing> =>
  detailsIn((await readEdge(edges, from, to)).state);

/** The carrier of an edge as the caller is shown it. */
export type ShowCarrier = (merged: Merged) => Promise<CarrierOf>;

/** Changes the details of an edge by a patch, and answers them. */
export const patchEdge = async (
  edges: Edges,
  principal: Principal,
  { from, to }: { readonly from: Site; readonly to: Site },
  body: unknown,
  showCarrier: ShowCarrier,
): Promise<JsonObject> => {
  let seen = await readDetails(edges, from, to);
  await permitEnds(edges.engine, principal, [from, to]);
  const names = nameOf({ from, to });
  const { state: after } = await settle(edges, from, to, async () => {
    const { state: before, merged } = seen;
    const shown = showDetails(merged, names, await showCarrier(merged));
    const details: Details = patchDetails(shown, body);
    const asked = details.columnsLineage ?? [];
    // The columns that the patch names are read together with the edge as it is by now.
    const { state, known } = await readEdge(edges, from, to, wantedColumns(from, to, asked));
    seen = detailsIn(state);
    if (seen.state.revision !== before.revision) throw stale();
    const pointer = pipelinePointer(edges, details);
    const isSame = pointer?.id !== undefined && pointer.id === merged.pipelineId;
    const carrier = pointer === undefined || isSame ? undefined : await findCarrier(edges.engine, pointer);
    // Out of the caller's sight, what data runs through is none of the caller's concern.
    const isHidden = shown['pipeline'] === undefined && pointer === undefined;
    const pipelineId = isSame || isHidden ? merged.pipelineId : carrier?.id;
    const understood = understand(from, to, asked, known);
    const { sqlQuery, description, tempLineageTables } = details;
    const { mappings } = understood;
    const content = contentOf({ sqlQuery, description, mappings, pipelineId, tempLineageTables });
    const source = details.source ?? merged.source ?? DEFAULT_SOURCE;
    const own = before.assertions.find((assertion) => assertion.source === source);
    const shownDescription = shown['description'] as string | undefined;
    const said = contentAfter(own, merged, { content, shownDescription });
    const { fromKeys, toKeys } = understood;
    return assertEdge(edges, principal, [from, to], { state, known }, { source, content: said, fromKeys, toKeys });
  });
  const { merged } = detailsIn(after);
  return showDetails(merged, names, await showCarrier(merged));
};

/** Ends an edge, whoever says something of it. */
export const removeEdge = async (edges: Edges, principal: Principal, from: Site, to: Site): Promise<void> => {
  await readDetails(edges, from, to);
  await permitEnds(edges.engine, principal, [from, to]);
  await settle(edges, from, to, async () => {
    const { state } = await readDetails(edges, from, to);
    return withdrawEdge(edges, principal, [from, to], state, () => true);
  });
};

/** The source that a path names. */
export const sourceCalled = (text: string): string => {
  const known = LINEAGE_SOURCES.find((source) => source === text);
  if (!known) throw badRequest(`Lineage source ${text.slice(0, 100)} is not known`);
  return known;
};

/** What these say of an edge runs through a pipeline, by which it is found. */
const BY_CARRIER: ReadonlySet<string> = new Set(['PipelineLineage', 'OpenLineage']);

/** How many edges are changed side by side. */
const AT_ONCE = 500;

/** Takes back what a source says of one edge. */
export const withdrawOne = async (
  edges: Edges,
  principal: Principal,
  from: Site,
  to: Site,
  source: string,
): Promise<void> => {
  await settle(edges, from, to, async () => {
    const { state } = await readEdge(edges, from, to);
    if (!state) return { outcome: 'same', state };
    return withdrawEdge(edges, principal, [from, to], state, (assertion) => assertion.source === source);
  });
};

const edgesSaid = ({ engine }: Edges, { id }: Site, source: string): Promise<EndIds[]> =>
  engine.graph.read(BY_CARRIER.has(source) ? listCarriedSaid : listSaid, { id, source });

/** Takes back what a source says of all edges into a record, or through it. */
export const removeSource = async (edges: Edges, principal: Principal, site: Site, source: string): Promise<void> => {
  const { engine } = edges;
  await permitEnds(engine, principal, [site]);
  const found = await edgesSaid(edges, site, source);
  const pairs = await Promise.all(found.map(({ from, to }) => findEnds(engine, [from, to])));
  await permitEnds(engine, principal, pairs.flat());
  await sideBySide(pairs, AT_ONCE, async ([from, to]) => {
    if (from && to) await withdrawOne(edges, principal, from, to, source);
  });
};
