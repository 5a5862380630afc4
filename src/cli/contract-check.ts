import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { StartupError } from '../errors.ts';
import { objectOf, openCatalog, textOf } from './catalog-client.ts';
import type { CheckReport, ContractReport, DocumentJudgement } from './contract-report.ts';
import { createContentRequest, createServiceRequest, type ServiceConnection } from './service-client.ts';

/** Asks a running service what a proposed change of columns, or a proposed contract, would break. */

type ProposedChange = {
  /** SQL statements, a list of columns, or an ODCS document, depending on the file extension. */
  readonly file: string;
  /** The full name and kind of the asset whose columns change. */
  readonly entity: string;
  readonly type: string;
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

type Proposal = { readonly ddl: string } | { readonly columns: unknown } | { readonly odcs: string };

/** Readers of proposed changes, by file extension. */
const PROPOSAL_READERS: Readonly<Record<string, (file: string, text: string) => Proposal>> = {
  '.sql': (_file, ddl) => ({ ddl }),
  '.json': (file, text) => ({ columns: parseColumns(file, text) }),
  '.yaml': (_file, odcs) => ({ odcs }),
  '.yml': (_file, odcs) => ({ odcs }),
};

const readProposal = async (file: string): Promise<Proposal> => {
  const end = extname(file).toLowerCase();
  const reader = Object.hasOwn(PROPOSAL_READERS, end) ? PROPOSAL_READERS[end] : undefined;
  if (!reader) throw new StartupError(`${file}: the name must end with ${Object.keys(PROPOSAL_READERS).join(', ')}`);
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new StartupError(`${file} cannot be read: ${cause.message}`, { cause });
  });
  return reader(file, text);
};

/** The header that marks a response as incomplete. */
export const TRUNCATED_HEADER = 'X-Lineage-Truncated';

export const TRUNCATED_NOTE = 'Not everything downstream could be looked at: there is more of it than one check walks.';

/** Judges whether the document could be stored as the contract of the asset; nothing is stored. */
const judgeDocument = async (
  remote: ServiceConnection,
  { file, entity, type }: ProposedChange,
  content: string,
): Promise<DocumentJudgement> => {
  const graph = await openCatalog(remote, file).readJson('lineage/graph', {
    type,
    fqn: entity,
    upstreamDepth: 0,
    downstreamDepth: 0,
  });
  const query = new URLSearchParams({ entityType: type, entityId: textOf(objectOf(graph['root'])['id']) });
  const path = `dataContracts/odcs/validate/yaml?${query}`;
  const response = await createContentRequest(remote)(file, 'POST', path, { mediaType: 'application/yaml', content });
  return (await response.json()) as DocumentJudgement;
};

/** What the document says and a contract of the catalog has no place for. */
const remarksOf = ({ odcsImportReport, schemaValidation }: DocumentJudgement): readonly string[] => [
  ...(schemaValidation?.typeMismatchFields ?? []),
  ...(odcsImportReport?.issues ?? [])
    .filter(({ severity }) => severity !== 'info')
    .map(({ field = 'document', message }) => `${field}: ${message}`),
];

/** Reports on a proposed change. Throws a StartupError with a readable message when the check fails. */
export const checkProposal = async (remote: ServiceConnection, change: ProposedChange): Promise<ContractReport> => {
  const proposed = await readProposal(change.file);
  const body = { entity: { type: change.type, fullyQualifiedName: change.entity }, proposed };
  const response = await createServiceRequest(remote)(change.file, 'POST', 'dataContracts/check', body);
  const found = (await response.json()) as CheckReport;
  const gaps = response.headers.has(TRUNCATED_HEADER) ? [TRUNCATED_NOTE] : [];
  if (!('odcs' in proposed)) return { subject: change.entity, found, gaps, remarks: [] };
  const document = await judgeDocument(remote, change, proposed.odcs);
  const verdict = document.valid ? found.verdict : 'breaks';
  return { subject: change.entity, found: { ...found, verdict, document }, gaps, remarks: remarksOf(document) };
};
