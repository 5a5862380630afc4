import type { Engine, Writer } from '../engine.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { permitGiving } from './permit-giving.ts';
import { permitUncovering } from './permit-uncovering.ts';

/** Decides what the right to edit single members does not: whether a change gives rights, or uncovers what is hidden. */
export const permitChange = async (
  engine: Engine,
  writer: Writer,
  before: Snapshot,
  after: Snapshot,
): Promise<void> => {
  await permitGiving(engine, writer, before, after);
  await permitUncovering(engine, writer, before, after);
};
