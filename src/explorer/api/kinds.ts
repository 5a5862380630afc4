import rows from './kinds.json' with { type: 'json' };

/**
 * A kind of record: its collection in the API, what one of it is called, the fields that may be asked for, and whether its
 * columns can be listed.
 */
export type KindRow = {
  readonly type: string;
  readonly path: string;
  readonly one: string;
  readonly title: string;
  readonly fields: readonly string[];
  readonly hasColumns: boolean;
};

const KINDS: ReadonlyMap<string, KindRow> = new Map(rows.map((row) => [row.type, row]));

export const kindOf = (type: string): KindRow | undefined => KINDS.get(type);

/** The kinds that data flows through, and whose lineage is worth a look. */
export const DATA_KINDS: readonly string[] = [
  'table',
  'dashboard',
  'topic',
  'pipeline',
  'mlmodel',
  'container',
  'metric',
  'dashboardDataModel',
  'chart',
  'searchIndex',
  'storedProcedure',
  'apiEndpoint',
  'file',
  'worksheet',
];

const DATA_KIND_SET: ReadonlySet<string> = new Set(DATA_KINDS);

export const hasLineage = (type: string): boolean => DATA_KIND_SET.has(type);

/** What one of the kind is called, at the beginning of a line. */
export const labelKind = (type: string): string => {
  const one = kindOf(type)?.one ?? type;
  return one.charAt(0).toUpperCase() + one.slice(1);
};
