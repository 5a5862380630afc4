import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type CheckReport, type Extent, REPORTS, type ReportFormat } from './contract-report.ts';
import { StartupError } from './errors.ts';
import { createAskWhole, type Remote } from './remote.ts';

type Options = Remote & {
  /** What is proposed: statements, a list of columns, or a document, as the end of its name says. */
  readonly file: string;
  /** The record whose columns change, by its full name and kind. */
  readonly entity: string;
  readonly type: string;
  readonly format: string;
  readonly report: (text: string) => void;
};

const listIn = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (failure) {
    throw new StartupError(`${file}: ${(failure as Error).message}`);
  }
};

/** A list of columns, alone or as the member of an object that a description of a table has. */
const columnsIn = (file: string, text: string): unknown => {
  const value = listIn(file, text);
  const columns = Array.isArray(value) ? value : (value as { columns?: unknown } | null)?.columns;
  if (!Array.isArray(columns)) throw new StartupError(`${file}: a list of columns is expected`);
  return columns;
};

/** What a file proposes, by the end of its name. */
const READERS: Readonly<Record<string, (file: string, text: string) => object>> = {
  '.sql': (_file, ddl) => ({ ddl }),
  '.json': (file, text) => ({ columns: columnsIn(file, text) }),
  '.yaml': (_file, odcs) => ({ odcs }),
  '.yml': (_file, odcs) => ({ odcs }),
};

const readProposal = async (file: string): Promise<object> => {
  const end = extname(file).toLowerCase();
  const reader = Object.hasOwn(READERS, end) ? READERS[end] : undefined;
  if (!reader) throw new StartupError(`${file}: the name must end with ${Object.keys(READERS).join(', ')}`);
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new StartupError(`${file} cannot be read: ${cause.message}`, { cause });
  });
  return reader(file, text);
};

const formatCalled = (name: string): ReportFormat => {
  const format = (Object.keys(REPORTS) as ReportFormat[]).find((one) => one === name);
  if (!format) throw new StartupError(`--format is "${name}", expected ${Object.keys(REPORTS).join(', ')}`);
  return format;
};

/** The header by which the service says that its answer is not whole. */
const CUT_HEADER = 'X-Lineage-Truncated';

/** What a check found: whether something breaks, and whether nobody knows since there was more than could be looked at. */
export type Verdict = 'ok' | 'breaks' | 'unknown';

/**
 * Asks a running service what a proposed change would break, and reports it. Throws a StartupError in plain words when it
 * could not be found out.
 */
export const checkContract = async ({ file, entity, type, format, report, ...remote }: Options): Promise<Verdict> => {
  const write = REPORTS[formatCalled(format)];
  const proposed = await readProposal(file);
  const body = { entity: { type, fullyQualifiedName: entity }, proposed };
  const response = await createAskWhole(remote)(file, 'POST', 'dataContracts/check', body);
  const found = (await response.json()) as CheckReport;
  const extent: Extent = response.headers.has(CUT_HEADER) ? 'part' : 'whole';
  report(write(entity, found, extent));
  return found.verdict === 'ok' && extent === 'part' ? 'unknown' : found.verdict;
};
