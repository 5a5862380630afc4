/** Stops requests to a server that does not answer, so that callers do not wait for it again and again. */
export type CircuitBreaker = {
  /** Whether the server may be called now. */
  readonly isClosed: () => boolean;
  /** Reports that the server was unavailable. */
  readonly trip: () => void;
  /** Reports that the server has answered. */
  readonly reset: () => void;
};

const OPEN_MS = 30_000;

/** `clock` is monotonic, in milliseconds. */
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
