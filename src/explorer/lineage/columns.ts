import type { Column } from '../api/asset-columns.ts';

/** What the page knows of the columns of a record before it has read any. */

/** The kinds of which columns, or what stands for them, take part in lineage. */
const KINDS_WITH_COLUMNS = new Set([
  'table',
  'topic',
  'container',
  'dashboardDataModel',
  'searchIndex',
  'apiEndpoint',
  'dashboard',
  'mlmodel',
  'file',
]);

export const hasColumns = (type: string | undefined): boolean => KINDS_WITH_COLUMNS.has(type ?? '');

export type NamedColumn = { readonly name: string; readonly fqn: string };

/** All columns of a record in their order, nested ones after those that hold them, by their names within the record. */
export const nameColumns = (columns: readonly Column[], above = ''): readonly NamedColumn[] =>
  columns.flatMap(({ name, fullyQualifiedName, children }) => {
    const path = `${above}${name}`;
    return [
      ...(fullyQualifiedName === undefined ? [] : [{ name: path, fqn: fullyQualifiedName }]),
      ...nameColumns(children ?? [], `${path}.`),
    ];
  });
