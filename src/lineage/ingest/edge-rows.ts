import { notAllowedMessage } from '../../access/authorization.ts';
import type { Principal } from '../../access/principal.ts';
import { readReferencesById, type TargetNode } from '../../catalog/queries.ts';
import { checkPermissions } from '../../catalog/read/facts.ts';
import type { BulkFailure, BulkSuccess } from '../../catalog/write/bulk.ts';
import { CatalogError } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { chunk } from '../../model/chunk.ts';
import { isObject, type Json, member } from '../../model/json.ts';
import { AddLineage } from '../../model/schemas/lineage/lineage.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { EDIT_LINEAGE, type Endpoint } from '../endpoints.ts';
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

/** So many records are read by one statement, and so many rows are made ready side by side. */
const BATCH_SIZE = 1000;

/** An edge as a row has it: bare, or as a request about it alone has it. */
export const parseEdgeRow = (row: Json): EdgeInput => {
  const said = dropNulls(row);
  const body = isObject(said) && member(said, 'edge') !== undefined ? said : { edge: said };
  return (validate(AddLineage, body) as unknown as { readonly edge: EdgeInput }).edge;
};

const referencedIds = ({ fromEntity, toEntity, lineageDetails }: EdgeInput): readonly string[] =>
  [fromEntity, toEntity, lineageDetails?.pipeline].flatMap((ref) => {
    const id = ref?.['id'];
    return typeof id === 'string' ? [id] : [];
  });

/** The same edges, with the records that rows name by ids at hand: a thousand are read by one statement. */
export const preloadReferences = async (edges: EdgeStore, asked: readonly EdgeInput[]): Promise<EdgeStore> => {
  const { engine } = edges;
  const ids = asked.flatMap(referencedIds);
  const known = new Map<string, TargetNode>();
  await mapConcurrently(chunk([...new Set(ids)], BATCH_SIZE), 2, async (some) => {
    const rows = some.map((id, at) => ({ id, at }));
    for (const { node } of await engine.graph.read(readReferencesById, { rows })) known.set(node.id, node);
  });
  return { ...edges, engine: { ...engine, store: { ...engine.store, referenceById: async (id) => known.get(id) } } };
};

/** Finds what edges join, each by itself. */
export const resolveRows = async (edges: EdgeStore, rows: readonly Json[]): Promise<EdgeRowOutcome<ResolvedEdge>[]> => {
  const asked = await Promise.all(rows.map((row) => captureOutcome(() => parseEdgeRow(row))));
  const near = await preloadReferences(
    edges,
    asked.flatMap((row) => ('value' in row ? [row.value] : [])),
  );
  return Promise.all(
    asked.map((row) => ('failure' in row ? row : captureOutcome(() => resolveEdgeInput(near, row.value)))),
  );
};

const forbidden = (principal: Principal) => ({
  failure: new CatalogError('forbidden', notAllowedMessage(principal, EDIT_LINEAGE)),
});

/** Leaves those edges that the caller may change at both ends, which is asked for all of them together. */
export const permitRows = async (
  { engine }: EdgeStore,
  principal: Principal,
  rows: readonly EdgeRowOutcome<ResolvedEdge>[],
): Promise<EdgeRowOutcome<ResolvedEdge>[]> => {
  const sites = new Map<string, Endpoint>();
  for (const row of rows) {
    if ('failure' in row) continue;
    for (const site of [row.value.from, row.value.to]) sites.set(site.id, site);
  }
  const records = [...sites.values()].map(({ id, kind }) => ({ entityId: id, entityType: kind.entityType }));
  const allowed = await checkPermissions(engine, principal, EDIT_LINEAGE, records);
  const open = new Set(records.flatMap(({ entityId }, at) => (allowed[at] ? [entityId] : [])));
  return rows.map((row) => {
    if ('failure' in row) return row;
    return open.has(row.value.from.id) && open.has(row.value.to.id) ? row : forbidden(principal);
  });
};

/** What was said of an edge, and what of its SQL nobody could make out where that was asked for. */
export type UpsertedRow = PutResult & { readonly unresolved?: readonly Unresolved[] };

/** Completes what is said of an edge before it is said. */
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

/** Says what many edges are, each for itself and in their order: of those about one pair of records the last counts. */
export const upsertRows = async (
  edges: EdgeStore,
  principal: Principal,
  rows: readonly EdgeRowOutcome<ResolvedEdge>[],
  options: EdgePutOptions,
  prepare?: PrepareEdge,
): Promise<EdgeRowOutcome<UpsertedRow>[]> => {
  const ready = await prepareRows(rows, prepare);
  const found = ready.flatMap((row) => ('value' in row ? [row.value.found] : []));
  const said = (await upsertAssertions(edges, principal, found, options)).values();
  return ready.map((row): EdgeRowOutcome<UpsertedRow> => {
    if ('failure' in row) return row;
    const outcome = said.next().value as EdgeRowOutcome<PutResult>;
    const { unresolved } = row.value;
    return 'failure' in outcome || unresolved === undefined ? outcome : { value: { ...outcome.value, unresolved } };
  });
};

const STATUSES: Readonly<Partial<Record<CatalogError['code'], number>>> = { forbidden: 403, not_found: 404 };

export const failedRow = (request: Json, { code, message }: CatalogError): BulkFailure => ({
  request,
  status: STATUSES[code] ?? 400,
  message,
});

/** A row that succeeded; where SQL was read for it, with what nobody could make out. */
export type PassedRow = BulkSuccess & { readonly unresolved?: readonly Unresolved[] };

export const passedRow = ({ from, to, unresolved }: UpsertedRow): PassedRow => ({
  request: `${from.fullyQualifiedName}--->${to.fullyQualifiedName}`,
  status: 200,
  ...(unresolved === undefined ? {} : { unresolved }),
});
