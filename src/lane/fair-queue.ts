import { callerGone } from '../errors.ts';

/** An admitted request. It takes up capacity until `giveRoom`, and may then still be streaming its answer. */
export type Admission = {
  /** Returns the capacity. The request still counts against the limit of its holder. */
  giveRoom(): void;
  /** Returns everything the request still holds. */
  leave(): void;
};

/** Limits concurrent work to a capacity and serves the holders in turn. */
export type FairQueue = {
  /** Waits for capacity, and while the holder has reached its own limit. Rejects when the signal is aborted first. */
  enter(holder: string, weight: number, signal: AbortSignal): Promise<Admission>;
};

type WaitingWork = { readonly weight: number; readonly start: () => void };

type QueueState = {
  readonly capacity: number;
  readonly mostPerHolder: number;
  /** The holders in the order of their turns. */
  readonly waiting: Map<string, WaitingWork[]>;
  /** The number of admitted requests of each holder. */
  readonly inside: Map<string, number>;
  /** The number and the total weight of the requests that take up capacity. */
  running: number;
  used: number;
};

const fits = ({ running, used, capacity }: QueueState, weight: number): boolean =>
  running === 0 || used + weight <= capacity;

const startWaiting = (queue: QueueState): void => {
  const { waiting, inside, mostPerHolder } = queue;
  for (const [holder, theirs] of waiting) {
    // A holder that does not read its answers must not delay the others.
    if ((inside.get(holder) ?? 0) >= mostPerHolder) continue;
    const [next] = theirs;
    if (!next || !fits(queue, next.weight)) return;
    theirs.shift();
    waiting.delete(holder);
    if (theirs.length > 0) waiting.set(holder, theirs);
    next.start();
  }
};

const countOut = ({ inside }: QueueState, holder: string): void => {
  const left = (inside.get(holder) ?? 0) - 1;
  if (left > 0) inside.set(holder, left);
  else inside.delete(holder);
};

const admit = (queue: QueueState, holder: string, weight: number): Admission => {
  let hasRoom = true;
  let isInside = true;
  queue.running += 1;
  queue.used += weight;
  queue.inside.set(holder, (queue.inside.get(holder) ?? 0) + 1);
  const giveRoom = (): void => {
    if (!hasRoom) return;
    hasRoom = false;
    queue.running -= 1;
    queue.used -= weight;
    startWaiting(queue);
  };
  const leave = (): void => {
    if (!isInside) return;
    isInside = false;
    countOut(queue, holder);
    giveRoom();
    startWaiting(queue);
  };
  return { giveRoom, leave };
};

const waitForTurn = (queue: QueueState, holder: string, weight: number, signal: AbortSignal): Promise<Admission> =>
  new Promise((resolve, reject) => {
    const theirs = queue.waiting.get(holder) ?? [];
    const giveUp = () => {
      const at = theirs.indexOf(one);
      if (at === -1) return;
      theirs.splice(at, 1);
      if (theirs.length === 0) queue.waiting.delete(holder);
      reject(callerGone());
      startWaiting(queue);
    };
    const one: WaitingWork = {
      weight,
      start: () => {
        signal.removeEventListener('abort', giveUp);
        resolve(admit(queue, holder, weight));
      },
    };
    theirs.push(one);
    queue.waiting.set(holder, theirs);
    signal.addEventListener('abort', giveUp, { once: true });
    startWaiting(queue);
  });

/** Work that is heavier than the whole capacity runs alone. */
export const createFairQueue = (capacity: number, mostPerHolder: number): FairQueue => {
  const queue: QueueState = { capacity, mostPerHolder, waiting: new Map(), inside: new Map(), running: 0, used: 0 };
  return {
    enter: (holder, weight, signal) =>
      signal.aborted ? Promise.reject(callerGone()) : waitForTurn(queue, holder, weight, signal),
  };
};
