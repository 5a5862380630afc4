import type { RecordRow } from '../catalog/queries.ts';
import { statement } from '../graph/statement.ts';

/** The part of a record that a file contains. */
export type CsvChildRow = Pick<RecordRow, 'node' | 'owners' | 'domains' | 'tags' | 'columnTags'>;

type ChildPageParams = {
  readonly entityType: string;
  readonly edge: string;
  readonly end: string;
  readonly limit: number;
  /** The maximum number of characters of columns on one page. */
  readonly weight: number;
};

export const listCsvChildren = statement<ChildPageParams, CsvChildRow>('csv/list_children', {
  params: ['entityType', 'edge', 'end', 'limit', 'weight'],
  row: ['node', 'owners', 'domains', 'tags', 'columnTags'],
});
