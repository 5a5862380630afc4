import { fqnPart } from '../../../model/name.ts';
import type { TestNode } from '../record-tests.ts';
import type { AffectedRecord } from './impact.ts';

/** Returns the full name of a record's column. */
export const qualifyColumnName = (owner: string, name: string): string =>
  name.startsWith(`${owner}.`) ? name : `${owner}.${fqnPart(name)}`;

/**
 * Selects the tests of an affected record: those of the record itself and those of its affected columns, when these are
 * known.
 */
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
