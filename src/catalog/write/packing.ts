import type { Graph } from '../../graph/client.ts';
import { type Committer, textWeight, type WriteRequest, type WriteStatementRow } from '../../graph/group-commit.ts';
import { copyIdOfText } from '../../graph/stored-text-format.ts';
import { createTextPacker, isLongText } from '../../graph/stored-texts.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../plan/step.ts';
import { createDeletionEvents } from '../queries.ts';
import { createTextCopies } from '../version-queries.ts';

/**
 * The former state of a wide record, and every event that tells of it, is a text of megabytes that differs from the one
 * before in a few words. On its way to the database each of them becomes a difference from a copy that the record keeps.
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
  const told: EventWithText & { readonly copyId: string | null } = {
    ...event,
    json,
    copyId: copyIdOfText(json) ?? null,
  };
  return { ...row, event: told };
};

/** The write with every long text in it as a difference, and with the copies that those are differences from. */
const packWrite = async (graph: Graph, write: WriteRequest): Promise<WriteRequest> => {
  const rows = write.steps.flatMap((one) => one.rows.filter(isLongRow));
  if (rows.length === 0) return write;
  const deletedIds = new Set(
    write.steps.filter(({ statement }) => statement === createDeletionEvents).flatMap((one) => one.rows.map(ownerIdOf)),
  );
  const packings = new Map<string, RecordPacking>();
  const changed = new Map<WriteStatementRow, WriteStatementRow>();
  // One after the other, former states first: what follows of the same record is compared with what went before.
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
    // What a text this long tells of is looked at as a whole before the transaction ends, however short it is stored.
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

/** Whether any text of the write is long: most writes have none, and are handed on at once. */
const hasLongText = ({ steps }: WriteRequest): boolean => steps.some(({ rows }) => rows.some(isLongRow));

export const createPackingCommitter =
  (graph: Graph, commit: Committer): Committer =>
  async (write) =>
    commit(hasLongText(write) ? await packWrite(graph, write) : write);
