import { LRUCache } from 'lru-cache';
import type { ReceivedBody } from './request-body.ts';
import { type Answer, type Call, HandOverToLane, type Route } from './route.ts';

/** Answers requests that would block the event loop, in another thread with an application of its own. */
export type RequestLane = {
  /** Answers a request there. Rejects with the same failures as the route's handler. */
  answer(
    route: Route,
    call: Call & { readonly body: ReceivedBody },
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer>;
};

/** The maximum text that one request may have the event loop process: some 10 ms of parsing, rendering and writing. */
const MAX_EVENT_LOOP_CHARACTERS = 512 * 1024;

const ignoreWork = (): void => {};

/** Creates the function that counts the work of one request. Without another thread, nothing is too much. */
export const createWorkCounter = (lane: RequestLane | undefined): Call['countWork'] => {
  if (!lane) return ignoreWork;
  let spent = 0;
  return (characters) => {
    spent += characters;
    if (spent > MAX_EVENT_LOOP_CHARACTERS) throw new HandOverToLane('the answer is left to another thread');
  };
};

/** Remembers which requests were handed over, so that the same ones go to the other thread at once. */
export type HandedOver = {
  has(route: Route, call: Call): boolean;
  add(route: Route, call: Call): void;
};

const MAX_REMEMBERED_CHARACTERS = 4 * 1024 * 1024;

/** What a request asks for may become less. */
const REMEMBERED_MS = 10 * 60_000;

export const createHandedOver = (): HandedOver => {
  const known = new LRUCache<string, true>({
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: (_known, { length }) => length,
    ttl: REMEMBERED_MS,
  });
  const keyOf = ({ method, path }: Route, { params, query }: Call): string =>
    [method, path, ...Object.values(params), query.toString()].join(' ');
  return {
    has: (route, call) => known.size > 0 && known.has(keyOf(route, call)),
    add: (route, call) => {
      known.set(keyOf(route, call), true);
    },
  };
};
