import type { AuditInput } from './entry.ts';

/**
 * Keeps outsiders from filling the log: within a window the first acts of each caller get one entry each, and further
 * acts are counted in one entry.
 */

export type EntryThrottleOptions = {
  readonly windowMs: number;
  /** The number of acts of one kind by one caller that get their own entry. */
  readonly each: number;
  /** The total number of acts that get their own entry. */
  readonly total: number;
  /** The number of callers and kinds that are counted separately. */
  readonly keys: number;
};

const DEFAULT_OPTIONS: EntryThrottleOptions = Object.freeze({ windowMs: 60_000, each: 10, total: 120, keys: 60 });

type ActorCounter = { seen: number; left: number; last: AuditInput };

export type EntryThrottle = {
  /** The entries to write now: the act itself, if not only counted, and the counts left from the previous window. */
  admit(input: AuditInput): readonly AuditInput[];
  /** Entries for what was only counted so far. */
  close(): readonly AuditInput[];
};

const OTHERS = '*';

/** An entry about several rows counts once for each row. */
const countOf = ({ details }: AuditInput): number => {
  const rows = details?.['rows'];
  return typeof rows === 'number' ? rows : 1;
};

export const createEntryThrottle = (
  clock: () => number,
  options: Partial<EntryThrottleOptions> = {},
): EntryThrottle => {
  const { windowMs, each, total, keys } = { ...DEFAULT_OPTIONS, ...options };
  const counters = new Map<string, ActorCounter>();
  let startedAt = clock();
  let written = 0;

  const counterFor = (input: AuditInput): ActorCounter => {
    const name = `${input.action} ${input.actor} ${input.address ?? ''}`;
    const isNew = !counters.has(name);
    const isOther = isNew && counters.size >= keys;
    const key = isOther ? OTHERS : name;
    const fresh = {
      seen: 0,
      left: 0,
      last: isOther ? { actor: OTHERS, action: input.action, address: OTHERS } : input,
    };
    const counter = counters.get(key) ?? fresh;
    counters.set(key, counter);
    return counter;
  };

  const close = (): AuditInput[] => {
    const since = startedAt;
    const summaries = [...counters.values()].flatMap(({ left, last }) => {
      if (left === 0) return [];
      const { actor, action, outcome = 'ok', address } = last;
      return [{ actor, action, outcome, address, details: { count: left, since } }];
    });
    counters.clear();
    startedAt = clock();
    written = 0;
    return summaries;
  };

  const admit = (input: AuditInput): AuditInput[] => {
    const age = clock() - startedAt;
    const before = age >= windowMs || age < 0 ? close() : [];
    const counter = counterFor(input);
    counter.seen += 1;
    if (counter.seen <= each && written < total) {
      written += 1;
      return [...before, input];
    }
    counter.left += countOf(input);
    return before;
  };

  return { admit, close };
};
