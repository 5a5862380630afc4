import { statement } from '../graph/statement.ts';
import type { StoredAuditEntry } from './entry.ts';

/** The start of the log, after removed entries, and its end. */
export type AuditHead = {
  readonly seq: number;
  readonly hash: string;
  readonly anchorSeq: number;
  readonly anchorHash: string;
};

const head = ['seq', 'hash', 'anchorSeq', 'anchorHash'] as const;

export const lockAuditHead = statement<Record<string, never>, AuditHead>('audit/claim_head', { params: [], row: head });
export const readAuditHead = statement<Record<string, never>, AuditHead>('audit/read_head', { params: [], row: head });

export const createEntries = statement<
  { seq: unknown; hash: string; rows: readonly Readonly<Record<string, unknown>>[] },
  { added: number }
>('audit/create_entries', { params: ['seq', 'hash', 'rows'], row: ['added'] });

/** Filter for entries; null means any. */
export type AuditFilter = {
  readonly from: number | null;
  readonly to: number | null;
  readonly actor: string | null;
  readonly action: string | null;
};

type AuditEntryRow = { readonly entry: StoredAuditEntry };

const filter = ['from', 'to', 'actor', 'action', 'limit'] as const;

export const listEntriesForward = statement<
  AuditFilter & { readonly after: number; readonly until: number; readonly limit: number },
  AuditEntryRow
>('audit/list_entries_after', { params: ['after', 'until', ...filter], row: ['entry'] });

export const listEntriesBackward = statement<
  AuditFilter & { readonly before: number; readonly limit: number },
  AuditEntryRow
>('audit/list_entries_before', { params: ['before', ...filter], row: ['entry'] });

export const deleteEntries = statement<{ seq: unknown; hash: string }, { removed: number }>('audit/delete_entries', {
  params: ['seq', 'hash'],
  row: ['removed'],
});

export const createSeenToken = statement<
  { digest: string; now: unknown; expiresAt: unknown; seenBy: string },
  { isFirst: boolean }
>('audit/create_seen_token', { params: ['digest', 'now', 'expiresAt', 'seenBy'], row: ['isFirst'] });
