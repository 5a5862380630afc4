import type { Principal } from '../../access/principal.ts';
import type { RecordPointer } from '../../catalog/resolve/candidate.ts';
import { badRequest } from '../../errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { DEFAULT_LINEAGE_SOURCE } from '../../model/schemas/lineage/lineage.ts';
import {
  type ColumnMappingInput,
  collectColumnKeys,
  type ResolvedMappings,
  resolveMappings,
} from '../column-mappings.ts';
import { type AssertionContent, buildContent } from '../edge.ts';
import {
  type Endpoint,
  permitLineageEdit,
  readEndpointPointer,
  resolveEndpoint,
  resolvePipeline,
} from '../endpoints.ts';
import {
  type AssertionInput,
  type EdgeResult,
  type EdgeSnapshot,
  type EdgeStore,
  readEdge,
  retryEdgeOnConflict,
  writeAssertion,
} from './edge-store.ts';

/** What a request says of an edge, checked for its shape. */
export type EdgeDetailsInput = {
  readonly sqlQuery?: string;
  readonly columnsLineage?: readonly ColumnMappingInput[];
  readonly pipeline?: JsonObject;
  readonly description?: string;
  readonly source?: string;
  readonly tempLineageTables?: Json;
};

/** An edge as a request has it. */
export type EdgeInput = {
  readonly fromEntity: JsonObject;
  readonly toEntity: JsonObject;
  readonly description?: string;
  readonly lineageDetails?: EdgeDetailsInput;
};

export type EdgePutOptions = {
  /** Columns that nobody knows are refused instead of being left out. */
  readonly strictColumns: boolean;
  /** What a request leaves out its source goes on saying, instead of taking it back. */
  readonly keepsUnsaid?: boolean;
};

const refuseUnknownColumns = ({ unknown }: ResolvedMappings) => {
  if (unknown.length > 0) throw badRequest(`Unknown columns: ${unknown.slice(0, 100).join(', ')}`);
};

export const refuseSelfLoop = (from: Endpoint, to: Endpoint) => {
  if (from.id === to.id) throw badRequest(`${from.fullyQualifiedName} cannot be upstream of itself`);
};

/** What was put, and which of its columns nobody knows. */
export type PutResult = {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly settled: EdgeResult;
  readonly unknown: readonly string[];
};

/** What a request says of an edge once everything it points at is found. */
export type ResolvedEdge = {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly pipelineId: string | undefined;
  readonly description: string | undefined;
  readonly details: EdgeDetailsInput;
  /** Whether its columns are what its SQL tells of them. */
  readonly isDerived?: boolean;
};

export const pipelinePointer = (edges: EdgeStore, { pipeline }: EdgeDetailsInput): RecordPointer | undefined =>
  pipeline === undefined ? undefined : readEndpointPointer(edges.engine, pipeline);

/** The records that a request points at: those at both ends, and the one that data runs through. */
export const resolveEdge = async (
  edges: EdgeStore,
  ends: () => readonly [Promise<Endpoint>, Promise<Endpoint>],
  details: EdgeDetailsInput,
  description?: string,
): Promise<ResolvedEdge> => {
  const { engine } = edges;
  const carrier = pipelinePointer(edges, details);
  const [from, to, pipeline] = await Promise.all([
    ...ends(),
    carrier === undefined ? undefined : resolvePipeline(engine, carrier),
  ]);
  return { from, to, pipelineId: pipeline?.id, description, details };
};

/** The same for an edge whose ends are told by references. */
export const resolveEdgeInput = (edges: EdgeStore, asked: EdgeInput): Promise<ResolvedEdge> => {
  const from = readEndpointPointer(edges.engine, asked.fromEntity);
  const to = readEndpointPointer(edges.engine, asked.toEntity);
  const find = () => [resolveEndpoint(edges.engine, from), resolveEndpoint(edges.engine, to)] as const;
  return resolveEdge(edges, find, asked.lineageDetails ?? {}, asked.description);
};

/** What there is of an edge, and what a request says of it. */
export type PreparedAssertion = {
  readonly sight: EdgeSnapshot;
  readonly saying: AssertionInput;
  readonly unknown: readonly string[];
};

/**
 * Whether a source that goes on saying what a request leaves out goes on saying it of columns. What it said of them itself
 * counts more than what its SQL tells, until it tells of other SQL: so the same events tell the same once more.
 */
const keepsPreviousColumns = (previous: AssertionContent, { details, isDerived = false }: ResolvedEdge): boolean => {
  if (details.columnsLineage === undefined) return true;
  if (!isDerived || previous.mappings.length === 0) return false;
  const isOtherSql = previous.sqlQuery !== undefined && previous.sqlQuery !== details.sqlQuery;
  return !isOtherSql || details.columnsLineage.length === 0;
};

/** Looks at an edge as it is now, and understands the columns of what is said of it. */
export const prepareAssertion = async (
  edges: EdgeStore,
  found: ResolvedEdge,
  { strictColumns, keepsUnsaid = false }: EdgePutOptions,
): Promise<PreparedAssertion> => {
  const { from, to, pipelineId, description, details } = found;
  const source = details.source ?? DEFAULT_LINEAGE_SOURCE;
  const asked = details.columnsLineage ?? [];
  const sight = await readEdge(edges, from, to, collectColumnKeys(from, to, asked));
  const understood = resolveMappings(from, to, asked, sight.known);
  if (strictColumns) refuseUnknownColumns(understood);
  const known = sight.state?.assertions.find((assertion) => assertion.source === source)?.content;
  const previous = keepsUnsaid ? known : undefined;
  const content = buildContent({
    sqlQuery: details.sqlQuery ?? previous?.sqlQuery,
    description: details.description ?? previous?.description,
    edgeDescription: description ?? previous?.edgeDescription,
    mappings: previous && keepsPreviousColumns(previous, found) ? previous.mappings : understood.mappings,
    pipelineId: pipelineId ?? previous?.pipelineId,
    tempLineageTables: details.tempLineageTables ?? previous?.tempLineageTables,
  });
  const { fromKeys, toKeys, unknown } = understood;
  return { sight, saying: { source, content, fromKeys, toKeys }, unknown };
};

/** Says of an edge what a request says, in the name of its source, for somebody who may. */
export const upsertAssertion = async (
  edges: EdgeStore,
  principal: Principal,
  found: ResolvedEdge,
  options: EdgePutOptions,
): Promise<PutResult> => {
  const { from, to } = found;
  refuseSelfLoop(from, to);
  let unknown: readonly string[] = [];
  const settled = await retryEdgeOnConflict(edges, from, to, async () => {
    const prepared = await prepareAssertion(edges, found, options);
    unknown = prepared.unknown;
    return writeAssertion(edges, principal, [from, to], prepared.sight, prepared.saying);
  });
  return { from, to, settled, unknown };
};

/** Says of an edge what a request says, if the caller may. */
export const putEdge = async (
  edges: EdgeStore,
  principal: Principal,
  found: ResolvedEdge,
  options: EdgePutOptions,
): Promise<PutResult> => {
  await permitLineageEdit(edges.engine, principal, [found.from, found.to]);
  return upsertAssertion(edges, principal, found, options);
};
