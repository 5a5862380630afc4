import { setTimeout as sleep } from 'node:timers/promises';
import { formatMegabytes, MIN_FREE_BYTES, readFreeBytes } from './disk-space.ts';
import { openHealthCheck } from './readiness.ts';
import type { EmbeddedServer } from './server.ts';

/** The embedded server, started again whenever it ends without having been asked to. */
export type SupervisedServer = Pick<EmbeddedServer, 'uri' | 'user' | 'password'> & {
  /** The process that runs now, or ran last. */
  pid(): number;
  /** Resolves when the server ended and could not be started again as often as is tried. */
  readonly gaveUp: Promise<void>;
  /** Ends the server after its checkpoint, or the attempt to start it. Safe to call twice. */
  stop(): Promise<void>;
};

export type SuperviseOptions = {
  readonly report: (line: string) => void;
  /** The folder of the store, which must have room before a start is tried. */
  readonly home: string;
  /** How often to ask whether the database still works, and how often to look for room. */
  readonly checkMs?: number;
  /** How long to wait before the first, second, … start in a row. There are as many starts as pauses. */
  readonly pausesMs?: readonly number[];
  /** A server that ran this long counts as well, and the next end is the first in a row again. */
  readonly steadyMs?: number;
};

const RESTART_PAUSES_MS = [0, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000];
const STEADY_RUN_MS = 60_000;
const HEALTH_CHECK_MS = 2000;

/** So often in a row a database that runs says that it does not work before it is started again. */
const MAX_FAILED_CHECKS = 3;

const failureMessage = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));

/** Watches over a server that has just been started. */
export const superviseEmbeddedServer = (first: EmbeddedServer, options: SuperviseOptions): SupervisedServer => {
  const { report, home, pausesMs = RESTART_PAUSES_MS, steadyMs = STEADY_RUN_MS, checkMs = HEALTH_CHECK_MS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let current = first;
  let attempts = 0;

  /** A server that is started without room fails, and these failures would use up the attempts. */
  const waitForRoom = async (): Promise<void> => {
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

  /** A server whose database has stopped, as it does when it cannot write, goes on running and serves nobody. */
  const endWhenDown = async (server: EmbeddedServer, ended: AbortSignal): Promise<void> => {
    const health = openHealthCheck(server.uri, server.user, server.password);
    try {
      for (let downs = 0; downs < MAX_FAILED_CHECKS; downs = (await health.isDown()) ? downs + 1 : 0) {
        await sleep(checkMs, undefined, { signal: ended, ref: false });
      }
      report('Neo4j runs, but its database has stopped: logs/debug.log below TRIBUTARY_HOME says why');
      await waitForRoom();
      await server.stop();
    } catch (failure) {
      if (!ended.aborted) report(`Neo4j could not be asked how it is: ${failureMessage(failure)}`);
    } finally {
      await health.close();
    }
  };

  /** Waits for the end of the server, and brings it about when nothing else helps. */
  const untilEnded = async (server: EmbeddedServer): Promise<void> => {
    const ended = new AbortController();
    const checking = endWhenDown(server, AbortSignal.any([signal, ended.signal]));
    await server.exited;
    ended.abort();
    await checking;
  };

  /** Answers the server that runs again; undefined when it is not to be, or too many starts have failed. */
  const startAgain = async (): Promise<EmbeddedServer | undefined> => {
    let reason = 'it ended soon after each start';
    while (!signal.aborted && attempts < pausesMs.length) {
      const pauseMs = pausesMs[attempts] ?? 0;
      attempts += 1;
      if (pauseMs > 0) report(`Neo4j is started again in ${pauseMs / 1000} s`);
      try {
        await sleep(pauseMs, undefined, { signal });
        await waitForRoom();
        return await current.restart(signal);
      } catch (failure) {
        reason = failureMessage(failure);
        if (!signal.aborted) report(`Neo4j could not be started again: ${reason}`);
      }
    }
    if (!signal.aborted) report(`Neo4j is given up after ${attempts} starts: ${reason}`);
    return undefined;
  };

  const watch = async (): Promise<void> => {
    for (;;) {
      const startedMs = performance.now();
      await untilEnded(current);
      if (signal.aborted) return;
      if (performance.now() - startedMs >= steadyMs) attempts = 0;
      report(`Neo4j (process ${current.pid}) ended unexpectedly; requests are answered 503 until it is back`);
      const next = await startAgain();
      if (!next) return;
      current = next;
      report(`Neo4j is back (process ${current.pid})`);
    }
  };

  const watching = watch();
  return {
    uri: first.uri,
    user: first.user,
    password: first.password,
    pid: () => current.pid,
    // Whoever asked for the end does not need to hear of it.
    gaveUp: watching.then(() => (signal.aborted ? new Promise<void>(() => {}) : undefined)),
    stop: async () => {
      stopping.abort();
      await current.stop();
      await watching;
      // A start that was under way may have come to its end meanwhile.
      await current.stop();
    },
  };
};
