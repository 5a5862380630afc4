import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { requireKind } from '../../catalog/registry.ts';
import type { CsvRow } from '../../http/csv-writer.ts';
import { isObject, type JsonObject, member } from '../../model/json.ts';
import { type CellContext, createCellContext } from '../cells/cell-context.ts';
import { columnCells } from '../cells/column-cells.ts';
import { type CellValues, writeRecordCells } from '../cells/record-cells.ts';
import { walkColumns } from '../column-tree.ts';
import type { CsvExporter } from '../import-export.ts';
import { type CsvLayout, createLayoutRow } from '../layout.ts';
import { readChildPages } from './child-pages.ts';
import { childTypesOf, defaultRowType, PROCEDURE_TYPE_NAME, TABLE_TYPE_NAME } from './levels.ts';

/** Exports everything below a record as rows: parents before children, siblings by name, a table before its columns. */

type HierarchyExportContext = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly cells: CellContext;
  readonly layout: CsvLayout;
  /** The types of direct children that the file contains, by type of their parent. */
  readonly childTypes: (entityType: string) => readonly string[];
  /** Whether each row contains its type and full name, and columns follow their table. */
  readonly isRecursive: boolean;
};

type TypedDocument = { readonly type: string; readonly document: JsonObject };

const documentFqn = (document: JsonObject): string => document['fullyQualifiedName'] as string;

const procedureCells = (document: JsonObject): CellValues => {
  const code = member(document, 'storedProcedureCode');
  const text = (name: string) => String((code !== undefined && isObject(code) ? member(code, name) : undefined) ?? '');
  return { 'storedProcedure.code': text('code'), 'storedProcedure.language': text('language') };
};

const createRows = async (
  { engine, cells: desk, layout, isRecursive }: HierarchyExportContext,
  { type, document }: TypedDocument,
): Promise<CsvRow[]> => {
  const cells = writeRecordCells(document, await desk.properties(requireKind(engine.registry, type)));
  if (!isRecursive) return [createLayoutRow(layout, cells)];
  const allCells = { ...cells, entityType: type, fullyQualifiedName: documentFqn(document) };
  if (type === PROCEDURE_TYPE_NAME) return [createLayoutRow(layout, { ...allCells, ...procedureCells(document) })];
  const rows = [createLayoutRow(layout, allCells)];
  if (type !== TABLE_TYPE_NAME) return rows;
  for (const { path, column } of walkColumns((document['columns'] ?? []) as readonly JsonObject[])) {
    rows.push(createLayoutRow(layout, columnCells(column, path)));
  }
  return rows;
};

type DocumentStream = AsyncGenerator<readonly TypedDocument[]>;

async function* withType(type: string, pages: AsyncIterable<readonly JsonObject[]>): DocumentStream {
  for await (const documents of pages) yield documents.map((document) => ({ type, document }));
}

/** Starts reading the direct children of a record. */
const openChildren = (
  { engine, principal, childTypes }: HierarchyExportContext,
  type: string,
  fqn: string,
): readonly DocumentStream[] =>
  childTypes(type).map((one) =>
    withType(one, readChildPages({ engine, principal }, requireKind(engine.registry, one), fqn)),
  );

const isBefore = (one: readonly TypedDocument[], other: readonly TypedDocument[]): boolean =>
  documentFqn(one[0]?.document ?? {}) <= documentFqn(other[0]?.document ?? {});

/** The next non-empty page of a stream. */
const nextPage = async (stream: DocumentStream | undefined): Promise<readonly TypedDocument[]> => {
  for (;;) {
    const page = await stream?.next();
    if (!page || page.done) return [];
    if (page.value.length > 0) return page.value;
  }
};

/** Merges two lists that are ordered by name, until one of them needs its next page. */
const mergePages = (one: readonly TypedDocument[], other: readonly TypedDocument[]) => {
  const merged: TypedDocument[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const isLeft = isBefore(one.slice(left, left + 1), other.slice(right, right + 1));
    merged.push(...(isLeft ? one.slice(left, ++left) : other.slice(right, ++right)));
  }
  return { merged, one: one.slice(left), other: other.slice(right) };
};

/** Merges the direct children of a record of different kinds by name. */
async function* mergeByName([one, other]: readonly DocumentStream[]): DocumentStream {
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

/**
 * Walks down the opened streams. The children of the next sibling are opened while those of the current one are
 * walked.
 */
async function* walkHierarchy(
  context: HierarchyExportContext,
  streams: readonly DocumentStream[],
): AsyncGenerator<readonly CsvRow[]> {
  for await (const page of mergeByName(streams)) {
    let rows: CsvRow[] = [];
    let coming: readonly DocumentStream[] | undefined;
    for (const [at, one] of page.entries()) {
      rows.push(...(await createRows(context, one)));
      if (context.childTypes(one.type).length === 0) continue;
      const opened: readonly DocumentStream[] = coming ?? openChildren(context, one.type, documentFqn(one.document));
      const next = page[at + 1];
      coming = next && openChildren(context, next.type, documentFqn(next.document));
      yield rows;
      rows = [];
      yield* walkHierarchy(context, opened);
    }
    if (rows.length > 0) yield rows;
  }
}

/** Determines how deep a file goes. */
const createChildTypes = (
  entityType: string,
  isRecursive: boolean,
  isWhole: boolean,
): HierarchyExportContext['childTypes'] => {
  if (!isRecursive) return (type) => (type === entityType ? [defaultRowType(type)] : []);
  return (type) => (isWhole || type !== 'databaseSchema' ? childTypesOf(type) : []);
};

/** Exports the descendants of a service, a database or a schema. */
export const exportHierarchy: CsvExporter = ({ engine, principal, record, layout, isWhole }) => {
  const { entityType } = record.kind;
  const isRecursive = layout.name === 'recursive';
  const childTypes = createChildTypes(entityType, isRecursive, isWhole);
  const context = {
    engine,
    principal,
    cells: createCellContext({ engine, principal }),
    layout,
    childTypes,
    isRecursive,
  };
  return walkHierarchy(context, openChildren(context, entityType, record.fullyQualifiedName));
};
