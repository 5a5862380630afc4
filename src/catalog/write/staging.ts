import { randomUUID } from 'node:crypto';
import type { Graph } from '../../graph/client.ts';
import type { Committer, WriteRequest, WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';
import { statement } from '../../graph/statement.ts';
import { chunk } from '../../model/chunk.ts';
import { staleStateError } from '../plan/step.ts';
import { createRecords } from '../queries.ts';

/**
 * Stages the columns of very wide new records. Committing 20,000 new columns takes seconds, and other writers below the
 * same parent would have to wait. So the columns are written first, in pieces, below a staged node that no query finds,
 * and the transaction that creates the record turns the staged node into the record. If it fails, the staged node and
 * its columns are deleted.
 */

type StagedPiece = {
  readonly stageId: string;
  readonly piece: number;
  readonly recordId: string;
  readonly fqn: string;
  readonly columns: readonly unknown[];
};

const stageColumns = statement<StagedPiece, { staged: number }>('catalog/write/create_staged_columns', {
  params: ['stageId', 'piece', 'recordId', 'fqn', 'columns'],
  row: ['staged'],
});

const createStagedRecords = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'catalog/write/create_staged_record',
  {
    params: ['rows'],
    row: ['at'],
  },
);

const deleteStaged = statement<{ stageId: string; limit: number }, { removed: number }>(
  'catalog/write/delete_staged_columns',
  {
    params: ['stageId', 'limit'],
    row: ['removed'],
  },
);

const listAbandoned = statement<{ ageMs: number; limit: number }, { stageId: string }>(
  'catalog/write/list_abandoned_stages',
  {
    params: ['ageMs', 'limit'],
    row: ['stageId'],
  },
);

/** A record with fewer columns is created in one piece. */
const MIN_STAGED_COLUMNS = 2000;
const COLUMNS_PER_PIECE = 500;
const DELETE_BATCH = 1000;

type WideRow = WriteStatementRow & {
  readonly columns: readonly unknown[];
  readonly properties: { readonly id: string; readonly fullyQualifiedName: string };
};

const isWide = (row: WriteStatementRow): row is WideRow =>
  Array.isArray(row['columns']) && row['columns'].length >= MIN_STAGED_COLUMNS;

const stageColumnsOf = async (graph: Graph, stageId: string, { properties, columns }: WideRow): Promise<number> => {
  let piece = 0;
  for (const some of chunk(columns, COLUMNS_PER_PIECE)) {
    const { id: recordId, fullyQualifiedName: fqn } = properties;
    const staging = { stageId, piece, recordId, fqn, columns: some };
    await graph.write((transaction) => transaction.run(stageColumns, staging));
    piece += 1;
  }
  return piece;
};

const deleteStage = async (graph: Graph, stageId: string): Promise<void> => {
  for (;;) {
    const params = { stageId, limit: DELETE_BATCH };
    const [row] = await graph.write((transaction) => transaction.run(deleteStaged, params));
    if (!row || row.removed < DELETE_BATCH) return;
  }
};

const isWideStep = ({ statement, rows }: WriteStep): boolean => statement === createRecords && rows.some(isWide);

/**
 * Stages the columns of wide new records and returns the rest of the write; `staged` collects the id of each stage
 * before it is written.
 */
const stageWrite = async (graph: Graph, write: WriteRequest, staged: string[]): Promise<WriteRequest> => {
  const steps: WriteStep[] = [];
  for (const step of write.steps) {
    if (!isWideStep(step)) {
      steps.push(step);
      continue;
    }
    const adopted: WriteStatementRow[] = [];
    for (const row of step.rows.filter(isWide)) {
      const stageId = randomUUID();
      staged.push(stageId);
      const pieces = await stageColumnsOf(graph, stageId, row);
      const { columns: _staged, ...record } = row;
      adopted.push({ ...record, id: row.properties.id, stageId, pieces });
    }
    const rest = step.rows.filter((row) => !isWide(row));
    steps.push({ ...step, rows: rest });
    steps.push({
      statement: createStagedRecords,
      order: step.order,
      rows: adopted,
      missingRowError: staleStateError,
    });
  }
  return { ...write, steps };
};

export const createStagingCommitter =
  (graph: Graph, commit: Committer): Committer =>
  async (write) => {
    if (!write.steps.some(isWideStep)) return commit(write);
    const staged: string[] = [];
    try {
      await commit(await stageWrite(graph, write, staged));
    } catch (failure) {
      // The caller gets the error of the write; stages that cannot be deleted now are deleted later as abandoned.
      await Promise.allSettled(staged.map((stageId) => deleteStage(graph, stageId)));
      throw failure;
    }
  };

/** A stage of this age is abandoned: no creation takes this long, so its process has ended. */
const ABANDONED_MS = 3_600_000;
const MAX_ABANDONED = 100;

/** Deletes stages that ended processes never turned into records. */
export const deleteAbandonedStages = async (graph: Graph, ageMs = ABANDONED_MS): Promise<void> => {
  for (const { stageId } of await graph.read(listAbandoned, { ageMs, limit: MAX_ABANDONED })) {
    await deleteStage(graph, stageId);
  }
};
