import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ask } from '../api/ask.ts';
import { kindOf } from '../api/kinds.ts';
import type { LineageNode } from '../api/types.ts';
import { Failure } from '../parts/states.tsx';
import { readableTime } from '../parts/times.ts';
import type { LineageChoice } from './choice.ts';
import { listChangeTimes } from './offers.ts';
import { useSurroundings } from './surroundings.ts';
import { TimeSlider } from './time-slider.tsx';
import { findEarlier, type Range, rangeOf, readTime, writeTime } from './times.ts';
import './time-bar.css';

/** Of what time the lineage is shown, and with what earlier time it is compared. */

type Change = (part: Partial<LineageChoice>) => void;

/** The time of the first version of a record, when it became known. */
const useFirstTime = (root: LineageNode | undefined) =>
  useQuery({
    queryKey: ['first version', root?.id],
    queryFn: async ({ signal }) => {
      const path = `/v1/${kindOf(root?.type ?? '')?.path}/${root?.id}/versions/0.1`;
      return (await ask<{ readonly updatedAt?: number }>(path, { signal })).updatedAt ?? null;
    },
    enabled: root !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });

type BarProps = {
  readonly type: string;
  readonly fqn: string;
  readonly root: LineageNode | undefined;
  readonly choice: LineageChoice;
  readonly change: Change;
  readonly onClose: () => void;
};

/** The scale does not move while the bar is open. */
const useNow = (): number => useState(() => Date.now())[0];

type Known = { readonly range: Range; readonly changes: readonly number[] };

/** The times between which one chooses; undefined in `known` while they are read, and where nothing is known of the past. */
const useKnownTimes = ({ type, fqn, root, choice: { upstream, downstream } }: BarProps, now: number) => {
  const around = useSurroundings(type, fqn, true);
  const first = useFirstTime(root);
  const changes = useMemo(
    () => (around.data ? listChangeTimes(around.data, { upstream, downstream }) : []),
    [around.data, upstream, downstream],
  );
  const range = rangeOf(first.data ?? undefined, changes, now);
  const isRead = !around.isPending && !first.isPending;
  const isKnown = isRead && ((first.data ?? undefined) !== undefined || changes.length > 0);
  const known: Known | undefined = isKnown ? { range, changes } : undefined;
  return {
    ...{ range, changes, isRead, known },
    failure: around.error ?? first.error ?? undefined,
    again: () => Promise.all([around.refetch(), first.refetch()]),
  };
};

/** The earlier time to compare with, as the address says it. */
const writeEarlier = (known: Known | undefined, at: number): string | undefined => {
  const earlier = known && findEarlier(known.changes, known.range, at);
  return earlier === undefined ? undefined : writeTime(earlier);
};

type CompareProps = {
  readonly earlier: string | undefined;
  readonly isRead: boolean;
  readonly isComparing: boolean;
  readonly change: Change;
};

const Compare = ({ earlier, isRead, isComparing, change }: CompareProps) => (
  <>
    <button
      type="button"
      className="button small"
      aria-pressed={isComparing}
      disabled={!isComparing && earlier === undefined}
      onClick={() => change({ since: isComparing ? undefined : earlier })}
    >
      {isComparing ? 'Stop comparing' : 'Compare with an earlier time'}
    </button>
    {isRead && !isComparing && earlier === undefined && (
      <span className="quiet">Nothing earlier is known to compare with.</span>
    )}
  </>
);

/** What the API tells of the past, and what it does not. */
const PAST_NOTE =
  'The edges are those of that time; owners, tiers and domains are of today. States of tests and contracts are known of today only and not shown.';

export const TimeBar = (props: BarProps) => {
  const { choice, change, onClose } = props;
  const now = useNow();
  const { range, changes, known, isRead, failure, again } = useKnownTimes(props, now);
  const at = readTime(choice.asOf) ?? now;
  const since = readTime(choice.since);
  const setAsOf = (time: number): void => {
    const asOf = time >= now ? undefined : writeTime(time);
    // A time that is no longer the earlier one gives way to one that is.
    const isEarlier = since === undefined || since < time;
    change({ asOf, since: isEarlier ? choice.since : writeEarlier(known, time) });
  };
  return (
    <section className="time-bar" aria-label="Time">
      {failure !== undefined && <Failure failure={failure} again={again} />}
      <TimeSlider name="As of" range={range} changes={changes} time={at} onTime={setAsOf} />
      {since !== undefined && (
        <TimeSlider
          name="Compared with"
          range={{ from: range.from, to: Math.max(at, range.from + 1) }}
          changes={changes}
          time={since}
          onTime={(time) => change({ since: writeTime(Math.min(time, at - 1)) })}
        />
      )}
      <div className="row">
        <span className="quiet">Known since {readableTime(range.from)}.</span>
        {choice.asOf !== undefined && (
          <button type="button" className="button small" onClick={() => change({ asOf: undefined })}>
            Back to now
          </button>
        )}
        <Compare earlier={writeEarlier(known, at)} isRead={isRead} isComparing={since !== undefined} change={change} />
        <button
          type="button"
          className="button small"
          onClick={() => {
            change({ asOf: undefined, since: undefined });
            onClose();
          }}
        >
          Close
        </button>
      </div>
      {choice.asOf !== undefined && <p className="quiet time-note">{PAST_NOTE}</p>}
    </section>
  );
};
