import { badRequest, CatalogError, type ErrorCode } from '../../../errors.ts';
import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { openThread, type TaskRefusal, type ThreadOptions, threadFile } from '../../../platform/thread.ts';
import {
  assertDocumentSize,
  createIssueCollector,
  type DocumentNotation,
  type Issue,
  invalidAt,
  jsonTypeOf,
  MAX_DOCUMENT_BYTES,
} from '../issues.ts';
import { removeSecrets, upgradeDocument } from '../versions/convert.ts';
import { detectOdcsVersion, type OdcsVersion } from '../versions/version.ts';
import { readJsonText } from './json-text.ts';
import { readYaml, writeYaml } from './yaml.ts';

/**
 * The room `odcs` reads and writes documents of the Open Data Contract Standard (ODCS) and converts between them and
 * contracts. Start here, where texts become documents and documents become texts, long ones in a thread (worker.ts).
 *
 * - `texts/`: YAML and JSON. What can be wrong with a document: issues.ts. Helpers for JSON: json-parts.ts.
 * - `versions/`: convert.ts takes a document of any version (version.ts) to the shape of 3.2.0 and back. shape.ts is the
 *   one table of the members of all versions (rules are in rule-shape.ts), in the words of member-shapes.ts. structure.ts checks documents by it,
 *   convert-v2.ts and convert-v3.ts convert them by it. What is more than members is in the conversions, which the table
 *   names: conversions-v2.ts and -v3.ts, rules-v2.ts and -v3.ts, servers.ts.
 * - Contracts: import.ts and export.ts, with fundamentals.ts for status, description and custom properties.
 *   three-way-merge.ts keeps what nobody edited as it was written.
 * - `schema/`: columns with their types, and the lists of rules.
 * - `rules/`: which test a quality rule asks for, and which rule a test stands for.
 * - People (owners, reviewers, roles): people.ts. Service levels: sla.ts.
 */

/** A parsed document: as it was written, and in the shape of 3.2.0. */
export type OdcsDocument = {
  readonly version: OdcsVersion;
  /** The document as written, without secrets. */
  readonly source: JsonObject;
  readonly document: JsonObject;
  readonly issues: readonly Issue[];
};

const DIGIT_MEMBERS: ReadonlySet<string> = new Set(['version', 'apiVersion', 'standardVersion', 'templateName']);

/** Parses a text of any supported version. Throws with all its faults. JSON is accepted as YAML. */
export const readOdcs = (text: string, notation: DocumentNotation = 'YAML'): OdcsDocument => {
  const value =
    notation === 'JSON'
      ? readJsonText(assertDocumentSize(text), DIGIT_MEMBERS)
      : readYaml(assertDocumentSize(text), DIGIT_MEMBERS);
  if (!isObject(value)) throw invalidAt('', `expected object, got ${jsonTypeOf(value)}`);
  const version = detectOdcsVersion(value);
  const findings = createIssueCollector();
  const source = removeSecrets(value, version, findings);
  const { document, issues: found } = upgradeDocument(source, version);
  return { version, source, document, issues: [...findings.found(), ...found] };
};

/** A text to parse, as an ODCS document or as any YAML, or the JSON of a document to write as YAML. */
export type DocumentTask = { readonly text: string; readonly as: DocumentNotation | 'anything' | 'written' };

const NO_DIGITS: ReadonlySet<string> = new Set();

/** Parses or writes the text of a task. */
export const runDocumentTask = ({ text, as }: DocumentTask): OdcsDocument | Json => {
  if (as === 'written') return writeYaml(JSON.parse(text) as JsonObject);
  return as === 'anything' ? readYaml(text, NO_DIGITS) : readOdcs(text, as);
};

/** The value or the refusal of a task. Errors lose their class between threads, so refusals are passed as data. */
export type DocumentTaskResult =
  | { readonly value: OdcsDocument | Json }
  | { readonly code: ErrorCode; readonly message: string };

/** Reads and writes untrusted documents: short ones in the calling thread, all others in a worker thread. */
export type OdcsDocuments = {
  /** Reads an ODCS document. Throws bad_request with all its faults. */
  odcs(text: string, notation?: DocumentNotation): Promise<OdcsDocument>;
  /** Reads any YAML with the same limits. */
  yaml(text: string): Promise<Json>;
  /** Writes a document as YAML. */
  toYaml(document: JsonObject): Promise<string>;
  close(): Promise<void>;
};

export type OdcsDocumentsOptions = Pick<ThreadOptions<DocumentTask, DocumentTaskResult>, 'report'> & {
  /** The time limit; a text that takes longer is refused. */
  readonly timeoutMs?: number;
  /** The maximum length of texts that are handled in the calling thread, where handing them over would cost more. */
  readonly mostAtOnce?: number;
  /** The maximum amount of text that may wait in the queue. */
  readonly mostWaiting?: number;
};

const DEFAULTS = { timeoutMs: 30_000, mostAtOnce: 8 * 1024, mostWaiting: 8 * MAX_DOCUMENT_BYTES };

/** The heap of the worker thread; the largest text takes about half of it. */
const HEAP_MIB = 1024;

const IDLE_MS = 60_000;
const RETRY_SECONDS = 10;

const refusalError = (refusal: TaskRefusal): Error => {
  switch (refusal) {
    case 'too slow':
      return badRequest('Invalid document: it takes too long');
    case 'too large':
      return badRequest('Invalid document: it takes too much memory');
    case 'too many':
      return new CatalogError('unavailable', 'Too many documents are waiting', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    case 'failed':
      return new Error('the thread of documents failed');
  }
};

/** Opens the worker thread for documents. A short text never waits behind a long one that has not started. */
export const openOdcsDocuments = (options: OdcsDocumentsOptions = {}): OdcsDocuments => {
  const { mostAtOnce, ...given } = { ...DEFAULTS, ...options };
  const thread = openThread<DocumentTask, DocumentTaskResult>({
    ...given,
    file: threadFile(import.meta.url, 'worker'),
    idleMs: IDLE_MS,
    heapMiB: HEAP_MIB,
    weightOf: ({ text }) => text.length,
  });

  const ask = async (task: DocumentTask): Promise<OdcsDocument | Json> => {
    if (task.text.length <= mostAtOnce) return runDocumentTask(task);
    const outcome = await thread.run(task);
    if ('refusal' in outcome) throw refusalError(outcome.refusal);
    const { answer } = outcome;
    if ('code' in answer) throw new CatalogError(answer.code, answer.message);
    return answer.value;
  };

  return {
    odcs: async (text, notation = 'YAML') =>
      (await ask({ text: assertDocumentSize(text), as: notation })) as OdcsDocument,
    yaml: async (text) => (await ask({ text: assertDocumentSize(text), as: 'anything' })) as Json,
    toYaml: async (document) => (await ask({ text: JSON.stringify(document), as: 'written' })) as string,
    close: () => thread.close(),
  };
};
