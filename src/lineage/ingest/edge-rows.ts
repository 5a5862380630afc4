import { hasAnyRight, notAllowedMessage } from '../../access/authorization.ts';
import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { readReferencesById, type TargetNode } from '../../catalog/queries.ts';
import { checkPermissions } from '../../catalog/read/facts.ts';
import type { BulkFailure, BulkSuccess } from '../../catalog/write/bulk.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { chunk } from '../../model/chunk.ts';
import { isObject, type Json, member } from '../../model/json.ts';
import { AddDatedLineage, AddLineage } from '../../model/schemas/lineage/lineage.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { EDIT_LINEAGE, type Endpoint, lineageEditNeeds } from '../endpoints.ts';
import type { Unresolved } from '../sql/sql-column.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import {
  type EdgeInput,
  type EdgePutOptions,
  type PutResult,
  type ResolvedEdge,
  resolveEdgeInput,
} from '../write/put-edge.ts';
import { upsertAssertions } from './edge-batches.ts';
import { needsSqlParsing, type ParsedEdge } from './edge-sql-parser.ts';
import { captureOutcome, type EdgeRowOutcome } from './row-outcome.ts';

/** The number of records read by one statement, and of rows prepared concurrently. */
const BATCH_SIZE = 1000;

const parseEdge = (schema: typeof AddLineage | typeof AddDatedLineage, row: Json): EdgeInput => {
  const cleaned = dropNulls(row);
  const body = isObject(cleaned) && member(cleaned, 'edge') !== undefined ? cleaned : { edge: cleaned };
  return (validate(schema, body) as unknown as { readonly edge: EdgeInput }).edge;
};

/** Parses a row: either a bare edge or the body of a request for a single edge. */
export const parseEdgeRow = (row: Json): EdgeInput => parseEdge(AddLineage, row);

/** Parses a row that may be history. What was known when is only for administrators to say. */
export const createDatedParser =
  ({ clock }: Engine, principal: Principal) =>
  (row: Json): EdgeInput => {
    const edge = parseEdge(AddDatedLineage, row);
    if (edge.since === undefined) return edge;
    if (!principal.isAdmin) throw new CatalogError('forbidden', 'Only administrators may say since when lineage is so');
    if (edge.since > clock()) throw badRequest('[since must not be in the future]');
    return edge;
  };

const referencedIds = ({ fromEntity, toEntity, lineageDetails }: EdgeInput): readonly string[] =>
  [fromEntity, toEntity, lineageDetails?.pipeline].flatMap((ref) => {
    const id = ref?.['id'];
    return typeof id === 'string' ? [id] : [];
  });

/** Loads the records that rows reference by ID, a thousand per statement, and attaches them to the edges. */
export const preloadReferences = async (edges: EdgeStore, inputs: readonly EdgeInput[]): Promise<EdgeStore> => {
  const { engine } = edges;
  const ids = inputs.flatMap(referencedIds);
  const known = new Map<string, TargetNode>();
  await mapConcurrently(chunk([...new Set(ids)], BATCH_SIZE), 2, async (some) => {
    const rows = some.map((id, at) => ({ id, at }));
    for (const { node } of await engine.graph.read(readReferencesById, { rows })) known.set(node.id, node);
  });
  return { ...edges, engine: { ...engine, store: { ...engine.store, referenceById: async (id) => known.get(id) } } };
};

export const editLineageForbidden = (principal: Principal) =>
  new CatalogError('forbidden', notAllowedMessage(principal, EDIT_LINEAGE));

/**
 * Parses rows and resolves their references; each row has its own outcome. Nothing is looked up for a caller who may edit
 * no lineage.
 */
export const resolveRows = async (
  edges: EdgeStore,
  principal: Principal,
  rows: readonly Json[],
  parseRow: (row: Json) => EdgeInput = parseEdgeRow,
): Promise<EdgeRowOutcome<ResolvedEdge>[]> => {
  const { authorizer, registry } = edges.engine;
  if (!hasAnyRight(authorizer, principal, lineageEditNeeds(registry))) {
    return rows.map(() => ({ failure: editLineageForbidden(principal) }));
  }
  const parsed = await Promise.all(rows.map((row) => captureOutcome(() => parseRow(row))));
  const near = await preloadReferences(
    edges,
    parsed.flatMap((row) => ('value' in row ? [row.value] : [])),
  );
  return Promise.all(
    parsed.map((row) => ('failure' in row ? row : captureOutcome(() => resolveEdgeInput(near, row.value)))),
  );
};

/** Answers the ids of those records whose lineage the caller may edit, checking all of them together. */
export const readEditableIds = async (
  engine: Engine,
  principal: Principal,
  endpoints: Iterable<Endpoint>,
): Promise<ReadonlySet<string>> => {
  const distinct = new Map([...endpoints].map((endpoint) => [endpoint.id, endpoint]));
  const records = [...distinct.values()].map(({ id, kind }) => ({ entityId: id, entityType: kind.entityType }));
  const allowed = await checkPermissions(engine, principal, EDIT_LINEAGE, records);
  return new Set(records.flatMap(({ entityId }, at) => (allowed[at] ? [entityId] : [])));
};

/** Keeps the rows between records whose lineage may be edited. */
export const permitEdges = (
  principal: Principal,
  rows: readonly EdgeRowOutcome<ResolvedEdge>[],
  editable: ReadonlySet<string>,
): EdgeRowOutcome<ResolvedEdge>[] =>
  rows.map((row) => {
    if ('failure' in row) return row;
    const isOpen = editable.has(row.value.from.id) && editable.has(row.value.to.id);
    return isOpen ? row : { failure: editLineageForbidden(principal) };
  });

/** Keeps the rows whose endpoints the caller may edit, checking the permissions of all rows together. */
export const permitRows = async (
  { engine }: EdgeStore,
  principal: Principal,
  rows: readonly EdgeRowOutcome<ResolvedEdge>[],
): Promise<EdgeRowOutcome<ResolvedEdge>[]> => {
  const ends = rows.flatMap((row) => ('failure' in row ? [] : [row.value.from, row.value.to]));
  return permitEdges(principal, rows, await readEditableIds(engine, principal, ends));
};

/** A written edge and, when SQL parsing was requested, the parts of its SQL that could not be resolved. */
export type UpsertedRow = PutResult & { readonly unresolved?: readonly Unresolved[] };

/** Completes the content of an edge before it is written. */
export type PrepareEdge = (found: ResolvedEdge) => Promise<ParsedEdge>;

const prepareRows = (rows: readonly EdgeRowOutcome<ResolvedEdge>[], prepare: PrepareEdge | undefined) =>
  mapConcurrently(
    rows,
    BATCH_SIZE,
    (row): EdgeRowOutcome<Partial<ParsedEdge> & { found: ResolvedEdge }> | Promise<EdgeRowOutcome<ParsedEdge>> => {
      if ('failure' in row) return row;
      return prepare && needsSqlParsing(row.value)
        ? captureOutcome(() => prepare(row.value))
        : { value: { found: row.value } };
    },
  );

/** Writes many edges in order, each with its own outcome; the last row about the same pair of records wins. */
export const upsertRows = async (
  edges: EdgeStore,
  principal: Principal,
  rows: readonly EdgeRowOutcome<ResolvedEdge>[],
  options: EdgePutOptions,
  prepare?: PrepareEdge,
): Promise<EdgeRowOutcome<UpsertedRow>[]> => {
  const ready = await prepareRows(rows, prepare);
  const found = ready.flatMap((row) => ('value' in row ? [row.value.found] : []));
  const outcomes = (await upsertAssertions(edges, principal, found, options)).values();
  return ready.map((row): EdgeRowOutcome<UpsertedRow> => {
    if ('failure' in row) return row;
    const outcome = outcomes.next().value as EdgeRowOutcome<PutResult>;
    const { unresolved } = row.value;
    return 'failure' in outcome || unresolved === undefined ? outcome : { value: { ...outcome.value, unresolved } };
  });
};

const STATUSES: Readonly<Partial<Record<CatalogError['code'], number>>> = {
  forbidden: 403,
  not_found: 404,
  payload_too_large: 413,
};

export const failedRow = (request: Json, { code, message }: CatalogError): BulkFailure => ({
  request,
  status: STATUSES[code] ?? 400,
  message,
});

/** A successful row and, when its SQL was parsed, the parts that could not be resolved. */
export type PassedRow = BulkSuccess & { readonly unresolved?: readonly Unresolved[] };

/** What the answer tells of a row that passed. */
export type WrittenRow = Pick<UpsertedRow, 'from' | 'to' | 'unresolved'>;

export const passedRow = ({ from, to, unresolved }: WrittenRow): PassedRow => ({
  request: `${from.fullyQualifiedName}--->${to.fullyQualifiedName}`,
  status: 200,
  ...(unresolved === undefined ? {} : { unresolved }),
});
