import { fqnPrefixes } from '../../model/name.ts';
import type { SchemaValidation } from './schema.ts';

/** The faults of a contract that is not stored. */
export type DryRunResult = {
  readonly valid: boolean;
  readonly schemaValidation?: SchemaValidation;
  readonly entityErrors?: readonly string[];
  readonly constraintErrors?: readonly string[];
};

const isTopLevel = (path: string): boolean => fqnPrefixes(path).length === 0;

const listColumnNames = (paths: readonly string[]): string =>
  `${paths.length === 1 ? 'column' : 'columns'} ${paths.join(', ')}`;

/** Lists the column errors: columns that the entity lacks and duplicates. A type mismatch is not an error. */
export const describeColumnErrors = ({
  failedFields = [],
  duplicateFields = [],
}: SchemaValidation): readonly string[] => {
  const repeated = duplicateFields.filter(isTopLevel);
  return [
    ...(repeated.length > 0 ? [`[schema has the ${listColumnNames(repeated)} more than once]`] : []),
    ...(failedFields.length > 0 ? [`[schema names the unknown ${listColumnNames(failedFields)}]`] : []),
  ];
};

/** Builds the result of a dry run, which is valid when there are no faults. */
export const buildDryRunResult = (
  entityErrors: readonly string[],
  constraintErrors: readonly string[],
  schemaValidation?: SchemaValidation,
): DryRunResult => ({
  valid: entityErrors.length + constraintErrors.length === 0,
  ...(schemaValidation && { schemaValidation }),
  ...(entityErrors.length > 0 && { entityErrors }),
  ...(constraintErrors.length > 0 && { constraintErrors }),
});
