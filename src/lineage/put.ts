import type { Principal } from '../access/principal.ts';
import type { Pointer } from '../catalog/desire/candidate.ts';
import { badRequest } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { DEFAULT_SOURCE } from '../model/lineage-values.ts';
import { type AskedMapping, type Understood, understand, wantedColumns } from './columns.ts';
import { type Content, contentOf } from './edge.ts';
import { assertEdge, type Edges, readEdge, type Saying, type Settled, type Sight, settle } from './edges.ts';
import { findCarrier, findSite, permitEnds, readPointer, type Site } from './ends.ts';

/** What a request says of an edge, checked for its shape. */
export type Details = {
  readonly sqlQuery?: string;
  readonly columnsLineage?: readonly AskedMapping[];
  readonly pipeline?: JsonObject;
  readonly description?: string;
  readonly source?: string;
  readonly tempLineageTables?: Json;
};

/** An edge as a request has it. */
export type AskedEdge = {
  readonly fromEntity: JsonObject;
  readonly toEntity: JsonObject;
  readonly description?: string;
  readonly lineageDetails?: Details;
};

export type PutOptions = {
  /** Columns that nobody knows are refused instead of being left out. */
  readonly strictColumns: boolean;
  /** What a request leaves out its source goes on saying, instead of taking it back. */
  readonly keepsUnsaid?: boolean;
};

const refuseUnknown = ({ unknown }: Understood) => {
  if (unknown.length > 0) throw badRequest(`Unknown columns: ${unknown.slice(0, 100).join(', ')}`);
};

export const refuseLoop = (from: Site, to: Site) => {
  if (from.id === to.id) throw badRequest(`${from.fullyQualifiedName} cannot be upstream of itself`);
};

/** What was put, and which of its columns nobody knows. */
export type Put = {
  readonly from: Site;
  readonly to: Site;
  readonly settled: Settled;
  readonly unknown: readonly string[];
};

/** What a request says of an edge once everything it points at is found. */
export type Found = {
  readonly from: Site;
  readonly to: Site;
  readonly pipelineId: string | undefined;
  readonly description: string | undefined;
  readonly details: Details;
  /** Whether its columns are what its SQL tells of them. */
  readonly isDerived?: boolean;
};

export const pipelinePointer = (edges: Edges, { pipeline }: Details): Pointer | undefined =>
  pipeline === undefined ? undefined : readPointer(edges.engine, pipeline);

/** The records that a request points at: those at both ends, and the one that data runs through. */
export const findAll = async (
  edges: Edges,
  ends: () => readonly [Promise<Site>, Promise<Site>],
  details: Details,
  description?: string,
): Promise<Found> => {
  const { engine } = edges;
  const carrier = pipelinePointer(edges, details);
  const [from, to, pipeline] = await Promise.all([
    ...ends(),
    carrier === undefined ? undefined : findCarrier(engine, carrier),
  ]);
  return { from, to, pipelineId: pipeline?.id, description, details };
};

/** The same for an edge whose ends are told by references. */
export const findEdge = (edges: Edges, asked: AskedEdge): Promise<Found> => {
  const from = readPointer(edges.engine, asked.fromEntity);
  const to = readPointer(edges.engine, asked.toEntity);
  const find = () => [findSite(edges.engine, from), findSite(edges.engine, to)] as const;
  return findAll(edges, find, asked.lineageDetails ?? {}, asked.description);
};

/** What there is of an edge, and what a request says of it. */
export type Look = { readonly sight: Sight; readonly saying: Saying; readonly unknown: readonly string[] };

/**
 * Whether a source that goes on saying what a request leaves out goes on saying it of columns. What it said of them itself
 * counts more than what its SQL tells, until it tells of other SQL: so the same events tell the same once more.
 */
const keepsColumns = (unsaid: Content, { details, isDerived = false }: Found): boolean => {
  if (details.columnsLineage === undefined) return true;
  if (!isDerived || unsaid.mappings.length === 0) return false;
  const isOtherSql = unsaid.sqlQuery !== undefined && unsaid.sqlQuery !== details.sqlQuery;
  return !isOtherSql || details.columnsLineage.length === 0;
};

/** Looks at an edge as it is now, and understands the columns of what is said of it. */
export const lookAt = async (
  edges: Edges,
  found: Found,
  { strictColumns, keepsUnsaid = false }: PutOptions,
): Promise<Look> => {
  const { from, to, pipelineId, description, details } = found;
  const source = details.source ?? DEFAULT_SOURCE;
  const asked = details.columnsLineage ?? [];
  const sight = await readEdge(edges, from, to, wantedColumns(from, to, asked));
  const understood = understand(from, to, asked, sight.known);
  if (strictColumns) refuseUnknown(understood);
  const known = sight.state?.assertions.find((assertion) => assertion.source === source)?.content;
  const unsaid = keepsUnsaid ? known : undefined;
  const content = contentOf({
    sqlQuery: details.sqlQuery ?? unsaid?.sqlQuery,
    description: details.description ?? unsaid?.description,
    edgeDescription: description ?? unsaid?.edgeDescription,
    mappings: unsaid && keepsColumns(unsaid, found) ? unsaid.mappings : understood.mappings,
    pipelineId: pipelineId ?? unsaid?.pipelineId,
    tempLineageTables: details.tempLineageTables ?? unsaid?.tempLineageTables,
  });
  const { fromKeys, toKeys, unknown } = understood;
  return { sight, saying: { source, content, fromKeys, toKeys }, unknown };
};

/** Says of an edge what a request says, in the name of its source, for somebody who may. */
export const sayEdge = async (edges: Edges, principal: Principal, found: Found, options: PutOptions): Promise<Put> => {
  const { from, to } = found;
  refuseLoop(from, to);
  let unknown: readonly string[] = [];
  const settled = await settle(edges, from, to, async () => {
    const look = await lookAt(edges, found, options);
    unknown = look.unknown;
    return assertEdge(edges, principal, [from, to], look.sight, look.saying);
  });
  return { from, to, settled, unknown };
};

/** Says of an edge what a request says, if the caller may. */
export const putEdge = async (edges: Edges, principal: Principal, found: Found, options: PutOptions): Promise<Put> => {
  await permitEnds(edges.engine, principal, [found.from, found.to]);
  return sayEdge(edges, principal, found, options);
};
