import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { StartupError } from '../errors.ts';
import { type CheckExtent, type CheckReport, REPORT_FORMATTERS, type ReportFormat } from './contract-report.ts';
import { createServiceRequest, type ServiceConnection } from './service-client.ts';

type ContractCheckOptions = ServiceConnection & {
  /** The proposed change: SQL statements, a list of columns, or a document, depending on the file extension. */
  readonly file: string;
  /** The full name and kind of the record whose columns change. */
  readonly entity: string;
  readonly type: string;
  readonly format: string;
  readonly report: (text: string) => void;
};

const parseJson = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (failure) {
    throw new StartupError(`${file}: ${(failure as Error).message}`);
  }
};

/** Parses a list of columns, given alone or as the `columns` member of an object. */
const parseColumns = (file: string, text: string): unknown => {
  const value = parseJson(file, text);
  const columns = Array.isArray(value) ? value : (value as { columns?: unknown } | null)?.columns;
  if (!Array.isArray(columns)) throw new StartupError(`${file}: expected a list of columns`);
  return columns;
};

/** Readers of proposed changes, by file extension. */
const PROPOSAL_READERS: Readonly<Record<string, (file: string, text: string) => object>> = {
  '.sql': (_file, ddl) => ({ ddl }),
  '.json': (file, text) => ({ columns: parseColumns(file, text) }),
  '.yaml': (_file, odcs) => ({ odcs }),
  '.yml': (_file, odcs) => ({ odcs }),
};

const readProposal = async (file: string): Promise<object> => {
  const end = extname(file).toLowerCase();
  const reader = Object.hasOwn(PROPOSAL_READERS, end) ? PROPOSAL_READERS[end] : undefined;
  if (!reader) throw new StartupError(`${file}: the name must end with ${Object.keys(PROPOSAL_READERS).join(', ')}`);
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new StartupError(`${file} cannot be read: ${cause.message}`, { cause });
  });
  return reader(file, text);
};

const parseReportFormat = (name: string): ReportFormat => {
  const format = (Object.keys(REPORT_FORMATTERS) as ReportFormat[]).find((one) => one === name);
  if (!format) throw new StartupError(`--format is "${name}", expected ${Object.keys(REPORT_FORMATTERS).join(', ')}`);
  return format;
};

/** The header that marks a response as incomplete. */
const TRUNCATED_HEADER = 'X-Lineage-Truncated';

/** The result of a check. `unknown` means that there was more downstream than could be checked. */
export type ContractCheckVerdict = 'ok' | 'breaks' | 'unknown';

/**
 * Asks a running service what a proposed change would break, and reports it. Throws a StartupError with a readable
 * message when the check fails.
 */
export const checkContract = async ({
  file,
  entity,
  type,
  format,
  report,
  ...remote
}: ContractCheckOptions): Promise<ContractCheckVerdict> => {
  const write = REPORT_FORMATTERS[parseReportFormat(format)];
  const proposed = await readProposal(file);
  const body = { entity: { type, fullyQualifiedName: entity }, proposed };
  const response = await createServiceRequest(remote)(file, 'POST', 'dataContracts/check', body);
  const found = (await response.json()) as CheckReport;
  const extent: CheckExtent = response.headers.has(TRUNCATED_HEADER) ? 'part' : 'whole';
  report(write(entity, found, extent));
  return found.verdict === 'ok' && extent === 'part' ? 'unknown' : found.verdict;
};
