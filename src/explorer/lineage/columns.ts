import type { Column } from '../api/asset-columns.ts';
import type { Schemas } from '../api/types.ts';
import { testOutcome } from '../parts/outcome.ts';

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

/** What is known of a column besides its name. */
export type ColumnFacts = {
  readonly type?: string;
  readonly tags?: readonly string[];
  /** The worst state among its tests. */
  readonly testStatus?: string;
};

export type NamedColumn = ColumnFacts & { readonly name: string; readonly fqn: string };

type Described = Partial<Pick<Schemas['LineageColumn'], 'dataType' | 'dataTypeDisplay' | 'tags' | 'testStatus'>>;

/** The facts that an answer gives of a column; the tags that somebody only suggests are none. */
export const factsOf = ({ dataType, dataTypeDisplay, tags = [], testStatus }: Described): ColumnFacts => {
  const type = dataTypeDisplay || dataType;
  const labels = tags.filter(({ state }) => state !== 'Suggested').flatMap(({ tagFQN }) => tagFQN ?? []);
  return {
    ...(type === undefined ? {} : { type }),
    ...(labels.length === 0 ? {} : { tags: labels }),
    ...(testStatus === undefined ? {} : { testStatus }),
  };
};

/** All columns of a record in their order, nested ones after those that hold them, by their names within the record. */
export const nameColumns = (columns: readonly Column[], above = ''): readonly NamedColumn[] =>
  columns.flatMap(({ name, fullyQualifiedName, children, ...rest }) => {
    const path = `${above}${name}`;
    return [
      ...(fullyQualifiedName === undefined ? [] : [{ name: path, fqn: fullyQualifiedName, ...factsOf(rest) }]),
      ...nameColumns(children ?? [], `${path}.`),
    ];
  });

/** A type as short as it can be told from others: `decimal(12,2)` is a decimal. */
export const shortType = (type: string): string =>
  type
    .replace(/[(<].*$/s, '')
    .trim()
    .toLowerCase();

/** What a column's row in a box says of it, in words. */
export const columnWords = ({ type, tags = [], testStatus }: ColumnFacts, isJoined: boolean): string =>
  [
    type,
    ...tags,
    testStatus !== undefined && `test ${testOutcome(testStatus).words}`,
    !isJoined && 'nothing is known of its lineage',
  ]
    .filter(Boolean)
    .join(', ');
