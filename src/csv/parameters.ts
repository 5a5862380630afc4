import { badRequest } from '../errors.ts';
import type { Call, QueryParameter } from '../http/route.ts';
import { type CsvLayout, exportLayoutOf } from './layout.ts';

/** What requests for files ask for. */

type QueryRequest = Pick<Call, 'query'>;

/** A flag that says yes or no in any case. Whoever means to change something must have said so beyond doubt. */
const parseStrictFlag = ({ query }: QueryRequest, name: string): boolean | undefined => {
  const text = query.get(name)?.toLowerCase();
  if (text === undefined) return undefined;
  if (text !== 'true' && text !== 'false') throw badRequest(`[${name} must be true or false]`);
  return text === 'true';
};

/** Whether cells are kept from being formulas. */
export const readSafeFlag = (call: QueryRequest): boolean => parseStrictFlag(call, 'safeCsv') ?? false;

/** Whether a file is only judged: it is, unless the request says that it is to be applied. */
export const readDryRunFlag = (call: QueryRequest): boolean => parseStrictFlag(call, 'dryRun') ?? true;

/** How far down a file goes that is asked for. */
export type ExportScope = { readonly layout: CsvLayout; readonly isWhole: boolean };

/** Of a table there is one layout; of a service about which nothing is said, its databases and schemas (csv.md 3.5). */
export const readExportScope = (call: QueryRequest, entityType: string): ExportScope => {
  const asked = entityType === 'table' ? undefined : parseStrictFlag(call, 'recursive');
  return {
    layout: exportLayoutOf(entityType, asked ?? entityType === 'databaseService'),
    isWhole: asked === true,
  };
};

const flagParameter = (name: string, description: string, fallback?: boolean): QueryParameter => ({
  name,
  description,
  schema: { type: 'boolean', ...(fallback === undefined ? {} : { default: fallback }) },
});

export const RECURSIVE_PARAMETER = flagParameter(
  'recursive',
  'Everything below the record; of no account for tables, and on the way in',
);
export const SAFE_CELLS_PARAMETER = flagParameter(
  'safeCsv',
  'Whether cells that a spreadsheet would take for formulas begin with an apostrophe',
  false,
);
export const DRY_RUN_PARAMETER = flagParameter('dryRun', 'Whether the file is only judged; false applies it', true);
