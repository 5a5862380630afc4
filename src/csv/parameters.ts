import { badRequest } from '../errors.ts';
import { flagParameter } from '../http/query-parameters.ts';
import type { Call } from '../http/route.ts';
import { type CsvLayout, exportLayoutOf } from './layout.ts';

/** Query parameters of export and import requests. */

type QueryRequest = Pick<Call, 'query'>;

/**
 * Parses a flag in any letter case. Any other text is refused, because an import that changes data must be requested
 * explicitly.
 */
const parseStrictFlag = ({ query }: QueryRequest, name: string): boolean | undefined => {
  const text = query.get(name)?.toLowerCase();
  if (text === undefined) return undefined;
  if (text !== 'true' && text !== 'false') throw badRequest(`[${name} must be true or false]`);
  return text === 'true';
};

/** Whether cells are escaped so that spreadsheets do not read them as formulas. */
export const readSafeFlag = (call: QueryRequest): boolean => parseStrictFlag(call, 'safeCsv') ?? false;

/** Whether an import is a dry run, which is the default. */
export const readDryRunFlag = (call: QueryRequest): boolean => parseStrictFlag(call, 'dryRun') ?? true;

/** The scope of an export. */
export type ExportScope = { readonly layout: CsvLayout; readonly isWhole: boolean };

/**
 * Reads the scope of an export. A table has one layout; without a parameter, an export of a service contains its
 * databases and schemas (csv.md 3.5).
 */
export const readExportScope = (call: QueryRequest, entityType: string): ExportScope => {
  const recursive = entityType === 'table' ? undefined : parseStrictFlag(call, 'recursive');
  return {
    layout: exportLayoutOf(entityType, recursive ?? entityType === 'databaseService'),
    isWhole: recursive === true,
  };
};

export const RECURSIVE_PARAMETER = flagParameter(
  'recursive',
  'Whether to export all descendants instead of direct children; ignored for tables and on import',
);
export const SAFE_CELLS_PARAMETER = flagParameter(
  'safeCsv',
  'Whether to prefix cells that a spreadsheet would run as formulas with an apostrophe',
  false,
);
export const DRY_RUN_PARAMETER = flagParameter('dryRun', 'Whether to validate the file without applying it', true);
