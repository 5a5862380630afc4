import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PATIENCE_MS, waitUntil } from './patience.ts';
import { launchService, type ServiceProcess, startServiceProcess, stopServiceProcess } from './service-process.ts';

/**
 * Homes whose service has been started before. A first start creates some hundred indexes, and the sample company takes
 * four times as long again, so a run of many files makes each of them once and gives copies to whoever needs a service of
 * its own. A run of few files starts from nothing: there is not enough to share.
 */

/** What a prepared home has behind it: its first start, or also the loading of the sample company. */
type Preparation = 'started' | 'company';

/** The variable that names the folder of the prepared homes of this run. */
export const PREPARED_HOMES = 'TEST_PREPARED_HOMES';

/** Another process starts a service and may load the whole sample company. */
const PREPARE_MS = 8 * PATIENCE_MS;

const run = promisify(execFile);

/** Copies what is in a folder. Logs of transactions are created large and empty, and stay empty where that is possible. */
const copyFolder = async (from: string, to: string): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o700 });
  if (process.platform === 'linux') await run('cp', ['-a', '--sparse=always', `${from}/.`, to]);
  else await cp(from, to, { recursive: true });
};

const loadCompany = async (home: string): Promise<void> => {
  const seed = launchService(home, ['seed']);
  await once(seed.child, 'close');
  if (seed.child.exitCode !== 0) throw new Error(`the sample company was not loaded: ${seed.output()}`);
};

const build = async (root: string, preparation: Preparation): Promise<void> => {
  const home = join(root, `${preparation}.new`);
  await rm(home, { recursive: true, force: true });
  if (preparation === 'company') await copyFolder(await prepare(root, 'started'), home);
  const service = await startServiceProcess(home);
  try {
    if (preparation === 'company') await loadCompany(home);
  } finally {
    await stopServiceProcess(service, 'SIGTERM');
  }
  await rm(join(home, 'admin.token'));
  await rm(join(home, 'logs'), { recursive: true });
  await rename(home, join(root, preparation));
};

/** Whether this process is the one that prepares; the others wait for it. */
const takeTurn = (folder: string): Promise<boolean> =>
  mkdir(folder).then(
    () => true,
    (failure: NodeJS.ErrnoException) => {
      if (failure.code === 'EEXIST') return false;
      throw failure;
    },
  );

/** Answers the folder of a prepared home, which is made when nobody has needed it before. */
const prepare = async (root: string, preparation: Preparation): Promise<string> => {
  const folder = join(root, preparation);
  const turn = `${folder}.turn`;
  const buildOrLook = async () => {
    if (!existsSync(folder) && (await takeTurn(turn))) {
      try {
        if (!existsSync(folder)) await build(root, preparation);
      } finally {
        await rm(turn, { recursive: true });
      }
    }
    return existsSync(folder);
  };
  await waitUntil(buildOrLook, `${folder} is prepared`, undefined, { pauseMs: 200, patienceMs: PREPARE_MS });
  return folder;
};

const preparedHomes = (): string | undefined => process.env[PREPARED_HOMES];

/** Makes a home like one whose service has been started before, when this run has such a home. */
export const copyPreparedHome = async (home: string, root = preparedHomes()): Promise<void> => {
  if (root !== undefined) await copyFolder(await prepare(root, 'started'), home);
};

/** Starts a service on a new home, for tests that are not about its first start. */
export const startService = async (home: string, env?: Readonly<Record<string, string>>): Promise<ServiceProcess> => {
  await copyPreparedHome(home);
  return startServiceProcess(home, env);
};

/** Starts a service on a new home with the sample company. */
export const startCompanyService = async (home: string): Promise<ServiceProcess> => {
  const root = preparedHomes();
  if (root !== undefined) await copyFolder(await prepare(root, 'company'), home);
  const service = await startServiceProcess(home);
  if (root === undefined) await loadCompany(home);
  return service;
};
