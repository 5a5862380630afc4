import { randomUUID } from 'node:crypto';
import type { Graph } from '../../graph/client.ts';
import type { Committer, Step, Write, WriteRow } from '../../graph/commit.ts';
import { statement, template } from '../../graph/statement.ts';
import { piecesOf } from '../../model/pieces.ts';
import { stale } from '../plan/step.ts';
import { createRecords } from '../queries.ts';

/**
 * Committing 20,000 new columns takes seconds, and whoever else writes below the same parent would wait for them. So the
 * columns of a very wide record are written before it, in pieces, below a staged node that nobody finds. The transaction
 * that creates the record makes the staged node the record itself. When it fails, the staged node and its columns go.
 */

type Staging = {
  readonly stageId: string;
  readonly piece: number;
  readonly recordId: string;
  readonly fqn: string;
  readonly columns: readonly unknown[];
};

const stageColumns = statement<Staging, { staged: number }>('stage/create', {
  params: ['stageId', 'piece', 'recordId', 'fqn', 'columns'],
  row: ['staged'],
});

const adoptRecords = template<{ rows: readonly WriteRow[] }, { at: number }>('stage/adopt', 'LABEL', {
  params: ['rows'],
  row: ['at'],
});

const deleteStaged = statement<{ stageId: string; limit: number }, { removed: number }>('stage/delete', {
  params: ['stageId', 'limit'],
  row: ['removed'],
});

const listAbandoned = statement<{ ageMs: number; limit: number }, { stageId: string }>('stage/list_abandoned', {
  params: ['ageMs', 'limit'],
  row: ['stageId'],
});

/** A record with fewer columns is created in one piece. */
const STAGED_FROM = 2000;
const PIECE = 500;
const REMOVED_AT_ONCE = 1000;

type Row = WriteRow & {
  readonly columns: readonly unknown[];
  readonly properties: { readonly id: string; readonly fullyQualifiedName: string };
};

const isWide = (row: WriteRow): row is Row => Array.isArray(row['columns']) && row['columns'].length >= STAGED_FROM;

/** The label of the kind whose records a step creates. */
const labelOf = ({ statement: { name } }: Step): string | undefined =>
  name.startsWith(`${createRecords.name}:`) ? name.slice(createRecords.name.length + 1) : undefined;

const stage = async (graph: Graph, stageId: string, { properties, columns }: Row): Promise<number> => {
  let piece = 0;
  for (const some of piecesOf(columns, PIECE)) {
    const { id: recordId, fullyQualifiedName: fqn } = properties;
    const staging = { stageId, piece, recordId, fqn, columns: some };
    await graph.write((transaction) => transaction.run(stageColumns, staging));
    piece += 1;
  }
  return piece;
};

const unstage = async (graph: Graph, stageId: string): Promise<void> => {
  for (;;) {
    const params = { stageId, limit: REMOVED_AT_ONCE };
    const [row] = await graph.write((transaction) => transaction.run(deleteStaged, params));
    if (!row || row.removed < REMOVED_AT_ONCE) return;
  }
};

const isWideStep = (step: Step): boolean => labelOf(step) !== undefined && step.rows.some(isWide);

/** The write with the columns of wide new records staged; `staged` learns of each before it is written. */
const stageWrite = async (graph: Graph, write: Write, staged: string[]): Promise<Write> => {
  const steps: Step[] = [];
  for (const step of write.steps) {
    const label = labelOf(step);
    if (label === undefined) {
      steps.push(step);
      continue;
    }
    const adopted: WriteRow[] = [];
    for (const row of step.rows.filter(isWide)) {
      const stageId = randomUUID();
      staged.push(stageId);
      const pieces = await stage(graph, stageId, row);
      adopted.push({ id: row.properties.id, properties: row.properties, event: row.event as never, stageId, pieces });
    }
    const rest = step.rows.filter((row) => !isWide(row));
    steps.push({ ...step, rows: rest });
    steps.push({ statement: adoptRecords.for(label), order: step.order, rows: adopted, missing: stale });
  }
  return { ...write, steps };
};

export const stagingCommitter =
  (graph: Graph, commit: Committer): Committer =>
  async (write) => {
    if (!write.steps.some(isWideStep)) return commit(write);
    const staged: string[] = [];
    try {
      await commit(await stageWrite(graph, write, staged));
    } catch (failure) {
      // Why the write failed is what the caller hears; what cannot be removed now is abandoned and removed later.
      await Promise.allSettled(staged.map((stageId) => unstage(graph, stageId)));
      throw failure;
    }
  };

/** No creation takes this long: whoever staged it has ended meanwhile. */
const ABANDONED_MS = 3_600_000;
const MOST_ABANDONED = 100;

/** Removes what processes that ended had staged and never made a record. */
export const removeAbandoned = async (graph: Graph, ageMs = ABANDONED_MS): Promise<void> => {
  for (const { stageId } of await graph.read(listAbandoned, { ageMs, limit: MOST_ABANDONED })) {
    await unstage(graph, stageId);
  }
};
