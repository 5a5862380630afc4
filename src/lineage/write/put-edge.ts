import type { Principal } from '../../access/principal.ts';
import type { RecordPointer } from '../../catalog/resolve/record-pointers.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { DEFAULT_LINEAGE_SOURCE } from '../../model/schemas/lineage/lineage.ts';
import {
  type ColumnMappingInput,
  collectColumnKeys,
  type ResolvedMappings,
  resolveMappings,
} from '../column-mappings.ts';
import { type AssertionContent, buildContent, isSameAsserter, type ObservedStatement, uniteObserved } from '../edge.ts';
import {
  type Endpoint,
  type EntityRef,
  findEndpoint,
  permitLineageEdit,
  readEndpointPointer,
  readPipelinePointer,
  resolveEndpoint,
  resolvePipeline,
} from '../endpoints.ts';
import {
  type AssertionInput,
  type EdgeResult,
  type EdgeSnapshot,
  type EdgeStore,
  edgeNotFound,
  readEdgeToChange,
  retryEdgeOnConflict,
  unchangedEdge,
  writeAssertion,
} from './edge-store.ts';

/** The details of an edge in a request, after validation of their shape. */
export type EdgeDetailsInput = {
  readonly sqlQuery?: string;
  readonly columnsLineage?: readonly ColumnMappingInput[];
  readonly pipeline?: JsonObject;
  readonly description?: string;
  readonly source?: string;
  readonly sourceName?: string;
  readonly tempLineageTables?: Json;
  /** Only logs of statements show it; requests cannot state it. */
  readonly observed?: ObservedStatement;
};

/** An edge as a request contains it. */
export type EdgeInput = {
  readonly fromEntity: JsonObject;
  readonly toEntity: JsonObject;
  readonly description?: string;
  readonly lineageDetails?: EdgeDetailsInput;
  /** From when on it is so, where that is before it is told. */
  readonly since?: number;
};

export type EdgePutOptions = {
  /** Whether unknown columns are an error instead of being left out. */
  readonly strictColumns: boolean;
  /** Whether fields missing from the request keep the value of the source's previous assertion. */
  readonly keepsUnsaid?: boolean;
  /** Whether an edge that exists already, from whatever source, is an error. */
  readonly mustBeNew?: boolean;
  /** Whether an edge that no source asserts yet is an error. */
  readonly mustExist?: boolean;
  /** Whether to check everything and write nothing. */
  readonly isDryRun?: boolean;
};

const refuseUnknownColumns = ({ unknown }: ResolvedMappings) => {
  if (unknown.length > 0) throw badRequest(`Unknown columns: ${unknown.slice(0, 100).join(', ')}`);
};

export const refuseSelfLoop = (from: Endpoint, to: Endpoint) => {
  if (from.id === to.id) throw badRequest(`${from.fullyQualifiedName} cannot be upstream of itself`);
};

/** The written edge, and the columns that are unknown. */
export type PutResult = {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly result: EdgeResult;
  readonly unknown: readonly string[];
};

/** A requested edge after all its references were resolved. */
export type ResolvedEdge = {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly pipelineId: string | undefined;
  readonly description: string | undefined;
  readonly details: EdgeDetailsInput;
  /** Whether the mappings were derived from the SQL query. */
  readonly isDerived?: boolean;
  readonly since?: number | undefined;
};

export const pipelinePointer = (edges: EdgeStore, { pipeline }: EdgeDetailsInput): RecordPointer | undefined =>
  pipeline === undefined ? undefined : readPipelinePointer(edges.engine, pipeline);

const resolvePipelineId = async (
  { engine }: EdgeStore,
  pointer: RecordPointer | undefined,
): Promise<string | undefined> => (pointer === undefined ? undefined : (await resolvePipeline(engine, pointer)).id);

/** Resolves an edge whose endpoints are given by references. */
export const resolveEdgeInput = async (edges: EdgeStore, input: EdgeInput): Promise<ResolvedEdge> => {
  const { engine } = edges;
  const details = input.lineageDetails ?? {};
  const pointers = [
    readEndpointPointer(engine, input.fromEntity),
    readEndpointPointer(engine, input.toEntity),
  ] as const;
  const pipelineAt = pipelinePointer(edges, details);
  const [from, to, pipelineId] = await Promise.all([
    resolveEndpoint(engine, pointers[0]),
    resolveEndpoint(engine, pointers[1]),
    resolvePipelineId(edges, pipelineAt),
  ]);
  return { from, to, pipelineId, description: input.description, details, since: input.since };
};

/** Resolves an edge whose endpoints are named by the path of the request. */
export const resolveEdgeBetween = async (
  edges: EdgeStore,
  [fromRef, toRef]: readonly [EntityRef, EntityRef],
  details: EdgeDetailsInput,
): Promise<ResolvedEdge> => {
  const { engine } = edges;
  const pipelineAt = pipelinePointer(edges, details);
  const [from, to, pipelineId] = await Promise.all([
    findEndpoint(engine, fromRef),
    findEndpoint(engine, toRef),
    resolvePipelineId(edges, pipelineAt),
  ]);
  return { from, to, pipelineId, description: undefined, details };
};

/** The current state of an edge, and the resolved content to assert. */
export type PreparedAssertion = {
  readonly snapshot: EdgeSnapshot;
  readonly assertion: AssertionInput;
  readonly unknown: readonly string[];
};

/**
 * Whether a source that keeps omitted fields keeps its previous mappings. Mappings the source sent itself take
 * precedence over those derived from SQL until the SQL changes, so repeating the same events gives the same result.
 */
const keepsPreviousColumns = (previous: AssertionContent, { details, isDerived = false }: ResolvedEdge): boolean => {
  if (details.columnsLineage === undefined) return true;
  if (!isDerived || previous.mappings.length === 0) return false;
  const isOtherSql = previous.sqlQuery !== undefined && previous.sqlQuery !== details.sqlQuery;
  return !isOtherSql || details.columnsLineage.length === 0;
};

/** Reads the current edge and resolves the columns of the content to assert. */
export const prepareAssertion = async (
  edges: EdgeStore,
  found: ResolvedEdge,
  { strictColumns, keepsUnsaid = false, mustExist = false }: EdgePutOptions,
): Promise<PreparedAssertion> => {
  const { from, to, pipelineId, description, details, since } = found;
  const asserter = { source: details.source ?? DEFAULT_LINEAGE_SOURCE, sourceName: details.sourceName };
  const mappings = details.columnsLineage ?? [];
  const snapshot = await readEdgeToChange(edges, from, to, collectColumnKeys(from, to, mappings));
  if (mustExist && !snapshot.state) throw edgeNotFound();
  const understood = resolveMappings(from, to, mappings, snapshot.known);
  if (strictColumns) refuseUnknownColumns(understood);
  const known = snapshot.state?.assertions.find((one) => isSameAsserter(one, asserter))?.content;
  const previous = keepsUnsaid ? known : undefined;
  const content = buildContent({
    sqlQuery: details.sqlQuery ?? previous?.sqlQuery,
    description: details.description ?? previous?.description,
    edgeDescription: description ?? previous?.edgeDescription,
    mappings: previous && keepsPreviousColumns(previous, found) ? previous.mappings : understood.mappings,
    pipelineId: pipelineId ?? previous?.pipelineId,
    tempLineageTables: details.tempLineageTables ?? previous?.tempLineageTables,
    observed: details.observed ? uniteObserved(known?.observed, details.observed) : previous?.observed,
  });
  const { fromKeys, toKeys, unknown } = understood;
  return { snapshot, assertion: { ...asserter, content, fromKeys, toKeys, since }, unknown };
};

const refuseExisting = (from: Endpoint, to: Endpoint) => {
  const names = `${from.fullyQualifiedName} to ${to.fullyQualifiedName}`;
  throw new CatalogError('precondition_failed', `There is already a lineage edge from ${names}`);
};

/** Writes the source's assertion about an edge; the caller must have checked the permission. */
export const upsertAssertion = async (
  edges: EdgeStore,
  principal: Principal,
  found: ResolvedEdge,
  options: EdgePutOptions,
): Promise<PutResult> => {
  const { from, to } = found;
  refuseSelfLoop(from, to);
  return retryEdgeOnConflict(edges, from, to, async () => {
    const { snapshot, assertion, unknown } = await prepareAssertion(edges, found, options);
    if (options.mustBeNew && snapshot.state) refuseExisting(from, to);
    const result = options.isDryRun
      ? unchangedEdge(snapshot)
      : await writeAssertion(edges, principal, [from, to], snapshot, assertion);
    return { from, to, result, unknown };
  });
};

/** Checks that the caller may edit lineage and writes the source's assertion about an edge. */
export const putEdge = async (
  edges: EdgeStore,
  principal: Principal,
  found: ResolvedEdge,
  options: EdgePutOptions,
): Promise<PutResult> => {
  await permitLineageEdit(edges.engine, principal, [found.from, found.to]);
  return upsertAssertion(edges, principal, found, options);
};
