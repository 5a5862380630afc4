import { notAllowed } from '../access/authorize.ts';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { permitted } from '../catalog/read/facts.ts';
import { badRequest, CatalogError, notFound } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { CARRIERS, DEFAULT_SOURCE, LINEAGE_SOURCES } from '../model/lineage-values.ts';
import { understand, wantedColumns } from './columns.ts';
import { type CarrierOf, showDetails } from './details.ts';
import { contentOf, type EdgeState, type Merged } from './edge.ts';
import { assertEdge, type Edges, readEdge, settle, withdrawEdge } from './edges.ts';
import { EDIT, findCarrier, findEnds, permitEdge, type Site } from './ends.ts';
import { merge } from './merge.ts';
import { contentAfter, patchDetails } from './patch.ts';
import { sideBySide } from './pieces.ts';
import { type Details, pipelinePointer } from './put.ts';
import { type EndIds, listCarriedSaid, listSaid } from './queries.ts';

const noEdge = () => notFound('Lineage edge not found');

const nameOf = ({ from, to }: { readonly from: Site; readonly to: Site }) => ({
  from: from.fullyQualifiedName,
  to: to.fullyQualifiedName,
});

/** An edge that is there, and how it is shown. Throws not_found when there is none. */
export const readDetails = async (
  edges: Edges,
  from: Site,
  to: Site,
): Promise<{ readonly state: EdgeState; readonly merged: Merged }> => {
  const { state } = await readEdge(edges, from, to);
  const merged = state && merge(state.assertions);
  if (!state || !merged) throw noEdge();
  return { state, merged };
};

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
  await readDetails(edges, from, to);
  await permitEdge(edges.engine, principal, [from, to]);
  const names = nameOf({ from, to });
  await settle(edges, from, to, async () => {
    const { state, merged } = await readDetails(edges, from, to);
    const shown = showDetails(merged, names, await showCarrier(merged));
    const details: Details = patchDetails(shown, body);
    const pointer = pipelinePointer(edges, details);
    const isSame = pointer?.id !== undefined && pointer.id === merged.pipelineId;
    const carrier = pointer === undefined || isSame ? undefined : await findCarrier(edges.engine, pointer);
    // Out of the caller's sight, what data runs through is none of the caller's concern.
    const isHidden = shown['pipeline'] === undefined && pointer === undefined;
    const pipelineId = isSame || isHidden ? merged.pipelineId : carrier?.id;
    const asked = details.columnsLineage ?? [];
    const { known } = await readEdge(edges, from, to, wantedColumns(from, to, asked));
    const understood = understand(from, to, asked, known);
    const { sqlQuery, description, tempLineageTables } = details;
    const { mappings } = understood;
    const content = contentOf({ sqlQuery, description, mappings, pipelineId, tempLineageTables });
    const source = details.source ?? merged.source ?? DEFAULT_SOURCE;
    const own = state.assertions.find((assertion) => assertion.source === source);
    const shownDescription = shown['description'] as string | undefined;
    const after = contentAfter(own, merged, { content, shownDescription });
    const { fromKeys, toKeys } = understood;
    return assertEdge(edges, principal, [from, to], { state, known }, { source, content: after, fromKeys, toKeys });
  });
  const { merged } = await readDetails(edges, from, to);
  return showDetails(merged, names, await showCarrier(merged));
};

/** Ends an edge, whoever says something of it. */
export const removeEdge = async (edges: Edges, principal: Principal, from: Site, to: Site): Promise<void> => {
  await readDetails(edges, from, to);
  await permitEdge(edges.engine, principal, [from, to]);
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

/** Lineage is changed by those who may change it at all of its ends, which is asked for all of them together. */
export const permitSites = async (engine: Engine, principal: Principal, sites: readonly Site[]): Promise<void> => {
  const records = sites.map(({ id, kind }) => ({ entityId: id, entityType: kind.entityType }));
  const allowed = await permitted(engine, principal, EDIT, records);
  if (allowed.includes(false)) throw new CatalogError('forbidden', notAllowed(principal, EDIT));
};

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

const edgesSaid = ({ engine }: Edges, { id, kind }: Site, source: string): Promise<EndIds[]> => {
  const isCarried = BY_CARRIER.has(source) && CARRIERS.some((type) => type === kind.entityType);
  return engine.graph.read(isCarried ? listCarriedSaid : listSaid, { id, source });
};

/** Takes back what a source says of all edges into a record, or through it. */
export const removeSource = async (edges: Edges, principal: Principal, site: Site, source: string): Promise<void> => {
  const { engine } = edges;
  await permitEdge(engine, principal, [site]);
  const found = await edgesSaid(edges, site, source);
  const pairs = await Promise.all(found.map(({ from, to }) => findEnds(engine, [from, to])));
  await permitSites(engine, principal, pairs.flat());
  await sideBySide(pairs, AT_ONCE, async ([from, to]) => {
    if (from && to) await withdrawOne(edges, principal, from, to, source);
  });
};
