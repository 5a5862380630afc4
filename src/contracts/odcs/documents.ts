import { badRequest, CatalogError } from '../../errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { openThread, type TaskRefusal, type ThreadOptions, threadFile } from '../../platform/thread.ts';
import { assertDocumentSize, MAX_DOCUMENT_BYTES } from './limits.ts';
import type { DocumentNotation } from './problem.ts';
import type { OdcsDocument } from './read.ts';
import { type DocumentTask, runDocumentTask } from './text.ts';
import type { DocumentTaskResult } from './worker.ts';

/** Reads and writes documents that nobody vouches for: short ones at once, all others beside the event loop. */
export type OdcsDocuments = {
  /** A document of the standard. Throws bad_request with all that is wrong in it. */
  odcs(text: string, notation?: DocumentNotation): Promise<OdcsDocument>;
  /** Whatever a text in YAML holds, read as carefully. */
  yaml(text: string): Promise<Json>;
  /** A document in YAML. */
  toYaml(document: JsonObject): Promise<string>;
  close(): Promise<void>;
};

export type OdcsDocumentsOptions = Pick<ThreadOptions<DocumentTask, DocumentTaskResult>, 'report'> & {
  /** A text that takes longer is refused. */
  readonly timeoutMs?: number;
  /** Texts that are no longer than this are dealt with at once: to hand them over would cost more. */
  readonly mostAtOnce?: number;
  /** How much text may wait. */
  readonly mostWaiting?: number;
};

const DEFAULTS = { timeoutMs: 30_000, mostAtOnce: 8 * 1024, mostWaiting: 8 * MAX_DOCUMENT_BYTES };

/** The longest text there may be takes about half of it. */
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

/** Opens the thread of documents. A short text never waits for a long one that has not been begun. */
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
