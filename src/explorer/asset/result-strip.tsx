import type { Outcome, OutcomeOf } from '../parts/outcome.ts';
import { OutcomeChip } from '../parts/outcome-chip.tsx';
import { readableTime } from '../parts/times.ts';

/** Results over time: one bar each, the newest on the right, with the same as a table below. */

export type Result = { readonly at: number; readonly status: string; readonly text?: string | undefined };

const COLOURS: Readonly<Record<Outcome['tone'], string>> = {
  good: 'var(--good)',
  warn: 'var(--warn)',
  bad: 'var(--bad)',
  plain: 'var(--line-strong)',
};

const MOST_BARS = 60;
const [BAR, STEP, HEIGHT] = [6, 8, 24];

const describe = (results: readonly Result[], outcomeOf: OutcomeOf): string => {
  const counts = new Map<string, number>();
  for (const { status } of results) {
    const { words } = outcomeOf(status);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts].map(([words, count]) => `${words}: ${count}`).join(', ');
};

type StripProps = {
  readonly results: readonly Result[];
  readonly label: string;
  readonly outcomeOf: OutcomeOf;
};

/** Failed bars are taller than others, so that they are told apart without colours. */
const Bars = ({ results, label, outcomeOf }: StripProps) => {
  const shown = results.slice(0, MOST_BARS).reverse();
  const width = shown.length * STEP;
  return (
    <svg
      className="result-strip"
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={`${label}, ${shown.length} results: ${describe(shown, outcomeOf)}`}
    >
      {shown.map(({ at, status, text }, index) => {
        const { words, tone } = outcomeOf(status);
        const height = tone === 'good' ? 12 : HEIGHT;
        return (
          <rect key={at} x={index * STEP} y={HEIGHT - height} width={BAR} height={height} rx="1" fill={COLOURS[tone]}>
            <title>{`${readableTime(at)}: ${words}${text ? `. ${text}` : ''}`}</title>
          </rect>
        );
      })}
    </svg>
  );
};

export const ResultStrip = ({ results, label, outcomeOf }: StripProps) =>
  results.length === 0 ? null : (
    <div className="result-history">
      <Bars results={results} label={label} outcomeOf={outcomeOf} />
      <details>
        <summary>All results</summary>
        <div className="table-scroll">
          <table className="plain-table">
            <caption className="visually-hidden">{label}, newest first</caption>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Result</th>
                <th scope="col">What it says</th>
              </tr>
            </thead>
            <tbody>
              {results.slice(0, MOST_BARS).map(({ at, status, text }) => (
                <tr key={at}>
                  <td>{readableTime(at)}</td>
                  <td>
                    <OutcomeChip of={outcomeOf(status)} />
                  </td>
                  <td>{text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </div>
  );
