import { CatalogError } from '../errors.ts';

/** Lets everybody do something that often within a span of time. */
export type RateLimit = {
  /** Counts what somebody does. Throws too_many_requests, and counts nothing, when it is too much for now. */
  take(holder: string, count: number): void;
};

type RateLimitOptions = {
  readonly most: number;
  readonly spanMs: number;
  readonly clock: () => number;
  /** What is limited, for the message: `tests of destinations`. */
  readonly what: string;
};

type Span = { readonly since: number; readonly used: number };

/** Beyond as many holders, the span that began first is forgotten. */
const MAX_HOLDERS = 10_000;

export const createRateLimit = ({ most, spanMs, clock, what }: RateLimitOptions): RateLimit => {
  const spans = new Map<string, Span>();
  return {
    take: (holder, count) => {
      const now = clock();
      const known = spans.get(holder);
      const span = known && now < known.since + spanMs ? known : { since: now, used: 0 };
      if (span.used + count > most) {
        throw new CatalogError('too_many_requests', `Only ${most} ${what} may be made in ${spanMs / 1000} s`, {
          retryAfterSeconds: Math.ceil((span.since + spanMs - now) / 1000),
        });
      }
      spans.delete(holder);
      spans.set(holder, { since: span.since, used: span.used + count });
      const [first] = spans.keys();
      if (spans.size > MAX_HOLDERS && first !== undefined) spans.delete(first);
    },
  };
};
