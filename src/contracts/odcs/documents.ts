import { badRequest, CatalogError } from '../../errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { openThread, type TaskRefusal, type ThreadOptions, threadFile } from '../../platform/thread.ts';
import { assertDocumentSize, MAX_DOCUMENT_BYTES } from './limits.ts';
import type { DocumentNotation } from './problem.ts';
import type { OdcsDocument } from './read.ts';
import { type DocumentTask, runDocumentTask } from './text.ts';
import type { DocumentTaskResult } from './worker.ts';

/**
 * Reads and writes untrusted documents: short ones in the calling thread, all others in a worker thread. This folder
 * converts between contracts and ODCS documents. Read read.ts and versions.ts for parsing and versions (upgrade-*,
 * downgrade-*), shape.ts for the members of a document, then import.ts and export.ts; files ending in -in and -out
 * read and write one section each.
 */
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
