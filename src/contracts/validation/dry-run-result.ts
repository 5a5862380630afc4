import { fqnPrefixes } from '../../model/name.ts';
import type { SchemaValidation } from './schema.ts';

/** What is wrong with a contract that nobody has stored. */
export type DryRunResult = {
  readonly valid: boolean;
  readonly schemaValidation?: SchemaValidation;
  readonly entityErrors?: readonly string[];
  readonly constraintErrors?: readonly string[];
};

const isTopLevel = (path: string): boolean => fqnPrefixes(path).length === 0;

const listColumnNames = (paths: readonly string[]): string =>
  `${paths.length === 1 ? 'column' : 'columns'} ${paths.join(', ')}`;

/** Why columns cannot be those of a contract: they are none of the entity, or are there twice. Other types are no reason. */
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

/** What a trial of a contract answers: it is valid when nothing is wrong with it. */
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
