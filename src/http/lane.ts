import type { ReceivedBody } from './body.ts';
import { type Answer, type Call, HandOver, type Route } from './route.ts';

/** Where requests are answered that would hold the event loop: another thread with an application of its own. */
export type Lane = {
  /** Answers a request there. Rejects as the handler of the route would. */
  answer(
    route: Route,
    call: Call & { readonly body: ReceivedBody },
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer>;
};

/** The text that one request may have the event loop work off: some 10 ms of parsing, rendering and writing. */
const MOST_CHARACTERS = 512 * 1024;

const spendNothing = (): void => {};

/** The count of what one request costs; where there is no other thread, nothing is too much. */
export const spender = (lane: Lane | undefined): Call['spend'] => {
  if (!lane) return spendNothing;
  let spent = 0;
  return (characters) => {
    spent += characters;
    if (spent > MOST_CHARACTERS) throw new HandOver('the answer is left to another thread');
  };
};
