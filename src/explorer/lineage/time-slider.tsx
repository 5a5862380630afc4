import { useEffect, useState } from 'react';
import { readableTime } from '../parts/times.ts';
import { nextChange, type Range, readLocal, stepOf, writeLocal } from './times.ts';

/** Chooses a time on a scale with the times of changes, by steps from change to change, or exactly. */

/** The graph is asked for when the slider rests, not at each of its steps. */
const REST_MS = 250;

type TimeProps = {
  readonly name: string;
  readonly range: Range;
  readonly changes: readonly number[];
  readonly time: number;
  readonly onTime: (time: number) => void;
};

const TICK_PLACES = 200;

/** Marks on the scale where something changed; those that would fall together are one. */
const Ticks = ({ range: { from, to }, changes }: Pick<TimeProps, 'range' | 'changes'>) => {
  const places = new Set(changes.map((time) => Math.round(((time - from) / (to - from)) * TICK_PLACES)));
  return (
    <svg className="time-ticks" viewBox={`0 0 ${TICK_PLACES} 6`} preserveAspectRatio="none" aria-hidden="true">
      {[...places].map((x) => (
        <path key={x} d={`M${x} 0v6`} />
      ))}
    </svg>
  );
};

export const TimeSlider = ({ name, range, changes, time, onTime }: TimeProps) => {
  const [moved, setMoved] = useState<number>();
  useEffect(() => {
    if (moved === undefined) return;
    const timer = setTimeout(() => {
      setMoved(undefined);
      onTime(moved);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [moved, onTime]);
  const at = Math.min(Math.max(moved ?? time, range.from), range.to);
  const before = nextChange(changes, at, 'before');
  const after = nextChange(changes, at, 'after');
  return (
    <div className="time">
      <label className="time-slider">
        <span>{name}</span>
        <span className="time-scale">
          <Ticks range={range} changes={changes} />
          <input
            type="range"
            min={range.from}
            max={range.to}
            step={stepOf(range)}
            value={at}
            aria-valuetext={readableTime(at)}
            onChange={({ target }) => setMoved(target.valueAsNumber)}
          />
        </span>
      </label>
      <div className="row">
        <button
          type="button"
          className="button small"
          disabled={before === undefined}
          onClick={() => before !== undefined && onTime(before)}
          aria-label={`${name}: the change before`}
        >
          ‹
        </button>
        <button
          type="button"
          className="button small"
          disabled={after === undefined || after > range.to}
          onClick={() => after !== undefined && onTime(after)}
          aria-label={`${name}: the change after`}
        >
          ›
        </button>
        <input
          type="datetime-local"
          step={1}
          aria-label={`${name}, exactly`}
          value={writeLocal(moved ?? time)}
          onChange={({ target }) => {
            const exact = readLocal(target.value);
            if (exact !== undefined) onTime(exact);
          }}
        />
      </div>
    </div>
  );
};
