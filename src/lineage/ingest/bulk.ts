import type { Principal } from '../../access/principal.ts';
import { type BulkResult, buildBulkResult, parseBulkRows } from '../../catalog/write/bulk.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import type { EdgePutOptions } from '../write/put-edge.ts';
import { failedRow, type PrepareEdge, passedRow, permitRows, resolveRows, upsertRows } from './edge-rows.ts';

/** Writes many edges in one request; each row succeeds or fails on its own. */
export const putBulkEdges = async (
  edges: EdgeStore,
  principal: Principal,
  body: unknown,
  options: EdgePutOptions,
  prepare?: PrepareEdge,
): Promise<BulkResult> => {
  const rows = parseBulkRows(edges.engine, body);
  const found = await permitRows(edges, principal, await resolveRows(edges, rows));
  const outcomes = await upsertRows(edges, principal, found, options, prepare);
  return buildBulkResult(
    outcomes.flatMap((row) => ('value' in row ? [passedRow(row.value)] : [])),
    outcomes.flatMap((row, at) => ('failure' in row ? [failedRow(rows[at] ?? null, row.failure)] : [])),
    false,
  );
};
