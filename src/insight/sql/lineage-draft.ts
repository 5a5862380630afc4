import { CatalogError } from '../../errors.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import type { SqlMapping } from '../../lineage/sql/column-lineage.ts';
import type { NamedBySql, SessionReading } from '../../lineage/sql/session-statement.ts';
import type { ColumnName, TableName, UnresolvedReason } from '../../lineage/sql/sql-column.ts';
import { fqnPart } from '../../model/name.ts';
import type { CatalogTable, TableFinder } from './find-tables.ts';
import type { StatementGroup } from './statement-groups.ts';

/** Collects the edges between tables of the catalog that statements show, and what remains unclear. */

/** A column and the columns of one table that it is made from. */
export type DraftMapping = {
  readonly fromColumns: readonly string[];
  readonly toColumn: string;
  readonly function?: string;
};

/** An edge that statements show. Several statements may show the same. */
export type DraftEdge = {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly isView: boolean;
  readonly columns: Map<string, DraftMapping>;
};

/** Why a part of a statement has no lineage; a name where one is to blame. */
export type Unclear = { readonly reason: UnresolvedReason; readonly name?: string };

/** What one statement shows. */
export type ShownLineage = {
  readonly edges: readonly DraftEdge[];
  /** The tables that it only asks. */
  readonly asked: readonly Endpoint[];
  readonly unclear: readonly Unclear[];
};

export type StatementToDraft = {
  readonly group: StatementGroup;
  readonly effect: NamedBySql['effect'];
  readonly failure: UnresolvedReason | undefined;
  readonly tables: readonly TableName[];
  readonly reading: SessionReading | undefined;
};

export type LineageDraft = {
  add(statement: StatementToDraft): ShownLineage;
  readonly edges: ReadonlyMap<string, DraftEdge>;
};

/** The maximum number of unclear parts that are told of one statement. */
const MAX_UNCLEAR = 50;

/** The maximum number of edges that all statements show, counted for each statement. */
const MAX_SHOWN_EDGES = 1_000_000;

/** Names contain no control characters, so paths joined by one stay unambiguous. */
const pathKey = (path: ColumnName): string => path.join('\u0001');

/** The columns of tables by `pathKey`, which very many mappings ask for. */
const columnKeys = new WeakMap<CatalogTable, ReadonlySet<string>>();

const hasColumn = (table: CatalogTable, path: ColumnName): boolean => {
  const keys = columnKeys.get(table) ?? new Set(table.columns.map(pathKey));
  columnKeys.set(table, keys);
  return keys.has(pathKey(path));
};

const columnFqn = ({ endpoint }: CatalogTable, path: ColumnName): string =>
  [endpoint.fullyQualifiedName, ...path.map(fqnPart)].join('.');

/** These reasons concern a whole statement, whose text is the example. */
const WHOLE_STATEMENT: ReadonlySet<string> = new Set([
  'too long',
  'too deep',
  'too slow',
  'failed',
  'template',
  'syntax',
]);

const toUnclear = ({ text, reason }: { readonly text: string; readonly reason: UnresolvedReason }): Unclear =>
  WHOLE_STATEMENT.has(reason) ? { reason } : { reason, name: text.slice(0, 200) };

const distinctUnclear = (all: readonly Unclear[]): readonly Unclear[] =>
  [...new Map(all.map((one) => [`${one.reason}\u0001${one.name ?? ''}`, one])).values()].slice(0, MAX_UNCLEAR);

/** Adds a mapping to the edges from each table that it reads. */
const addMapping = (
  finder: TableFinder,
  edgeTo: (from: CatalogTable, to: CatalogTable) => DraftEdge | undefined,
  { target, toColumn, fromColumns, function: made }: SqlMapping,
): readonly Unclear[] => {
  const to = target && finder.find(target);
  if (!to) return [];
  if (!hasColumn(to, [toColumn])) return [{ reason: 'unknown column', name: toColumn }];
  const unclear: Unclear[] = [];
  const bySource = new Map<CatalogTable, Set<string>>();
  for (const { table, column } of fromColumns) {
    const from = finder.find(table);
    if (!from) continue;
    if (!hasColumn(from, column)) unclear.push({ reason: 'unknown column', name: column.join('.') });
    else bySource.set(from, (bySource.get(from) ?? new Set()).add(columnFqn(from, column)));
  }
  for (const [from, columns] of bySource) {
    const mapping = {
      fromColumns: [...columns],
      toColumn: columnFqn(to, [toColumn]),
      ...(made === undefined ? {} : { function: made }),
    };
    edgeTo(from, to)?.columns.set(JSON.stringify(mapping), mapping);
  }
  return unclear;
};

const tooManyEdges = () =>
  new CatalogError(
    'payload_too_large',
    `[the statements may show at most ${MAX_SHOWN_EDGES} edges; send them in parts]`,
  );

export const createLineageDraft = (finder: TableFinder): LineageDraft => {
  const edges = new Map<string, DraftEdge>();
  let shownEdges = 0;
  const findAll = (names: readonly TableName[]): ReadonlySet<CatalogTable> =>
    new Set(names.flatMap((name) => finder.find(name) ?? []));
  const edgeBetween = (from: CatalogTable, to: CatalogTable, isView: boolean): DraftEdge | undefined => {
    const [source, target] = [from.endpoint, to.endpoint];
    if (source.id === target.id) return undefined;
    const key = `${source.id} ${target.id} ${isView}`;
    const edge = edges.get(key) ?? { from: source, to: target, isView, columns: new Map() };
    edges.set(key, edge);
    return edge;
  };

  const addWrites = ({ reads, writes, mappings }: SessionReading) => {
    const shown = new Set<DraftEdge>();
    const sources = findAll(reads);
    const targets = findAll(writes.map(({ table }) => table));
    const views = findAll(writes.flatMap(({ isView, table }) => (isView ? [table] : [])));
    shownEdges += sources.size * targets.size;
    if (shownEdges > MAX_SHOWN_EDGES) throw tooManyEdges();
    const edgeTo = (from: CatalogTable, to: CatalogTable): DraftEdge | undefined => {
      const edge = edgeBetween(from, to, views.has(to));
      if (edge) shown.add(edge);
      return edge;
    };
    for (const to of targets) for (const from of sources) edgeTo(from, to);
    const unclear = mappings.flatMap((mapping) => addMapping(finder, edgeTo, mapping));
    return { edges: [...shown], unclear };
  };

  return {
    edges,
    add: ({ effect, failure, tables, reading }) => {
      const found = tables.flatMap((table) => finder.find(table) ?? []);
      const missing = effect === 'none' ? [] : tables.filter((table) => !finder.find(table));
      const written = reading ? addWrites(reading) : { edges: [], unclear: [] };
      return {
        edges: written.edges,
        asked: effect === 'query' ? [...new Set(found.map(({ endpoint }) => endpoint))] : [],
        unclear: distinctUnclear([
          ...(failure === undefined ? [] : [{ reason: failure }]),
          ...missing.map((table): Unclear => ({ reason: 'unknown table', name: table.join('.') })),
          ...(reading?.unresolved ?? []).map(toUnclear),
          ...written.unclear,
        ]),
      };
    },
  };
};
