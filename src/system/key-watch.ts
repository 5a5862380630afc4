import type { Principal } from '../access/principal.ts';
import type { SecretBox } from '../access/secret-box.ts';
import type { SigningKey } from '../access/signing-key.ts';
import { claimFingerprint } from '../graph/apply-schema.ts';
import type { Graph } from '../graph/client.ts';
import type { Log } from '../http/log.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { JsonObject } from '../model/json.ts';
import { needsReseal, RESEAL_OPERATION } from './reseal.ts';

type KeyWatchDeps = {
  readonly graph: Graph;
  readonly jobs: JobQueue;
  readonly key: SigningKey;
  readonly secrets: SecretBox;
  /** Records a key rotation in the audit log. */
  readonly recordRotation: (details: JsonObject) => Promise<void>;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** The principal of writes that the service makes itself. */
  readonly system: Principal;
};

const LOOK_EVERY_MS = 2000;
/** The number of ticks between checks that everything is sealed by the current key, when no key has changed. */
const RESEAL_CHECK_TICKS = 300;

const fingerprintsOf = ({ key, secrets }: KeyWatchDeps): string =>
  [...key.fingerprints, '', ...secrets.fingerprints].join(' ');

/** Queues a job that seals everything with the current key, unless one for that key is waiting or running. */
const queueReseal = async ({ graph, jobs, secrets, system }: KeyWatchDeps): Promise<void> => {
  if (!(await needsReseal({ graph, secrets }))) return;
  const key = secrets.fingerprint;
  const [newest] = await jobs.listOf(RESEAL_OPERATION, 1);
  const isUnfinished = newest && (newest.status === 'QUEUED' || newest.status === 'RUNNING');
  if (isUnfinished && newest.input['key'] === key) return;
  await jobs.submit({
    operation: RESEAL_OPERATION,
    entityType: '',
    targetFqn: '',
    actor: system,
    input: { key },
    exclusive: RESEAL_OPERATION,
  });
};

/**
 * Throws when the keys of this process do not match the store's. Otherwise it publishes this process's current keys,
 * and the first process that uses a new key records the rotation in the audit log.
 */
export const assertSharedKeys = async ({
  graph,
  key,
  secrets,
  recordRotation,
}: Omit<KeyWatchDeps, 'log' | 'jobs' | 'system'>) => {
  const rotated: string[] = [];
  if (await claimFingerprint(graph, 'signing key', key.fingerprints, 'AUTH_KEY_FILE')) rotated.push('signing');
  if (await claimFingerprint(graph, 'secrets key', secrets.fingerprints, 'SECRETS_KEY')) rotated.push('sealing');
  if (rotated.length === 0) return;
  await recordRotation({ keys: rotated, signingKey: key.kid, sealingKey: secrets.fingerprint.slice(0, 8) });
};

const announceKeys = async (watched: KeyWatchDeps): Promise<void> => {
  const { key, secrets, log } = watched;
  await assertSharedKeys(watched);
  log.warn('keys were rotated', { signingKey: key.kid, sealingKey: secrets.fingerprint.slice(0, 8) });
};

/**
 * Wraps the job runner with a key watch: while it runs, new key versions are noticed within seconds, even without
 * requests, and values that former versions sealed are sealed again.
 */
export const withKeyWatch = (runner: JobRunner, deps: KeyWatchDeps): JobRunner => {
  let known = fingerprintsOf(deps);
  let [ticks, isLooking] = [0, false];
  let timer: NodeJS.Timeout | undefined;
  let problem: unknown;

  const look = async (): Promise<void> => {
    await deps.key.refresh();
    if (deps.key.problem !== undefined && deps.key.problem !== problem) {
      deps.log.error('the signing keys cannot be read', {}, deps.key.problem);
    }
    problem = deps.key.problem;
    const rings = fingerprintsOf(deps);
    const isChanged = rings !== known;
    if (isChanged) await announceKeys(deps);
    known = rings;
    if (isChanged || ticks % RESEAL_CHECK_TICKS === 0) await queueReseal(deps);
    ticks += 1;
  };

  const tick = (): void => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((failure: unknown) => deps.log.warn('the keys could not be checked for rotation', {}, failure))
      .finally(() => {
        isLooking = false;
      });
  };

  return {
    carry: runner.carry,
    start: () => {
      runner.start();
      timer ??= setInterval(tick, LOOK_EVERY_MS).unref();
    },
    stop: async () => {
      clearInterval(timer);
      timer = undefined;
      await runner.stop();
    },
  };
};
