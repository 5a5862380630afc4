import { setTimeout as sleep } from 'node:timers/promises';
import type { SendRequest } from '../service-client.ts';

/** Sends requests of an import that runs for long: what a busy service refuses is asked again a few times. */

const BUSY: ReadonlySet<number> = new Set([429, 503]);
const MAX_TRIES = 6;
const FIRST_WAIT_SECONDS = 1;
const MAX_WAIT_SECONDS = 60;

/** A request without an answer after this time has none. */
const TIMEOUT_MS = 120_000;

/** How long the answer asks to wait, in seconds or until a date; the wait by itself doubles each time. */
const secondsToWait = (response: Response, tries: number): number => {
  const said = response.headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(said) ? Number(said) : (Date.parse(said) - Date.now()) / 1000;
  const wanted = Number.isNaN(seconds) ? FIRST_WAIT_SECONDS * 2 ** (tries - 1) : seconds;
  return Math.min(Math.max(wanted, 0), MAX_WAIT_SECONDS);
};

/** Gives requests a time limit, and sends those again that a service is too busy for. */
export const patientSend =
  (send: SendRequest): SendRequest =>
  async (address, init) => {
    for (let tries = 1; ; tries += 1) {
      const response = await send(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!BUSY.has(response.status) || tries === MAX_TRIES) return response;
      await response.body?.cancel();
      await sleep(secondsToWait(response, tries) * 1000);
    }
  };
