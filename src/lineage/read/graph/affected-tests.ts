import { fqnPart } from '../../../model/name.ts';
import type { TestNode } from '../record-tests.ts';
import type { AffectedRecord } from './impact.ts';

/** The full name of a column of a record. */
export const qualifyColumnName = (owner: string, name: string): string =>
  name.startsWith(`${owner}.`) ? name : `${owner}.${fqnPart(name)}`;

/** The tests of what is affected: of the record as a whole, and of those of its columns that are, where these are known. */
export const filterAffectedTests = (
  { node, columns }: Pick<AffectedRecord, 'node' | 'columns'>,
  tests: readonly TestNode[],
): readonly TestNode[] => {
  const { fullyQualifiedName: owner } = node;
  const names = new Set(columns.map((name) => qualifyColumnName(owner, name).toLowerCase()));
  const isMeant = (test: TestNode) =>
    test.columnName === null || names.has(`${owner}.${test.columnName}`.toLowerCase());
  return names.size === 0 ? tests : tests.filter(isMeant);
};
