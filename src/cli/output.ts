import { stripVTControlCharacters, styleText } from 'node:util';

/** Writes what commands print: results on stdout, progress and failures on stderr, and nothing a terminal would obey. */

type OutputStream = NodeJS.WriteStream;

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

export type Output = {
  /** Prints a line of the result. */
  line(text: string): void;
  json(value: unknown): void;
  /** Prints a part of the result as it is. False when nobody reads it any more. */
  write(text: string): Promise<boolean>;
  /** Prints a line about the work, which is no result. */
  note(text: string): void;
  /** Shows how far the work is. The next line overwrites it, and only a terminal shows it. */
  progress(text: string): void;
  /** Leaves the terminal as it was before progress was shown. */
  clearProgress(): void;
  table(head: readonly string[], rows: readonly (readonly string[])[]): void;
  paint(style: Style, text: string): string;
  readonly width: number;
};

/** Fits lines that go into a pipe or a file, which have no width of their own. */
const UNLIMITED = Number.POSITIVE_INFINITY;
const DEFAULT_WIDTH = 80;
const NARROWEST_COLUMN = 8;
const GAP = '  ';

/** Removes everything that a terminal would obey instead of showing it. Answers of services are texts of strangers. */
export const stripControls = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(1, width - 1))}…`;

/** Narrows the widest columns until the table fits. */
const fitColumns = (wanted: readonly number[], width: number): readonly number[] => {
  const widths = [...wanted];
  const total = () => widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1);
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths));
    const next = (widths[widest] ?? 0) - 1;
    if (next < NARROWEST_COLUMN) break;
    widths[widest] = next;
  }
  return widths;
};

/** The lines of a table whose cells are sanitized and cut to the width. The first line is the head. */
export const formatColumns = (rows: readonly (readonly string[])[], width: number): readonly string[] => {
  const cells = rows.map((row) => row.map(stripControls));
  const wanted = (cells[0] ?? []).map((_, at) => cells.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), 0));
  const widths = fitColumns(wanted, width);
  return cells.map((row) =>
    row
      .map((cell, at) => cut(cell, widths[at] ?? 0).padEnd(widths[at] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
};

/** Whether a stream shows colours: it is a terminal, unless NO_COLOR or FORCE_COLOR decides otherwise. */
const showsColor = (stream: OutputStream, env: NodeJS.ProcessEnv): boolean => {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
};

const START_OF_EMPTY_LINE = '\r\u001b[2K';

/** A line of the terminal that is written again and again. */
const createProgressLine = (stderr: OutputStream, env: NodeJS.ProcessEnv) => {
  const isShown = stderr.isTTY === true && env['TERM'] !== 'dumb';
  let isWritten = false;
  return {
    show: (text: string) => {
      if (!isShown) return;
      stderr.write(`${START_OF_EMPTY_LINE}${cut(stripControls(text), (stderr.columns || DEFAULT_WIDTH) - 1)}`);
      isWritten = true;
    },
    clear: () => {
      if (isWritten) stderr.write(START_OF_EMPTY_LINE);
      isWritten = false;
    },
  };
};

export const createOutput = (stdout: OutputStream, stderr: OutputStream, env: NodeJS.ProcessEnv): Output => {
  const isColored = showsColor(stdout, env);
  const paint = (style: Style, text: string) => (isColored ? styleText(style, text, { validateStream: false }) : text);
  const progress = createProgressLine(stderr, env);
  const line = (text: string) => {
    progress.clear();
    stdout.write(`${text}\n`);
  };
  const width = stdout.isTTY ? stdout.columns || DEFAULT_WIDTH : UNLIMITED;
  return {
    line,
    json: (value) => line(JSON.stringify(value, null, 2)),
    write: (text) =>
      new Promise((resolve) => {
        progress.clear();
        stdout.write(text, (failure) => resolve(!failure));
      }),
    note: (text) => {
      progress.clear();
      stderr.write(`${text}\n`);
    },
    progress: progress.show,
    clearProgress: progress.clear,
    table: (head, rows) => {
      const [first = '', ...rest] = formatColumns([head, ...rows], width);
      for (const text of [paint('bold', first), ...rest]) line(text);
    },
    paint,
    width,
  };
};
