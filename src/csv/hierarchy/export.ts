import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { kindNamed } from '../../catalog/registry.ts';
import type { Row } from '../../http/csv.ts';
import { isObject, type JsonObject, member } from '../../model/json.ts';
import { columnCells } from '../cells/column.ts';
import { type CellDesk, cellDesk } from '../cells/desk.ts';
import { type Cells, recordCells } from '../cells/record.ts';
import { columnsWithPaths } from '../columns.ts';
import type { Exporter } from '../exchange.ts';
import { type Layout, rowOf } from '../layout.ts';
import { COLUMN, PROCEDURE, TABLE, typeOfRows, typesBelow } from './levels.ts';
import { readBelow } from './pages.ts';

/** Everything below a record as rows: parents before children, siblings by name, a table before its columns. */

type Site = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly desk: CellDesk;
  readonly layout: Layout;
  /** The types of rows right below a record of a type, as far as the file goes. */
  readonly below: (entityType: string) => readonly string[];
  /** Whether each row says what it is about, and tables are followed by their columns. */
  readonly isRecursive: boolean;
};

type Named = { readonly type: string; readonly document: JsonObject };

const fqnOf = (document: JsonObject): string => document['fullyQualifiedName'] as string;

const procedureCells = (document: JsonObject): Cells => {
  const code = member(document, 'storedProcedureCode');
  const text = (name: string) => String((code !== undefined && isObject(code) ? member(code, name) : undefined) ?? '');
  return { 'storedProcedure.code': text('code'), 'storedProcedure.language': text('language') };
};

const columnRow = (layout: Layout, path: string, column: JsonObject): Row =>
  rowOf(layout, {
    ...columnCells(column),
    name: path,
    entityType: COLUMN,
    fullyQualifiedName: fqnOf(column),
  });

const rowsOf = async ({ engine, desk, layout, isRecursive }: Site, { type, document }: Named): Promise<Row[]> => {
  const cells = recordCells(document, await desk.properties(kindNamed(engine.registry, type)));
  if (!isRecursive) return [rowOf(layout, cells)];
  const whole = { ...cells, entityType: type, fullyQualifiedName: fqnOf(document) };
  if (type === PROCEDURE) return [rowOf(layout, { ...whole, ...procedureCells(document) })];
  const rows = [rowOf(layout, whole)];
  if (type !== TABLE) return rows;
  for (const { path, column } of columnsWithPaths((document['columns'] ?? []) as readonly JsonObject[])) {
    rows.push(columnRow(layout, path, column));
  }
  return rows;
};

type Stream = AsyncGenerator<readonly Named[]>;

async function* named(type: string, pages: AsyncIterable<readonly JsonObject[]>): Stream {
  for await (const documents of pages) yield documents.map((document) => ({ type, document }));
}

/** Begins to read what hangs right below a record. */
const open = ({ engine, principal, below }: Site, type: string, fqn: string): readonly Stream[] =>
  below(type).map((one) => named(one, readBelow({ engine, principal }, kindNamed(engine.registry, one), fqn)));

const first = (one: readonly Named[], other: readonly Named[]): boolean =>
  fqnOf(one[0]?.document ?? {}) <= fqnOf(other[0]?.document ?? {});

/** The next page of a stream with anything in it. */
const nextPage = async (stream: Stream | undefined): Promise<readonly Named[]> => {
  for (;;) {
    const page = await stream?.next();
    if (!page || page.done) return [];
    if (page.value.length > 0) return page.value;
  }
};

/** Two lists in the order of names as one, as far as the order is sure: until one of them has to be read on. */
const mergePages = (one: readonly Named[], other: readonly Named[]) => {
  const merged: Named[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const isLeft = first(one.slice(left, left + 1), other.slice(right, right + 1));
    merged.push(...(isLeft ? one.slice(left, ++left) : other.slice(right, ++right)));
  }
  return { merged, one: one.slice(left), other: other.slice(right) };
};

/** What hangs right below a record in the order of names, whatever it is. */
async function* inOrder([one, other]: readonly Stream[]): Stream {
  let [left, right] = await Promise.all([nextPage(one), nextPage(other)]);
  while (left.length > 0 && right.length > 0) {
    const pages = mergePages(left, right);
    yield pages.merged;
    left = pages.one.length > 0 ? pages.one : await nextPage(one);
    right = pages.other.length > 0 ? pages.other : await nextPage(other);
  }
  for (; left.length > 0; left = await nextPage(one)) yield left;
  for (; right.length > 0; right = await nextPage(other)) yield right;
}

/** Walks down through what was opened. The next of several siblings is opened while the one before it is walked through. */
async function* walk(site: Site, streams: readonly Stream[]): AsyncGenerator<readonly Row[]> {
  for await (const page of inOrder(streams)) {
    let rows: Row[] = [];
    let coming: readonly Stream[] | undefined;
    for (const [at, one] of page.entries()) {
      rows.push(...(await rowsOf(site, one)));
      if (site.below(one.type).length === 0) continue;
      const opened: readonly Stream[] = coming ?? open(site, one.type, fqnOf(one.document));
      const next = page[at + 1];
      coming = next && open(site, next.type, fqnOf(next.document));
      yield rows;
      rows = [];
      yield* walk(site, opened);
    }
    if (rows.length > 0) yield rows;
  }
}

/** How far a file goes down. */
const reachOf = (entityType: string, isRecursive: boolean, isWhole: boolean): Site['below'] => {
  if (!isRecursive) return (type) => (type === entityType ? [typeOfRows(type)] : []);
  return (type) => (isWhole || type !== 'databaseSchema' ? typesBelow(type) : []);
};

/** What hangs below a service, a database or a schema. */
export const exportHierarchy: Exporter = ({ engine, principal, record, layout, isWhole }) => {
  const { entityType } = record.kind;
  const isRecursive = layout.name === 'recursive';
  const below = reachOf(entityType, isRecursive, isWhole);
  const site = { engine, principal, desk: cellDesk({ engine, principal }), layout, below, isRecursive };
  return walk(site, open(site, entityType, record.fullyQualifiedName));
};
