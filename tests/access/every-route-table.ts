import { readFileSync } from 'node:fs';
import { chooseForTitles } from '../support/representatives.ts';

/** Reads the table `every-route.txt`, which says how every route responds to every caller. */

/** The callers, in the column order of `every-route.txt`. */
export const CALLERS = ['none', 'bad', 'old', 'plain', 'steward', 'bot', 'admin'] as const;
export type CallerName = (typeof CALLERS)[number];

/** One line of the table: a method, a path that may stand for several, and the response to each caller. */
export type Line = {
  readonly text: string;
  readonly method: string;
  readonly path: string;
  readonly cells: Readonly<Record<CallerName, string>>;
};

/** An operation of the API, with the line that is about it. */
export type Expected = {
  readonly method: string;
  readonly path: string;
  readonly line: Line;
  /** Which of the paths of the line it is, by what stands for the group. */
  readonly member: string;
};

type Group = readonly string[];

const text = readFileSync(new URL('./every-route.txt', import.meta.url), 'utf8');
const written = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));

const groupOf = (line: string): [string, Group] => {
  const [, name = '', members = ''] = /^\{(\w+)\} = (.+)$/.exec(line) ?? [];
  return [name, members.split(' ')];
};

const lineOf = (line: string): Line => {
  const [method = '', path = '', ...cells] = line.split(/\s+/);
  if (cells.length !== CALLERS.length) throw new Error(`a line of the table has ${cells.length} cells: ${line}`);
  const named = CALLERS.map((name, at) => [name, cells[at]] as const);
  return { text: line, method, path, cells: Object.fromEntries(named) as Line['cells'] };
};

const isGroup = (line: string): boolean => line.startsWith('{');

export const LINES: readonly Line[] = written.filter((line) => !isGroup(line)).map(lineOf);

const GROUPS = new Map(written.filter(isGroup).map(groupOf));

/** The collections that the table is written for. */
export const COLLECTIONS: Group = GROUPS.get('collection') ?? [];

/** The group a path stands for, if it is written for several. */
const groupIn = (path: string): [string, Group] | undefined =>
  [...GROUPS].find(([name]) => path.includes(`/{${name}}`));

/** The paths a line is written for, each with what stands for the group. */
const pathsOf = (line: Line): readonly { readonly path: string; readonly member: string }[] => {
  const [name, members] = groupIn(line.path) ?? ['', ['']];
  return members.map((member) => ({ path: line.path.replace(`{${name}}`, member), member }));
};

/** So many of the paths that a line is written for are met. */
const PATHS_PER_LINE = 2;

/** Of the operations of each line those that the line chooses. Each collection is met by some line. */
export const representativesOf = (expected: readonly Expected[]): readonly Expected[] => {
  const members = new Map<string, string[]>();
  for (const { line, member } of expected) members.set(line.text, [...(members.get(line.text) ?? []), member]);
  const chosen = chooseForTitles(members, PATHS_PER_LINE);
  return expected.filter(({ line, member }) => chosen.get(line.text)?.has(member));
};

type Routes = readonly { readonly method: string; readonly path: string }[];

/**
 * The line for each route: of several, the one about the fewest paths. `missing` are routes without a line, `idle` the
 * lines of which some path is no route, or which others leave nothing to; of `{collection}` some paths may be no routes.
 */
export const expectationsFor = (routes: Routes) => {
  const chosen = new Map<string, { readonly line: Line; readonly member: string; readonly width: number }>();
  for (const line of LINES) {
    const paths = pathsOf(line);
    for (const { path, member } of paths) {
      const key = `${line.method} ${path}`;
      const known = chosen.get(key);
      if (known === undefined || paths.length < known.width) chosen.set(key, { line, member, width: paths.length });
    }
  }
  const keys = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const expected = routes.flatMap(({ method, path }): Expected[] => {
    const found = chosen.get(`${method} ${path}`);
    return found ? [{ method, path, line: found.line, member: found.member }] : [];
  });
  const covered = new Set(expected.map(({ method, path }) => `${method} ${path}`));
  const used = new Set(expected.map(({ line }) => line));
  const isIdle = (line: Line): boolean =>
    !used.has(line) ||
    (!line.path.includes('{collection}') && pathsOf(line).some(({ path }) => !keys.has(`${line.method} ${path}`)));
  return {
    expected,
    missing: [...keys].filter((key) => !covered.has(key)),
    idle: LINES.filter(isIdle).map((line) => line.text),
  };
};
