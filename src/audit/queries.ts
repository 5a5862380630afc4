import { statement } from '../graph/statement.ts';
import type { StoredEntry } from './entry.ts';

/** Where the log begins, behind what was removed, and where it ends. */
export type AuditHead = {
  readonly seq: number;
  readonly hash: string;
  readonly anchorSeq: number;
  readonly anchorHash: string;
};

const head = ['seq', 'hash', 'anchorSeq', 'anchorHash'] as const;

export const lockAuditHead = statement<Record<string, never>, AuditHead>('audit/lock_head', { params: [], row: head });
export const readAuditHead = statement<Record<string, never>, AuditHead>('audit/read_head', { params: [], row: head });

export const appendEntries = statement<
  { seq: unknown; hash: string; rows: readonly Readonly<Record<string, unknown>>[] },
  { added: number }
>('audit/append', { params: ['seq', 'hash', 'rows'], row: ['added'] });

/** Which entries are wanted; null where it does not matter. */
export type AuditFilter = {
  readonly from: number | null;
  readonly to: number | null;
  readonly actor: string | null;
  readonly action: string | null;
};

type EntryRow = { readonly entry: StoredEntry };

const filter = ['from', 'to', 'actor', 'action', 'limit'] as const;

export const listEntriesForward = statement<
  AuditFilter & { readonly after: number; readonly until: number; readonly limit: number },
  EntryRow
>('audit/list_forward', { params: ['after', 'until', ...filter], row: ['entry'] });

export const listEntriesBackward = statement<
  AuditFilter & { readonly before: number; readonly limit: number },
  EntryRow
>('audit/list_backward', { params: ['before', ...filter], row: ['entry'] });

export const removeEntries = statement<{ seq: unknown; hash: string }, { removed: number }>('audit/remove_prefix', {
  params: ['seq', 'hash'],
  row: ['removed'],
});

export const seeToken = statement<
  { digest: string; now: unknown; expiresAt: unknown; seenBy: string },
  { isFirst: boolean }
>('audit/see_token', { params: ['digest', 'now', 'expiresAt', 'seenBy'], row: ['isFirst'] });
