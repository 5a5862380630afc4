import { setTimeout as sleep } from 'node:timers/promises';
import { formatMegabytes, MIN_FREE_BYTES, readFreeBytes } from './disk-space.ts';
import { openHealthCheck } from './readiness.ts';
import type { EmbeddedServer } from './server.ts';

/** Restarts the embedded server when it ends unexpectedly or its database stops. */

/** The embedded server, restarted whenever it ends without being stopped. */
export type SupervisedServer = Pick<EmbeddedServer, 'uri' | 'user' | 'password'> & {
  /** The id of the present process, or of the last one. */
  pid(): number;
  /** Resolves when the server has ended and all attempts to restart it have failed. */
  readonly gaveUp: Promise<void>;
  /** Ends the server after its checkpoint, or cancels the attempt to start it. Safe to call twice. */
  stop(): Promise<void>;
};

export type SuperviseOptions = {
  readonly report: (line: string) => void;
  /** The folder of the store, which must have free space before a start is tried. */
  readonly home: string;
  /** How often to check whether the database still works, and whether there is free space. */
  readonly checkMs?: number;
  /** The pauses before consecutive restarts. There are as many attempts as pauses. */
  readonly pausesMs?: readonly number[];
  /** A server that ran for this long resets the count of consecutive restarts. */
  readonly steadyMs?: number;
};

const RESTART_PAUSES_MS = [0, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000];
const STEADY_RUN_MS = 60_000;
const HEALTH_CHECK_MS = 2000;

/** How many health checks must fail in a row before the server is restarted. */
const MAX_FAILED_CHECKS = 3;

const failureMessage = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));

type Supervision = Required<SuperviseOptions> & {
  /** Aborted when the server is to be stopped. */
  readonly signal: AbortSignal;
  current: EmbeddedServer;
  /** The number of consecutive restarts. */
  attempts: number;
};

/** Waits for free space on the disk. A start without it fails and would use up the attempts. */
const waitForRoom = async ({ home, checkMs, signal, report }: Supervision): Promise<void> => {
  for (let hasSaid = false; !signal.aborted; hasSaid = true) {
    const free = await readFreeBytes(home);
    if (free >= MIN_FREE_BYTES) return;
    if (!hasSaid) {
      report(
        `Neo4j waits for room on the disk of ${home}: ${formatMegabytes(free)} free, ${formatMegabytes(MIN_FREE_BYTES)} needed`,
      );
    }
    await sleep(checkMs, undefined, { signal });
  }
};

/**
 * Ends a server whose database has stopped, as it does when it cannot write: the process keeps running but serves
 * nobody.
 */
const endWhenDown = async (supervision: Supervision, server: EmbeddedServer, ended: AbortSignal): Promise<void> => {
  const { checkMs, report } = supervision;
  const health = openHealthCheck(server.uri, server.user, server.password);
  try {
    for (let downs = 0; downs < MAX_FAILED_CHECKS; downs = (await health.isDown()) ? downs + 1 : 0) {
      await sleep(checkMs, undefined, { signal: ended, ref: false });
    }
    report('Neo4j runs, but its database has stopped: logs/debug.log below TRIBUTARY_HOME says why');
    await waitForRoom(supervision);
    await server.stop();
  } catch (failure) {
    if (!ended.aborted) report(`Neo4j could not be asked how it is: ${failureMessage(failure)}`);
  } finally {
    await health.close();
  }
};

/** Waits for the end of the server, and ends it when its database has stopped. */
const untilEnded = async (supervision: Supervision): Promise<void> => {
  const server = supervision.current;
  const ended = new AbortController();
  const checking = endWhenDown(supervision, server, AbortSignal.any([supervision.signal, ended.signal]));
  await server.exited;
  ended.abort();
  await checking;
};

/** Restarts the server. Answers undefined when it was stopped or too many attempts have failed. */
const startAgain = async (supervision: Supervision): Promise<EmbeddedServer | undefined> => {
  const { signal, pausesMs, report } = supervision;
  let reason = 'it ended soon after each start';
  while (!signal.aborted && supervision.attempts < pausesMs.length) {
    const pauseMs = pausesMs[supervision.attempts] ?? 0;
    supervision.attempts += 1;
    if (pauseMs > 0) report(`Neo4j is started again in ${pauseMs / 1000} s`);
    try {
      await sleep(pauseMs, undefined, { signal });
      await waitForRoom(supervision);
      return await supervision.current.restart(signal);
    } catch (failure) {
      reason = failureMessage(failure);
      if (!signal.aborted) report(`Neo4j could not be started again: ${reason}`);
    }
  }
  if (!signal.aborted) report(`Neo4j is given up after ${supervision.attempts} starts: ${reason}`);
  return undefined;
};

const watchServer = async (supervision: Supervision): Promise<void> => {
  const { signal, steadyMs, report } = supervision;
  for (;;) {
    const startedMs = performance.now();
    await untilEnded(supervision);
    if (signal.aborted) return;
    if (performance.now() - startedMs >= steadyMs) supervision.attempts = 0;
    report(`Neo4j (process ${supervision.current.pid}) ended unexpectedly; requests are answered 503 until it is back`);
    const next = await startAgain(supervision);
    if (!next) return;
    supervision.current = next;
    report(`Neo4j is back (process ${supervision.current.pid})`);
  }
};

/** Supervises a server that has just started. */
export const superviseEmbeddedServer = (first: EmbeddedServer, options: SuperviseOptions): SupervisedServer => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { pausesMs = RESTART_PAUSES_MS, steadyMs = STEADY_RUN_MS, checkMs = HEALTH_CHECK_MS } = options;
  const supervision: Supervision = {
    ...options,
    pausesMs,
    steadyMs,
    checkMs,
    signal,
    current: first,
    attempts: 0,
  };
  const watching = watchServer(supervision);
  return {
    uri: first.uri,
    user: first.user,
    password: first.password,
    pid: () => supervision.current.pid,
    // A stop that was requested is no failure to report.
    gaveUp: watching.then(() => (signal.aborted ? new Promise<void>(() => {}) : undefined)),
    stop: async () => {
      stopping.abort();
      await supervision.current.stop();
      await watching;
      // A restart may have finished in the meantime.
      await supervision.current.stop();
    },
  };
};
