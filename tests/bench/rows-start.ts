import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './measure.ts';
import { residentMb } from './processes.ts';
import { startService } from './service.ts';
import { type Result, type Stand, settingsOf } from './stand.ts';

const EXISTING_MS = 10_000;
const FIRST_MS = 25_000;
const STARTS = 2;

/** Ends the service and starts it again on the same store. */
export const restart = async (stand: Stand, env?: Readonly<Record<string, string>>): Promise<number> => {
  await stand.raw.run('disconnect', undefined);
  await stand.service.stop();
  stand.service = await startService(stand.service.home, { ...settingsOf(stand.options), ...env });
  await stand.raw.run('connect', { home: stand.service.home });
  return stand.service.readyMs;
};

const firstStart = async (stand: Stand): Promise<number> => {
  const home = join(stand.folder, 'empty');
  const service = await startService(home, settingsOf(stand.options));
  await service.stop();
  await rm(home, { recursive: true, force: true });
  return service.readyMs;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Starts on the store that the other rows filled, and on an empty one. Expects the very first start's time. */
export const measureStart = async (stand: Stand, veryFirstMs: number): Promise<Result> => {
  const existing: number[] = [];
  for (let round = 0; round < STARTS; round += 1) existing.push(await restart(stand));
  const first = [veryFirstMs, await firstStart(stand)];
  const existingMs = median(existing);
  const firstMs = median(first);
  return {
    row: 'start',
    work: 'start to ready, existing store / first start',
    raw: '',
    service: '',
    reached: `${seconds(existingMs)} / ${seconds(firstMs)}`,
    target: `< ${seconds(EXISTING_MS)} / < ${seconds(FIRST_MS)}`,
    ok: existingMs < EXISTING_MS && firstMs < FIRST_MS,
    figures: { existingMs: existing, firstMs: first },
  };
};

/** The database gives memory back when it has been idle for two minutes. */
const IDLE_MS = 150_000;
const PROCESS_MB = 150;
const DATABASE_MB = 700;

type Memory = { readonly processMb: number; readonly databaseMb: number };

const idleMemory = async (stand: Stand): Promise<Memory> => {
  stand.say(`idle for ${seconds(IDLE_MS)}`);
  await sleep(IDLE_MS);
  return {
    processMb: await residentMb(stand.service.pid),
    databaseMb: await residentMb(stand.service.databasePid),
  };
};

const memoryText = ({ processMb, databaseMb }: Memory): string =>
  `${processMb.toFixed(0)} / ${databaseMb.toFixed(0)} MB`;

/** What service and database hold when nobody calls: after all that was measured before, and after a start. */
export const measureMemory = async (stand: Stand): Promise<Result> => {
  const used = await idleMemory(stand);
  await restart(stand);
  const fresh = await idleMemory(stand);
  return {
    row: 'memory',
    work: 'resident memory, process / database, idle after a start on the full store',
    raw: '',
    service: `after the load ${memoryText(used)}`,
    reached: memoryText(fresh),
    target: `< ${PROCESS_MB} / < ${DATABASE_MB} MB`,
    ok: fresh.processMb < PROCESS_MB && fresh.databaseMb < DATABASE_MB,
    figures: { ...fresh, afterLoad: used },
  };
};
