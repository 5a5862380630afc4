import type { RecordRow } from '../catalog/queries.ts';
import { template } from '../graph/statement.ts';

/** The part of a record that a file contains. */
export type CsvChildRow = Pick<RecordRow, 'node' | 'owners' | 'domains' | 'tags' | 'columnTags'>;

type ChildPageParams = {
  readonly edge: string;
  readonly end: string;
  readonly limit: number;
  /** The maximum number of characters of columns on one page. */
  readonly weight: number;
};

export const listCsvChildren = template<ChildPageParams, CsvChildRow>('csv/list_children', 'LABEL', {
  params: ['edge', 'end', 'limit', 'weight'],
  row: ['node', 'owners', 'domains', 'tags', 'columnTags'],
});
