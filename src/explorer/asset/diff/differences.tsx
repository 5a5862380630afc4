import { showValue } from '../describe-members.ts';
import { readableName } from '../member-words.ts';
import { ShownValue } from '../shown-value.tsx';
import type { Difference } from './record-diff.ts';
import { diffWords, type WordRun } from './word-diff.ts';
import './differences.css';

/** Differences of two states of a record, what was on the left and what is on the right. */

const LONG_TEXT = 24;

const isText = (value: unknown): value is string => typeof value === 'string';

const Words = ({ runs, side }: { readonly runs: readonly WordRun[]; readonly side: 'removed' | 'added' }) => {
  let at = 0;
  return (
    <p className="words">
      {runs
        .filter(({ change }) => change === 'same' || change === side)
        .map(({ change, text }) => {
          const key = at;
          at += text.length + 1;
          if (change === 'same') return <span key={key}>{text}</span>;
          return side === 'removed' ? <del key={key}>{text}</del> : <ins key={key}>{text}</ins>;
        })}
    </p>
  );
};

const Value = ({ name, value }: { readonly name: string; readonly value: unknown }) => {
  const shown = showValue(name, value);
  return shown === undefined ? <span className="quiet">nothing</span> : <ShownValue shown={shown} />;
};

const Sides = ({ difference: { path, before, after } }: { readonly difference: Difference }) => {
  const name = path.at(-1) ?? '';
  const byWords = isText(before) && isText(after) && Math.max(before.length, after.length) >= LONG_TEXT;
  const runs = byWords ? diffWords(before, after) : [];
  return (
    <div className="sides">
      <div className="side before">
        <span className="visually-hidden">Before: </span>
        {byWords ? <Words runs={runs} side="removed" /> : <Value name={name} value={before} />}
      </div>
      <div className="side after">
        <span className="visually-hidden">After: </span>
        {byWords ? <Words runs={runs} side="added" /> : <Value name={name} value={after} />}
      </div>
    </div>
  );
};

/** The first name is a member of the record, others may be names of columns. */
const readablePath = ([first = '', ...rest]: readonly string[]): string => [readableName(first), ...rest].join(' › ');

const TONES = { added: 'good', removed: 'bad', changed: 'warn', renamed: 'warn' } as const;

const MOST_DIFFERENCES = 200;

export const Differences = ({ differences }: { readonly differences: readonly Difference[] }) => {
  if (differences.length === 0) return <p className="quiet">Nothing that this page shows differs.</p>;
  const more = differences.length - MOST_DIFFERENCES;
  return (
    <>
      <ul className="differences">
        {differences.slice(0, MOST_DIFFERENCES).map((difference) => (
          <li key={difference.path.join('\n')}>
            <p className="difference-name">
              {readablePath(difference.path)}{' '}
              <span className={`chip ${TONES[difference.change]}`}>{difference.change}</span>
            </p>
            <Sides difference={difference} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className="notice">{more.toLocaleString()} more differences are not shown.</p>}
    </>
  );
};
