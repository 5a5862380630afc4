import { kindOf } from '../api/kinds.ts';
import { canHaveContract } from '../contract/subjects.ts';

/** The parts of the page of an asset; its address names one of them. */

export type View = { readonly view: string; readonly title: string; readonly isFor: (type: string) => boolean };

const hasField =
  (field: string) =>
  (type: string): boolean =>
    kindOf(type)?.fields.includes(field) ?? false;

const VIEWS: readonly View[] = [
  { view: 'overview', title: 'Overview', isFor: () => true },
  { view: 'quality', title: 'Quality', isFor: (type) => type === 'table' },
  { view: 'contract', title: 'Contract', isFor: canHaveContract },
  { view: 'sample', title: 'Sample', isFor: hasField('sampleData') },
  { view: 'inherited', title: 'Along lineage', isFor: (type) => type === 'tag' },
  { view: 'flows', title: 'Where it flows', isFor: (type) => type === 'tag' || type === 'classification' },
  { view: 'promises', title: 'Promises', isFor: (type) => type === 'dataProduct' },
  { view: 'versions', title: 'Versions', isFor: () => true },
  { view: 'activity', title: 'Activity', isFor: () => true },
];

/** What the API still tells of a deleted record. */
const OF_DELETED: ReadonlySet<string> = new Set(['overview', 'versions', 'activity']);

export const viewsOf = (type: string, isDeleted = false): readonly View[] =>
  VIEWS.filter(({ isFor, view }) => isFor(type) && (!isDeleted || OF_DELETED.has(view)));
