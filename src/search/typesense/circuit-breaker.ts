/** Keeps requests away from a server that does not answer, so that nobody waits for it again and again. */
export type CircuitBreaker = {
  /** Whether the server may be asked now. */
  readonly isClosed: () => boolean;
  /** Says that the server was away just now. */
  readonly trip: () => void;
  /** Says that it has answered. */
  readonly reset: () => void;
};

const OPEN_MS = 30_000;

/** `clock` is steady and in milliseconds. */
export const createCircuitBreaker = (clock: () => number, openMs = OPEN_MS): CircuitBreaker => {
  let openUntil = Number.NEGATIVE_INFINITY;
  return {
    isClosed: () => clock() >= openUntil,
    trip: () => {
      openUntil = clock() + openMs;
    },
    reset: () => {
      openUntil = Number.NEGATIVE_INFINITY;
    },
  };
};
