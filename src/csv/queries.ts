import type { RecordRow } from '../catalog/queries.ts';
import { template } from '../graph/statement.ts';

/** What a file tells of a record, as it is read. */
export type CsvChildRow = Pick<RecordRow, 'node' | 'owners' | 'domains' | 'tags' | 'columnTags'>;

type ChildPageParams = {
  readonly edge: string;
  readonly end: string;
  readonly limit: number;
  /** How many characters of columns are enough for one page. */
  readonly weight: number;
};

export const listCsvChildren = template<ChildPageParams, CsvChildRow>('csv/list_children', 'LABEL', {
  params: ['edge', 'end', 'limit', 'weight'],
  row: ['node', 'owners', 'domains', 'tags', 'columnTags'],
});
