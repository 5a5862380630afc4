import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { PATIENCE_MS } from './patience.ts';
import { runProgram } from './program.ts';

/**
 * Sends requests to a service in another process, and tells how long they blocked its main thread: in processor time of
 * that thread, so that other processes matter little.
 */

export type Attack = {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whoever asks; the one named when the service was opened unless given. */
  readonly token?: string;
  /** What belongs to the attack beyond the answer. */
  readonly settled?: () => Promise<void>;
};

/** Some attacks under one name; each is made anew for every try. */
export type Attacks = readonly [name: string, ...(() => Attack)[]];

type Answer = { readonly status: number; readonly text: string };

export type HeldService = {
  readonly address: string;
  /** Sends a request; when it started a job, waits until that is complete. */
  send(attack: Attack): Promise<Answer>;
  /** The longest time for which the service's event loop was blocked since the last call. */
  longestMs(): Promise<number>;
  close(): Promise<void>;
};

const OVER = /"status":"(?:COMPLETED|FAILED|CANCELLED)"/;

/** The service on the store of this run in another process, attacked with the token of a caller. */
export const openHeldService = async (token: string): Promise<HeldService> => {
  const held = runProgram('hold-loop.ts');
  const address = await held.line('ready ');
  let asked = 0;

  const longestMs = async (): Promise<number> => {
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
    const deadline = performance.now() + PATIENCE_MS;
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

  const close = async () => {
    held.process.stdin?.end();
    await held.exited;
  };
  return { address, send, longestMs, close };
};

/** Sends a request that must be answered with a status; answers the body. */
export const expectSent = async (held: HeldService, attack: Attack, status: number): Promise<string> => {
  const answer = await held.send(attack);
  assert.is(answer.status, status, answer.text.slice(0, 200));
  return answer.text;
};

/** Sends some attacks one after the other. Fails when one is answered by a failure of the service. */
export const sendAll = async (held: HeldService, [name, ...attacks]: Attacks): Promise<void> => {
  for (const attack of attacks) {
    const { status, text } = await held.send(attack());
    if (status === 500) throw new Error(`${name} is answered 500: ${text.slice(0, 200)}`);
  }
};

/** Sends some sets of attacks. Fails naming all that the service fails at. */
export const expectAnswered = async (held: HeldService, sets: readonly Attacks[]): Promise<void> => {
  const failures: string[] = [];
  for (const attacks of sets) {
    await sendAll(held, attacks).catch((failure: unknown) => failures.push(`${attacks[0]}: ${failure}`));
  }
  assert.equal(failures, []);
};
