import type { Graph } from '../../graph/client.ts';
import { type Committer, type Write, type WriteRow, weightOfText } from '../../graph/commit.ts';
import { createPacking, isLong } from '../../graph/stored-texts.ts';
import { copyOf } from '../../graph/text-form.ts';
import { gone, ORDER, step } from '../plan/step.ts';
import { createFarewells } from '../queries.ts';
import { createTextCopies } from '../version-queries.ts';

/**
 * The former state of a wide record, and every event that tells of it, is a text of megabytes that differs from the one
 * before in a few words. On its way to the database each of them becomes a difference from a copy that the record keeps.
 */

type Texted = { readonly json: string };
type Told = NonNullable<WriteRow['event']> & Texted & { readonly entityId: string };

const stateOf = (row: WriteRow): Texted | undefined => row['state'] as Texted | undefined;

const isLongRow = (row: WriteRow): boolean =>
  isLong(stateOf(row)?.json) || isLong((row.event as Partial<Texted> | undefined)?.json);

const ownerOf = (row: WriteRow): string => String(row['entityId'] ?? (row.event as Told | undefined)?.entityId);

type Packing = Awaited<ReturnType<typeof createPacking>>;

const packRow = async (row: WriteRow, { pack }: Packing): Promise<WriteRow> => {
  const state = stateOf(row);
  if (state && isLong(state.json)) return { ...row, state: { ...state, json: await pack(state.json) } };
  const event = row.event as Told | undefined;
  if (!event) return row;
  const json = await pack(event.json);
  const told: Told & { readonly copyId: string | null } = { ...event, json, copyId: copyOf(json) ?? null };
  return { ...row, event: told };
};

/** The write with every long text in it as a difference, and with the copies that those are differences from. */
const packed = async (graph: Graph, write: Write): Promise<Write> => {
  const rows = write.steps.flatMap((one) => one.rows.filter(isLongRow));
  if (rows.length === 0) return write;
  const going = new Set(
    write.steps.filter(({ statement }) => statement === createFarewells).flatMap((one) => one.rows.map(ownerOf)),
  );
  const packings = new Map<string, Packing>();
  const changed = new Map<WriteRow, WriteRow>();
  // One after the other, former states first: what follows of the same record is compared with what went before.
  for (const row of [...rows].sort((a, b) => Number(stateOf(b) !== undefined) - Number(stateOf(a) !== undefined))) {
    const owner = ownerOf(row);
    const packing = packings.get(owner) ?? (await createPacking(graph, owner, !going.has(owner)));
    packings.set(owner, packing);
    changed.set(row, await packRow(row, packing));
  }
  const copies = [...packings].flatMap(([entityId, { copies }]) => copies().map((copy) => ({ entityId, copy })));
  return {
    keys: write.keys,
    // What a text this long tells of is looked at as a whole before the transaction ends, however short it is stored.
    weight: rows.reduce((sum, row) => sum + weightOfText(stateOf(row)?.json ?? (row.event as Told).json), 0),
    steps: [
      ...write.steps.map((one) => ({ ...one, rows: one.rows.map((row) => changed.get(row) ?? row) })),
      step(createTextCopies, ORDER.keepVersion, copies, gone('entity', copies[0]?.entityId ?? '')),
    ],
  };
};

/** Whether any text of the write is long: most writes have none, and are handed on at once. */
const hasLongText = ({ steps }: Write): boolean => steps.some(({ rows }) => rows.some(isLongRow));

export const packingCommitter =
  (graph: Graph, commit: Committer): Committer =>
  async (write) =>
    commit(hasLongText(write) ? await packed(graph, write) : write);
