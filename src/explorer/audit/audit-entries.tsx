import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../api/ask.ts';
import type { Schemas } from '../api/types.ts';
import { PageRows } from '../parts/page-rows.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { formatMoment } from '../parts/times.ts';
import { ACTIONS, type AuditChoice, auditTimes } from './audit-choice.ts';

type Entry = Schemas['AuditEntry'];
type EntryList = Omit<Schemas['AuditEntryList'], 'paging'> & { readonly paging: { readonly after?: string } };

const PAGE = 100;
const ROW_HEIGHT = 46;

const useEntries = (choice: AuditChoice) =>
  useInfiniteQuery({
    queryKey: ['audit', choice],
    queryFn: ({ pageParam, signal }) =>
      ask<EntryList>('/v1/audit', {
        query: {
          actor: choice.actor.trim() || undefined,
          action: choice.action,
          ...auditTimes(choice),
          limit: PAGE,
          after: pageParam,
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.after,
  });

const Details = ({ entry }: { readonly entry: Entry }) => (
  <dl className="audit-details">
    {entry.target !== undefined && (
      <>
        <dt>Target</dt>
        <dd>{entry.target}</dd>
      </>
    )}
    <dt>From</dt>
    <dd>{entry.address}</dd>
    <dt>Request</dt>
    <dd>{entry.requestId || 'none'}</dd>
    <dt>Facts</dt>
    <dd>
      <pre>{JSON.stringify(entry.details, null, 2)}</pre>
    </dd>
    <dt>Hash</dt>
    <dd>
      <code>{entry.hash}</code>
    </dd>
    <dt>Hash before</dt>
    <dd>
      <code>{entry.previousHash}</code>
    </dd>
  </dl>
);

/** What the cells of a line are called, in their order. */
const HEADS = { seq: 'No.', at: 'When', actor: 'Who', action: 'What', target: 'Target' } as const;

/** The name of a cell: read out with it, and shown where no heads stand above. */
const Head = ({ of }: { readonly of: keyof typeof HEADS }) => <span className="audit-head">{HEADS[of]}</span>;

/** Heads above the lines, for the eye: each line says its own to those who cannot see them. */
const Heads = () => (
  <div className="audit-heads" aria-hidden="true">
    {Object.values(HEADS).map((head) => (
      <span key={head}>{head}</span>
    ))}
  </div>
);

type EntryRowProps = { readonly entry: Entry; readonly isOpen: boolean; readonly onToggle: () => void };

const EntryRow = ({ entry, isOpen, onToggle }: EntryRowProps) => (
  <div className="audit-entry">
    <button type="button" className="audit-line" aria-expanded={isOpen} onClick={onToggle}>
      <span className="quiet audit-seq">
        <Head of="seq" /> {entry.seq}
      </span>
      <span className="audit-at">
        <Head of="at" /> {formatMoment(entry.at)}
      </span>
      <span className="audit-actor">
        <Head of="actor" /> {entry.actor}
      </span>
      <span className="audit-action">
        <Head of="action" /> {ACTIONS[entry.action]}
        {entry.outcome === 'refused' && entry.action !== 'refused' && <span className="chip bad">refused</span>}
      </span>
      {entry.target !== undefined && (
        <span className="quiet audit-target">
          <Head of="target" /> {entry.target}
        </span>
      )}
    </button>
    {isOpen && <Details entry={entry} />}
  </div>
);

/** The entries, newest first. One that is opened shows all that the log knows. */
export const AuditEntries = ({ choice }: { readonly choice: AuditChoice }) => {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useEntries(choice);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the audit log" />;
  const entries = data.pages.flatMap((page) => page.data);
  if (entries.length === 0) return <Nothing>No entry fits. Try a longer time, or fewer conditions.</Nothing>;
  const toggle = (seq: number) =>
    setOpen(new Set(open.has(seq) ? [...open].filter((one) => one !== seq) : [...open, seq]));
  return (
    <>
      <p className="quiet" role="status">
        {entries.length.toLocaleString()} {entries.length === 1 ? 'entry' : 'entries'}
        {hasNextPage ? ' so far; scroll for older ones' : ''}
      </p>
      <Heads />
      <PageRows
        label="List of entries, newest first"
        count={entries.length}
        rowHeight={ROW_HEIGHT}
        keyOf={(index) => entries[index]?.seq ?? index}
        row={(index) => {
          const entry = entries[index];
          return entry && <EntryRow entry={entry} isOpen={open.has(entry.seq)} onToggle={() => toggle(entry.seq)} />;
        }}
        onNearEnd={() => hasNextPage && !isFetchingNextPage && fetchNextPage()}
      />
    </>
  );
};
