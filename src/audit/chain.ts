import { type AuditEntry, hashEntry } from './entry.ts';
import type { AuditHead } from './queries.ts';

/** Verifies the hash chain of an audit log, entry by entry in order. */
export type ChainCheck = {
  /** Describes the problem with the next entry, if any. */
  next(entry: AuditEntry): string | undefined;
  /** Describes the problem with the end of the chain, if any. */
  end(): string | undefined;
  readonly count: () => number;
  /** The hash of the last entry. */
  readonly last: () => string;
};

/** Creates a check. Without a head, as for a file, the first entry is trusted and the expected end is unknown. */
export const createChainCheck = (head: AuditHead | undefined): ChainCheck => {
  let previous = head && { seq: head.anchorSeq, hash: head.anchorHash };
  let count = 0;
  const next = (entry: AuditEntry): string | undefined => {
    const expected = previous ?? { seq: entry.seq - 1, hash: entry.previousHash };
    previous = { seq: entry.seq, hash: entry.hash };
    count += 1;
    if (entry.seq !== expected.seq + 1) return `entry ${expected.seq + 1} is missing: ${entry.seq} stands in its place`;
    if (entry.previousHash !== expected.hash) return `entry ${entry.seq} does not follow from the one before it`;
    if (hashEntry(entry) !== entry.hash) return `entry ${entry.seq} was changed: its hash is another one`;
    return undefined;
  };
  const end = (): string | undefined => {
    if (!head) return undefined;
    const seq = previous?.seq ?? 0;
    if (seq < head.seq) return `entry ${seq + 1} is missing: the log ends before it and should end with ${head.seq}`;
    return previous?.hash === head.hash ? undefined : `entry ${seq} is not the one that the log ended with`;
  };
  return { next, end, count: () => count, last: () => previous?.hash ?? '' };
};
