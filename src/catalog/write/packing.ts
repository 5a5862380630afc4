import type { Graph } from '../../graph/client.ts';
import { type Committer, textWeight, type WriteRequest, type WriteStatementRow } from '../../graph/group-commit.ts';
import { copyIdOfText } from '../../graph/stored-text-format.ts';
import { createTextPacker, isLongText } from '../../graph/stored-texts.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../plan/step.ts';
import { createDeletionEvents } from '../queries.ts';
import { createTextCopies } from '../version-queries.ts';

/**
 * Packs long texts: the former state of a wide record, and each of its events, is a text of megabytes that differs in
 * few words from the previous one. Before the write, each such text is replaced by its difference from a copy that is
 * stored with the record.
 */

type WithJsonText = { readonly json: string };
type EventWithText = NonNullable<WriteStatementRow['event']> & WithJsonText & { readonly entityId: string };

const versionStateOf = (row: WriteStatementRow): WithJsonText | undefined => row['state'] as WithJsonText | undefined;

const isLongRow = (row: WriteStatementRow): boolean =>
  isLongText(versionStateOf(row)?.json) || isLongText((row.event as Partial<WithJsonText> | undefined)?.json);

const ownerIdOf = (row: WriteStatementRow): string =>
  String(row['entityId'] ?? (row.event as EventWithText | undefined)?.entityId);

type RecordPacking = Awaited<ReturnType<typeof createTextPacker>>;

const packRow = async (row: WriteStatementRow, { pack }: RecordPacking): Promise<WriteStatementRow> => {
  const state = versionStateOf(row);
  if (state && isLongText(state.json)) return { ...row, state: { ...state, json: await pack(state.json) } };
  const event = row.event as EventWithText | undefined;
  if (!event) return row;
  const json = await pack(event.json);
  const stored: EventWithText & { readonly copyId: string | null } = {
    ...event,
    json,
    copyId: copyIdOfText(json) ?? null,
  };
  return { ...row, event: stored };
};

/** Replaces every long text in the write by a difference, and adds the copies that the differences refer to. */
const packWrite = async (graph: Graph, write: WriteRequest): Promise<WriteRequest> => {
  const rows = write.steps.flatMap((one) => one.rows.filter(isLongRow));
  if (rows.length === 0) return write;
  const deletedIds = new Set(
    write.steps.filter(({ statement }) => statement === createDeletionEvents).flatMap((one) => one.rows.map(ownerIdOf)),
  );
  const packings = new Map<string, RecordPacking>();
  const changed = new Map<WriteStatementRow, WriteStatementRow>();
  // In sequence, former states first: each later text of a record is compared with the earlier ones.
  for (const row of [...rows].sort(
    (a, b) => Number(versionStateOf(b) !== undefined) - Number(versionStateOf(a) !== undefined),
  )) {
    const owner = ownerIdOf(row);
    const packing = packings.get(owner) ?? (await createTextPacker(graph, owner, !deletedIds.has(owner)));
    packings.set(owner, packing);
    changed.set(row, await packRow(row, packing));
  }
  const copies = [...packings].flatMap(([entityId, { copies }]) => copies().map((copy) => ({ entityId, copy })));
  return {
    keys: write.keys,
    // The full text is processed before the transaction ends, however short its stored form is.
    weight: rows.reduce(
      (sum, row) => sum + textWeight(versionStateOf(row)?.json ?? (row.event as EventWithText).json),
      0,
    ),
    steps: [
      ...write.steps.map((one) => ({ ...one, rows: one.rows.map((row) => changed.get(row) ?? row) })),
      createStep(
        createTextCopies,
        STEP_ORDER.saveVersion,
        copies,
        notFoundFactory('entity', copies[0]?.entityId ?? ''),
      ),
    ],
  };
};

/** Whether the write holds a long text; most writes hold none and pass unchanged. */
const hasLongText = ({ steps }: WriteRequest): boolean => steps.some(({ rows }) => rows.some(isLongRow));

export const createPackingCommitter =
  (graph: Graph, commit: Committer): Committer =>
  async (write) =>
    commit(hasLongText(write) ? await packWrite(graph, write) : write);
