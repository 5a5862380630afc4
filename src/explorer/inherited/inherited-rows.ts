import type { Schemas } from '../api/types.ts';

/** What the explorer says of the columns that inherit a tag. */

export type InheritedLabels = Schemas['LabelPropagation'];
export type InheritedRow = InheritedLabels['data'][number];
export type InheritanceState = InheritedRow['state'];

export const INHERITED_STATES = ['missing', 'conflicts', 'blocked', 'agrees'] as const satisfies InheritanceState[];

export const STATE_TITLES: Readonly<Record<InheritanceState, string>> = {
  missing: 'Lack it',
  conflicts: 'Carry another',
  blocked: 'Out of reach',
  agrees: 'Have it',
};

/** What the list of a state is about, for whoever sees it for the first time. */
export const STATE_MEANINGS: Readonly<Record<InheritanceState, string>> = {
  missing: 'These columns are made from labelled ones, and are not labelled.',
  conflicts: 'These columns are made from labelled ones, and carry a tag that excludes this one.',
  blocked: 'A function that hides the values, or a column that stops labels, lies on every way to these columns.',
  agrees: 'These columns are made from labelled ones, and are labelled too.',
};

export const isInheritanceState = (text: string | null): text is InheritanceState =>
  INHERITED_STATES.some((state) => state === text);

/** The name of a column below its asset. */
export const columnPath = ({ column: { entity, fullyQualifiedName } }: Pick<InheritedRow, 'column'>): string => {
  const owner = `${entity.fullyQualifiedName}.`;
  return fullyQualifiedName.startsWith(owner) ? fullyQualifiedName.slice(owner.length) : fullyQualifiedName;
};

/** How far away the nearest source is, in words. */
export const describeDistance = ({ paths: [shortest = []] }: Pick<InheritedRow, 'paths'>): string => {
  const between = shortest.length - 2;
  if (between <= 0) return 'directly';
  return between === 1 ? 'through one column' : `through ${between} columns`;
};

export const describeOutcome = (passed: number, failed: number): string => {
  const done = passed === 1 ? 'One column is labelled now.' : `${passed.toLocaleString()} columns are labelled now.`;
  if (failed === 0) return done;
  const refused = failed === 1 ? 'One was refused' : `${failed.toLocaleString()} were refused`;
  return passed === 0 ? `${refused}.` : `${done} ${refused}.`;
};
