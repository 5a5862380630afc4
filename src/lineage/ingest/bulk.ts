import type { Principal } from '../../access/principal.ts';
import { type BulkResult, bulkResult, rowsIn } from '../../catalog/write/bulk.ts';
import type { Edges } from '../edges.ts';
import type { PutOptions } from '../put.ts';
import { failedRow, findRows, type Prepare, passedRow, permitRows, sayRows } from './rows.ts';

/** Says what many edges are; every row stands on its own. */
export const putBulkEdges = async (
  edges: Edges,
  principal: Principal,
  body: unknown,
  options: PutOptions,
  prepare?: Prepare,
): Promise<BulkResult> => {
  const rows = rowsIn(edges.engine, body);
  const found = await permitRows(edges, principal, await findRows(edges, rows));
  const said = await sayRows(edges, principal, found, options, prepare);
  return bulkResult(
    said.flatMap((row) => ('value' in row ? [passedRow(row.value)] : [])),
    said.flatMap((row, at) => ('failure' in row ? [failedRow(rows[at] ?? null, row.failure)] : [])),
    false,
  );
};
