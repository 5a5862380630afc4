import { kindOf } from '../api/kinds.ts';
import type { Schemas } from '../api/types.ts';
import { testOutcome } from '../parts/outcome.ts';

/** What the page knows of the columns of a record before it has read any. */

/** Whether columns of the kind take part in lineage. Charts stand for the columns of a dashboard. */
export const hasColumns = (type = ''): boolean => kindOf(type)?.hasColumns === true || type === 'dashboard';

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

/** A column as the API lists it; the sources of a model's feature lie below it. */
export type Column = Omit<Described, 'testStatus'> & {
  readonly name: string;
  readonly fullyQualifiedName?: string;
  readonly children?: readonly Column[];
  readonly featureSources?: readonly Column[];
};

/** All columns of a record in their order, nested ones after those that hold them, by their names within the record. */
export const nameColumns = (columns: readonly Column[], above = ''): readonly NamedColumn[] =>
  columns.flatMap(({ name, fullyQualifiedName, featureSources, children = featureSources ?? [], ...rest }) => {
    const path = `${above}${name}`;
    return [
      ...(fullyQualifiedName === undefined ? [] : [{ name: path, fqn: fullyQualifiedName, ...factsOf(rest) }]),
      ...nameColumns(children, `${path}.`),
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
