import { parseArgs } from 'node:util';

export const ROWS = [
  'bulk',
  'bulk-same',
  'bulk-kinds',
  'lineage-bulk',
  'get-64',
  'get-1',
  'post-1',
  'post-16',
  'post-64',
  'kept-get-64',
  'kept-get-1',
  'kept-list',
  'kept-search',
  'kept-lineage-1',
  'kept-lineage-3',
  'kept-lineage-10',
  'kept-map',
  'kept-graph',
  'rights',
  'webhooks',
  'streams',
  'event-lag',
  'list-depth',
  'list-memory',
  'versions',
  'start',
  'first-answers',
  'memory',
  'backup',
  'decisions',
  'tokens',
  'hostile-texts',
  'search',
  'search-counted',
  'search-common',
  'search-upkeep',
  'results',
  'lineage-walk',
  'lineage-parallel',
  'lineage-stream',
  'compression',
  'lineage-impact',
  'lineage-paths',
  'insight-changes',
  'insight-graph',
  'insight-communities',
  'insight-agreement',
  'insight-root-cause',
  'insight-flows',
  'graph-query',
  'lineage-put-16',
  'lineage-put-64',
  'lineage-hub',
  'lineage-openlineage',
  'profiles',
  'contracts',
  'csv',
  'tracing',
  'hostile-input',
  'hostile-requests',
  'event-loop',
  'wide-writes',
] as const;

export type RowName = (typeof ROWS)[number];

export type Options = {
  readonly tables: number;
  readonly rows: ReadonlySet<RowName>;
  /** How long one turn of one side lasts. */
  readonly seconds: number;
  readonly rounds: number;
  /** How many profiles of columns are told. */
  readonly profiles: number;
  /** How many workers answer requests. */
  readonly workers: number;
  /** Heap and page cache of the database, as `NEO4J_HEAP` and `NEO4J_PAGECACHE` take them; the defaults when absent. */
  readonly heap: string | undefined;
  readonly pagecache: string | undefined;
  /** Where the store is filled once, kept, and measured again by later runs; a new one, removed afterwards, when absent. */
  readonly folder: string | undefined;
  /** Where the figures go as JSON; beside the store of the run when absent. */
  readonly json: string | undefined;
};

const FULL = { tables: 100_000, seconds: 5, rounds: 4, profiles: 1_000_000 };
/** Shows that everything works; its figures mean little. */
const QUICK = { tables: 5000, seconds: 1, rounds: 2, profiles: 20_000 };
const SMALLEST = 1000;

const positive = (name: string, text: string | undefined, fallback: number): number => {
  const value = text === undefined ? fallback : Number(text);
  if (!(value > 0)) throw new Error(`--${name} is "${text}", expected a positive number`);
  return value;
};

const isRow = (name: string): name is RowName => ROWS.some((row) => row === name);

const chosenRows = (text: string | undefined): ReadonlySet<RowName> => {
  const names = text === undefined ? ROWS : text.split(',').map((name) => name.trim());
  const chosen = new Set<RowName>();
  for (const name of names) {
    if (!isRow(name)) throw new Error(`--rows names "${name}", expected some of ${ROWS.join(', ')}`);
    chosen.add(name);
  }
  return chosen;
};

/** Reads the arguments. Throws naming the one that is wrong. */
export const parseOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tables: { type: 'string' },
      rows: { type: 'string' },
      seconds: { type: 'string' },
      profiles: { type: 'string' },
      workers: { type: 'string' },
      heap: { type: 'string' },
      pagecache: { type: 'string' },
      folder: { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const preset = values.quick ? QUICK : FULL;
  const tables = Math.ceil(positive('tables', values.tables, preset.tables) / SMALLEST) * SMALLEST;
  return {
    tables,
    rows: chosenRows(values.rows),
    seconds: positive('seconds', values.seconds, preset.seconds),
    rounds: preset.rounds,
    profiles: positive('profiles', values.profiles, preset.profiles),
    workers: positive('workers', values.workers, 1),
    heap: values.heap,
    pagecache: values.pagecache,
    folder: values.folder,
    json: values.json,
  };
};
