import type { ColumnEdge, LineageNode } from '../api/types.ts';
import { type ColumnFacts, factsOf, type NamedColumn } from './columns.ts';
import { columnEdgeKey } from './graph-model.ts';

/** The columns that a page shows of records, and which part of many a box has room for. */

export type UnfoldedColumns = {
  readonly id: string;
  /** Those that the record has, in its order. */
  readonly own: readonly NamedColumn[];
  /** Its lineage by columns. */
  readonly edges: readonly ColumnEdge[];
  /** The worst states of the tests of its columns, by their full names. */
  readonly tests?: ReadonlyMap<string, string> | undefined;
};

export type ShownColumns = {
  readonly edges: ReadonlyMap<string, ColumnEdge>;
  /** The columns of unfolded records. */
  readonly own: ReadonlyMap<string, readonly NamedColumn[]>;
  /** Full names of columns that take part in lineage, by the records that have them. */
  readonly joined: ReadonlyMap<string, ReadonlySet<string>>;
  /** Full names of the columns on the trail of the lit one. */
  readonly trail: ReadonlySet<string>;
  /** The records that have columns on the trail. */
  readonly onTrail: ReadonlySet<string>;
  /** What is known of columns besides their names. */
  readonly facts: ReadonlyMap<string, ColumnFacts>;
};

const collectFacts = (
  unfolded: readonly UnfoldedColumns[],
  trailNodes: readonly LineageNode[],
): ReadonlyMap<string, ColumnFacts> => {
  const facts = new Map<string, ColumnFacts>();
  for (const { columns = [] } of trailNodes)
    for (const column of columns) facts.set(column.fullyQualifiedName, factsOf(column));
  for (const { own, tests } of unfolded) {
    for (const { name: _, fqn, ...known } of own) {
      const testStatus = tests?.get(fqn);
      facts.set(fqn, { ...facts.get(fqn), ...known, ...(testStatus === undefined ? {} : { testStatus }) });
    }
  }
  return facts;
};

export const joinColumns = (
  unfolded: readonly UnfoldedColumns[],
  trailEdges: readonly ColumnEdge[],
  lit: string | undefined,
  /** The records on the trail with their columns: edges alone do not name those that a bridge joins. */
  trailNodes: readonly LineageNode[] = [],
): ShownColumns => {
  const joined = new Map<string, Set<string>>();
  const edges = new Map<string, ColumnEdge>();
  const join = (id: string, column: string): void => {
    const known = joined.get(id);
    if (known) known.add(column);
    else joined.set(id, new Set([column]));
  };
  for (const edge of [...unfolded.flatMap((one) => one.edges), ...trailEdges]) {
    edges.set(columnEdgeKey(edge), edge);
    join(edge.fromEntity, edge.fromColumn);
    join(edge.toEntity, edge.toColumn);
  }
  const further = trailNodes.flatMap(({ id, columns = [] }) =>
    columns.flatMap(({ fullyQualifiedName: column }) => (column === undefined ? [] : [{ id, column }])),
  );
  for (const { id, column } of further) join(id, column);
  const trail = trailEdges.flatMap(({ fromColumn, toColumn }) => [fromColumn, toColumn]);
  return {
    edges,
    own: new Map(unfolded.map(({ id, own }) => [id, own])),
    joined,
    trail: new Set(lit === undefined ? [] : [lit, ...trail, ...further.map(({ column }) => column)]),
    onTrail: new Set([
      ...trailEdges.flatMap(({ fromEntity, toEntity }) => [fromEntity, toEntity]),
      ...trailNodes.map(({ id }) => id),
    ]),
    facts: collectFacts(unfolded, trailNodes),
  };
};

/** A box has room for so many columns at once. */
export const COLUMNS_AT_ONCE = 10;

/** Which of many columns are looked at. */
export type ColumnView = { readonly find: string; readonly page: number };

export const FIRST_COLUMNS: ColumnView = { find: '', page: 0 };

export type BoxColumn = NamedColumn & { readonly isLit: boolean; readonly isJoined: boolean };

export type ColumnPage = {
  readonly rows: readonly BoxColumn[];
  /** How many columns there are, and how many of them are looked for. */
  readonly total: number;
  readonly found: number;
  readonly find: string;
  readonly page: number;
  readonly pages: number;
};

type OfRecord = { readonly id: string; readonly fqn: string | undefined; readonly isOpen: boolean };

type Listed = OfRecord & { readonly view: ColumnView };

/** First the lit ones, then those with lineage, then the others; of records that are folded only the lit ones. */
export const listColumns = (columns: ShownColumns, { id, fqn = '', isOpen }: OfRecord): readonly BoxColumn[] => {
  const joined = columns.joined.get(id) ?? new Set<string>();
  const own = isOpen ? (columns.own.get(id) ?? []) : [];
  const known = new Set(own.map((column) => column.fqn));
  const further = [...joined].filter((column) => !known.has(column) && (isOpen || columns.trail.has(column))).sort();
  const rows = [...own, ...further.map((column) => ({ name: column.slice(fqn.length + 1), fqn: column }))].map(
    (column): BoxColumn => ({
      ...column,
      ...columns.facts.get(column.fqn),
      isLit: columns.trail.has(column.fqn),
      isJoined: joined.has(column.fqn),
    }),
  );
  const rank = ({ isLit, isJoined }: BoxColumn): number => (isLit ? 0 : isJoined ? 1 : 2);
  return rows.sort((one, other) => rank(one) - rank(other));
};

/** The part of a record's columns that its box shows. */
export const pageOfColumns = (columns: ShownColumns, listed: Listed): ColumnPage => {
  const all = listColumns(columns, listed);
  const words = listed.view.find.trim().toLowerCase();
  const found = words === '' ? all : all.filter(({ name }) => name.toLowerCase().includes(words));
  const pages = Math.max(1, Math.ceil(found.length / COLUMNS_AT_ONCE));
  const page = Math.min(listed.view.page, pages - 1);
  return {
    rows: found.slice(page * COLUMNS_AT_ONCE, (page + 1) * COLUMNS_AT_ONCE),
    total: all.length,
    found: found.length,
    find: listed.view.find,
    page,
    pages,
  };
};
