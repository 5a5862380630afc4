import { cpus } from 'node:os';
import type { Options } from './options.ts';
import type { Reach, Result } from './stand.ts';

const HEADINGS = ['work', 'raw', 'service', 'reached', 'target', ''] as const;

const cells = (result: Result): string[] => [
  result.work,
  result.raw,
  result.service,
  result.reached,
  result.target,
  result.ok ? 'ok' : 'MISSED',
];

/** The results as a table that reads well on a terminal and in Markdown. */
export const tableOf = (results: readonly Result[]): string => {
  const rows = [[...HEADINGS], ...results.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)].join('\n');
};

type Context = { readonly options: Options; readonly reach: Reach; readonly minutes: number };

const machine = () => ({
  node: process.version,
  platform: process.platform,
  cores: cpus().length,
  cpu: cpus()[0]?.model,
});

export const contextLine = ({ options, reach, minutes }: Context): string => {
  const { cores, cpu, node } = machine();
  const bare = `the load generator reaches ${reach.perSecond.toFixed(0)} requests/s against a bare server`;
  const alone = `one caller waits ${reach.aloneMs.toFixed(2)} ms for its answer`;
  return `${options.tables} tables, ${cores} cores (${cpu}), node ${node}, ${minutes.toFixed(1)} minutes; ${bare}, ${alone}`;
};

/** The same with every round, for whoever compares runs. */
export const documentOf = (results: readonly Result[], { options, ...context }: Context): string =>
  `${JSON.stringify({ machine: machine(), tables: options.tables, ...context, results }, null, 2)}\n`;
