/** A course of numbers as a small line, for looking at; its text says the same to those who listen. */

export type Point = { readonly at: number; readonly value: number };

type SparkLineProps = {
  readonly points: readonly Point[];
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
};

const PADDING = 3;

const describe = (points: readonly Point[]): string => {
  const values = points.map(({ value }) => value);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return 'no values';
  const text = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 4 });
  const day = (at: number): string => new Date(at).toLocaleDateString();
  if (points.length === 1) return `${text(last.value)} on ${day(last.at)}`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = least === most ? 'always the same' : `between ${text(least)} and ${text(most)}`;
  return `${text(last.value)} on ${day(last.at)}, ${range} since ${day(first.at)}`;
};

export const SparkLine = ({ points, label, width = 120, height = 28 }: SparkLineProps) => {
  if (points.length === 0) return null;
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const x = (index: number): number =>
    points.length === 1 ? width / 2 : PADDING + (index * (width - 2 * PADDING)) / (points.length - 1);
  const y = (value: number): number =>
    most === least ? height / 2 : height - PADDING - ((value - least) * (height - 2 * PADDING)) / (most - least);
  const line = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const last = values.at(-1) ?? 0;
  return (
    <svg
      className="spark-line"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${label}: ${describe(points)}`}
    >
      <title>{`${label}: ${describe(points)}`}</title>
      <polyline points={line} fill="none" stroke="var(--accent)" strokeWidth="1.5" strokeLinejoin="round" />
      <circle cx={x(values.length - 1)} cy={y(last)} r="2.5" fill="var(--accent)" />
    </svg>
  );
};
