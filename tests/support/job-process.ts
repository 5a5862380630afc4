import * as assert from 'node:assert/strict';
import type { AppDeps } from '../../src/app.ts';
import type { HoldPoint } from './hold-point.ts';
import { waitUntil } from './patience.ts';
import { type Program, runProgram } from './program.ts';
import type { Service } from './service.ts';

/** Runs jobs in a process of its own, which a test kills. */

/** Starts a process that runs the jobs of this run's store and, when it is given a hold point, stops there. */
export const startJobProcess = async (bounds: NonNullable<AppDeps['bounds']>, hold?: HoldPoint): Promise<Program> => {
  const program = runProgram('hold-jobs.ts', JSON.stringify(bounds), ...(hold ? [JSON.stringify(hold)] : []));
  await program.line('ready');
  return program;
};

/** Waits until a process that was given a hold point is there. */
export const waitUntilHeld = async ({ lines, process }: Program): Promise<void> => {
  const hasEnded = () => process.exitCode !== null || process.signalCode !== null;
  await waitUntil(
    () => lines.includes('held') || hasEnded(),
    'a process comes to its hold point',
    () => lines,
  );
  assert.ok(lines.includes('held'), `a process ended before its hold point: ${lines.join(', ')}`);
};

/** Has a process do a job up to a hold point, and kills it there once `whileHeld` has looked at what it leaves. */
export const killJobAt = async (
  bounds: NonNullable<AppDeps['bounds']>,
  hold: HoldPoint,
  whileHeld: () => Promise<void> = async () => {},
): Promise<void> => {
  const victim = await startJobProcess(bounds, hold);
  try {
    await waitUntilHeld(victim);
    await whileHeld();
  } finally {
    await victim.kill();
  }
};

/**
 * Lets other processes take over the jobs of a dead one without waiting for its leases. The locks of the dead process go
 * first, so what it had not committed is undone by then.
 */
export const expireJobLeases = async ({ graph }: Service): Promise<void> => {
  await graph.query('MATCH (n:Job) WHERE n.open = true AND n.leaseUntil > 0 SET n.leaseUntil = 1');
};
