import { badRequest, CatalogError } from '../../errors.ts';
import { isArray, type Json } from '../../model/json.ts';

/** What can be wrong with a document: limits, faults that refuse it, and findings that an import reports. */

/** The limits of a document (odcs.md 2.1). */
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
export const MAX_DOCUMENT_DEPTH = 64;
export const MAX_DOCUMENT_NODES = 500_000;
export const MAX_ALIASES = 1_000;
export const MAX_SCALAR_LENGTH = 1024 * 1024;
export const MAX_SCHEMA_OBJECTS = 1_000;
export const MAX_OBJECT_COLUMNS = 20_000;

/** Returns the text, or throws when it exceeds the size limit. */
export const assertDocumentSize = (text: string): string => {
  if (Buffer.byteLength(text) <= MAX_DOCUMENT_BYTES) return text;
  throw new CatalogError('payload_too_large', `The document is larger than ${MAX_DOCUMENT_BYTES} bytes`);
};

/** A fault of a document and its path; an empty path is the root. */
export type DocumentProblem = { readonly path: string; readonly text: string };

/** The maximum number of faults in one message. */
const MAX_PROBLEMS_SHOWN = 20;

/** The maximum length of a path or name in a message or finding. */
const MAX_SHOWN = 300;

/** Makes a path or name safe for messages and headers: it is shortened, and control characters are replaced. */
export const sanitizeText = (text: string): string =>
  (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text).replace(/\p{Cc}|\p{Surrogate}/gu, '?');

/** Builds the error that lists the faults of a document. */
export const invalidDocumentError = (problems: readonly DocumentProblem[]): CatalogError =>
  badRequest(
    `Invalid ODCS content: ${problems
      .slice(0, MAX_PROBLEMS_SHOWN)
      .map(({ path, text }) => `${sanitizeText(path === '' ? '$' : path)}: ${sanitizeText(text)}`)
      .join('; ')}`,
  );

/** Builds the error for one fault. */
export const invalidAt = (path: string, text: string): CatalogError => invalidDocumentError([{ path, text }]);

/** The notation of a document. */
export type DocumentNotation = 'JSON' | 'YAML';

/** Builds the error for a text that is not valid YAML, or not valid JSON where JSON is required. */
export const invalidSyntaxError = (
  line: number,
  column: number,
  text: string,
  notation: DocumentNotation = 'YAML',
): CatalogError => badRequest(`Invalid ${notation} content: line ${line}, column ${column}: ${sanitizeText(text)}`);

/** Appends a member name or index to a path. */
export const joinPath = (path: string, name: string | number): string =>
  typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;

/** The name of a value's JSON type. */
export const jsonTypeOf = (value: Json): string => (value === null ? 'null' : isArray(value) ? 'array' : typeof value);

// Findings: what an import reports of a document (odcs.md 1, odcsImportReport).

export type IssueCategory =
  | 'document'
  | 'schema'
  | 'quality'
  | 'sla'
  | 'team'
  | 'roles'
  | 'servers'
  | 'support'
  | 'other';

export type Issue = {
  severity: 'blocking' | 'warning' | 'info';
  category: IssueCategory;
  field?: string;
  path?: string;
  occurrences: number;
  message: string;
};

export type IssueCollector = {
  /** Adds a finding; a repeated finding on the same field is only counted. */
  add(issue: Omit<Issue, 'occurrences'>): void;
  found(): readonly Issue[];
};

/** The maximum number of different findings, so that a hostile document cannot produce a larger answer. */
const MAX_ISSUES = 1_000;

const truncateIssue = ({ field, path }: Pick<Issue, 'field' | 'path'>): Pick<Issue, 'field' | 'path'> => ({
  ...(field === undefined ? {} : { field: field.slice(0, MAX_SHOWN) }),
  ...(path === undefined ? {} : { path: path.slice(0, MAX_SHOWN) }),
});

/** Creates a collector of findings. The path is that of the first occurrence. */
export const createIssueCollector = (): IssueCollector => {
  const byKey = new Map<string, Issue>();
  return {
    add: (found) => {
      const issue = { ...found, ...truncateIssue(found) };
      const key = JSON.stringify([issue.severity, issue.category, issue.field, issue.message]);
      const known = byKey.get(key);
      if (known) known.occurrences += 1;
      else if (byKey.size < MAX_ISSUES) byKey.set(key, { ...issue, occurrences: 1 });
    },
    found: () => [...byKey.values()],
  };
};

const CATEGORY_BY_ROOT: Readonly<Record<string, IssueCategory>> = {
  schema: 'schema',
  dataset: 'schema',
  quality: 'quality',
  slaProperties: 'sla',
  slaDefaultElement: 'sla',
  slaDefaultColumn: 'sla',
  team: 'team',
  stakeholders: 'team',
  roles: 'roles',
  servers: 'servers',
  server: 'servers',
  username: 'servers',
  password: 'servers',
  support: 'support',
  productSlackChannel: 'support',
  productFeedbackUrl: 'support',
  productDl: 'support',
};

/** The category of a path such as `schema[0].quality[2].metric`. */
export const issueCategoryOf = (path: string): IssueCategory => {
  if (/\.quality\b/.test(path)) return 'quality';
  const root = /^[^.[]*/.exec(path)?.[0] ?? '';
  return Object.hasOwn(CATEGORY_BY_ROOT, root)
    ? (CATEGORY_BY_ROOT[root] ?? 'document')
    : root === ''
      ? 'document'
      : 'other';
};
