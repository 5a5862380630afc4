import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { runProgram } from './program.ts';

/**
 * Sends requests to a service in another process and measures how long they block its main thread.
 *
 * It measures processor time of that thread, so that a busy machine matters little. Garbage collection sometimes does: a
 * set that fails is therefore run up to four times more and must pass twice, because what really holds the loop shows each
 * time. And two processors that share a core are half as fast when both are busy: times are allowed for by those of a fixed
 * work, which is measured beside a failure.
 */
export const MOST_MS = 50;
const TRIES_AGAIN = 4;
const PASSES_AGAIN = 2;

/** A fixed work, the processor time that it usually takes, and how much slower a processor may be. */
const YARDSTICK = JSON.stringify(
  Array.from({ length: 20_000 }, (_, at) => ({ name: `column_${at}`, dataType: 'VARCHAR', tags: [], at })),
);
const USUAL_MS = 12;
const MOST_SLOWNESS = 2;

/** How many times slower than usual the processor is now; 1 when it is as fast or faster. */
const measureSlowness = (): number => {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    JSON.stringify(JSON.parse(YARDSTICK));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(MOST_SLOWNESS, Math.max(1, Math.min(...times) / USUAL_MS));
};

export type Attack = {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whoever asks; the one named when the service was opened unless given. */
  readonly token?: string;
  /** What belongs to the try beyond the answer. */
  readonly settled?: () => Promise<void>;
};

/** Some attacks under one name; each is made anew for every try. */
export type Attacks = readonly [name: string, ...(() => Attack)[]];

export type HeldService = {
  readonly address: string;
  /** Sends a request; when it started a job, waits until that is over. */
  send(attack: Attack): Promise<{ readonly status: number; readonly text: string }>;
  /** Fails when one of some sets of attacks holds the event loop for too long. */
  none(attacks: Iterable<Attacks>): Promise<void>;
  close(): Promise<void>;
};

const JOB_WITHIN_MS = 60_000;
const OVER = /"status":"(?:COMPLETED|FAILED|CANCELLED)"/;

/** The service on the store of this run in another process, attacked with the token of a caller. */
export const openHeldService = async (token: string): Promise<HeldService> => {
  const held = runProgram('hold-loop.ts');
  const address = await held.line('ready ');
  let asked = 0;

  /** The longest time for which the service's event loop was held since the last call. */
  const longest = async (): Promise<number> => {
    asked += 1;
    held.process.stdin?.write('\n');
    for (;;) {
      const said = held.lines.filter((line) => line.startsWith('longest '))[asked - 1];
      if (said !== undefined) return Number(said.slice('longest '.length));
      await pause(1);
    }
  };

  const once = async ({ method = 'GET', path, body, type = 'application/json', headers = {}, ...own }: Attack) => {
    const authorization = `Bearer ${own.token ?? token}`;
    const init = { method, headers: { authorization, 'content-type': type, ...headers } };
    const response = await fetch(`${address}${path}`, body === undefined ? init : { ...init, body });
    const text = await response.text();
    const jobId = response.headers.get('x-job-id') ?? /^\{"jobId":"([0-9a-f-]{36})"/.exec(text)?.[1];
    return { status: response.status, text, jobId };
  };

  const jobOver = async (jobId: string): Promise<void> => {
    const deadline = performance.now() + JOB_WITHIN_MS;
    for (;;) {
      const { text } = await once({ path: `/v1/jobs/${jobId}` });
      if (OVER.test(text)) return assert.match(text, /"status":"COMPLETED"/);
      if (performance.now() > deadline) throw new Error(`job ${jobId} is not over: ${text.slice(0, 300)}`);
      await pause(20);
    }
  };

  const send: HeldService['send'] = async (attack) => {
    const { status, text, jobId } = await once(attack);
    if (jobId !== undefined) await jobOver(jobId);
    await attack.settled?.();
    return { status, text };
  };

  /** How long one try held the loop; a text when a request failed in a way that none should. */
  const tryOnce = async (attacks: readonly (() => Attack)[]): Promise<number | string> => {
    await longest();
    for (const attack of attacks) {
      const { status, text } = await send(attack());
      if (status === 500) return text.slice(0, 200);
    }
    return longest();
  };

  const failureOf = async ([name, ...attacks]: Attacks): Promise<string | undefined> => {
    const times: number[] = [];
    while (times.length <= TRIES_AGAIN) {
      const found = await tryOnce(attacks);
      if (typeof found === 'string') return `${name} is answered 500: ${found}`;
      times.push(found <= MOST_MS ? found : found / measureSlowness());
      const passes = times.filter((ms) => ms <= MOST_MS).length;
      if (passes === times.length || passes === PASSES_AGAIN) return undefined;
    }
    return `${name} holds the event loop for ${times.map((ms) => ms.toFixed(1)).join(', ')} ms of a usual processor`;
  };

  return {
    address,
    send,
    none: async (attacks) => {
      const failures: string[] = [];
      for (const one of attacks) {
        const failure = await failureOf(one);
        if (failure !== undefined) failures.push(failure);
      }
      assert.is(failures.join('\n'), '');
    },
    close: async () => {
      held.process.stdin?.end();
      await held.exited;
    },
  };
};
