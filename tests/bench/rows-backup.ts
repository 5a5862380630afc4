import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environmentOf, program } from './service.ts';
import type { Result, Stand } from './stand.ts';

/** Measures a backup while the service runs, and a restore into an empty home. */

const MINUTES_EACH = 10;
/** The aim is for so many tables with ten columns each; fewer have to be as fast. */
const AIMED_TABLES = 100_000;

const runProgram = promisify(execFile);

const secondsOf = async (home: string, args: readonly string[]): Promise<number> => {
  const started = performance.now();
  await runProgram(process.execPath, [program, ...args], { env: environmentOf(home) });
  return (performance.now() - started) / 1000;
};

export const measureBackup = async (stand: Stand): Promise<Result> => {
  const file = join(stand.folder, 'backup.tar');
  const home = join(stand.folder, 'restored');
  const out = await secondsOf(stand.service.home, ['backup', file]);
  const megabytes = (await stat(file)).size / 2 ** 20;
  stand.say(`backed up in ${out.toFixed(0)} s, ${megabytes.toFixed(0)} MiB`);
  const back = await secondsOf(home, ['restore', file]);
  await rm(home, { recursive: true, force: true });
  await rm(file);
  const most = (60 * MINUTES_EACH * stand.options.tables) / AIMED_TABLES;
  return {
    row: 'backup',
    work: `backup while the service runs / restore, ${stand.options.tables} tables × 10 columns`,
    raw: '',
    service: `${megabytes.toFixed(0)} MiB`,
    reached: `${out.toFixed(0)} / ${back.toFixed(0)} s`,
    target: `≤ ${most.toFixed(0)} s each`,
    ok: out <= most && back <= most,
    figures: { backupSeconds: out, restoreSeconds: back, megabytes },
  };
};
