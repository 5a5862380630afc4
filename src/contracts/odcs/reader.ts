import { badRequest, CatalogError } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import { openThread, type Refusal, type ThreadOptions, threadBeside } from '../../thread.ts';
import { fitting, LARGEST_TEXT } from './limits.ts';
import type { Notation } from './problem.ts';
import type { OdcsDocument } from './read.ts';
import { type Answer, readText, type Task } from './text.ts';

/** Reads texts that nobody vouches for: short ones at once, all others beside the event loop. */
export type DocumentReader = {
  /** A document of the standard. Throws bad_request with all that is wrong in it. */
  odcs(text: string, notation?: Notation): Promise<OdcsDocument>;
  /** Whatever a text in YAML holds, read as carefully. */
  yaml(text: string): Promise<Json>;
  close(): Promise<void>;
};

export type DocumentReaderOptions = Pick<ThreadOptions<Task, Answer>, 'report'> & {
  /** A text that takes longer is refused. */
  readonly timeoutMs?: number;
  /** Texts that are no longer than this are read at once: to hand them over would cost more. */
  readonly mostAtOnce?: number;
  /** How much text may wait. */
  readonly mostWaiting?: number;
};

const DEFAULTS = { timeoutMs: 20_000, mostAtOnce: 64 * 1024, mostWaiting: 8 * LARGEST_TEXT };

/** The longest text there may be takes about half of it. */
const HEAP_MIB = 1536;

const IDLE_MS = 60_000;
const RETRY_SECONDS = 10;

const failureOf = (refusal: Refusal): Error => {
  switch (refusal) {
    case 'too slow':
      return badRequest('Invalid document: it takes too long to be read');
    case 'too large':
      return badRequest('Invalid document: it takes too much memory to be read');
    case 'too many':
      return new CatalogError('unavailable', 'Too many documents wait to be read', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    case 'failed':
      return new Error('the thread that reads documents failed');
  }
};

/** Opens a reader. A short text never waits for a long one that is not being read yet. */
export const openDocumentReader = (options: DocumentReaderOptions = {}): DocumentReader => {
  const { mostAtOnce, ...given } = { ...DEFAULTS, ...options };
  const thread = openThread<Task, Answer>({
    ...given,
    file: threadBeside(import.meta.url, 'worker'),
    idleMs: IDLE_MS,
    heapMiB: HEAP_MIB,
    weightOf: ({ text }) => text.length,
  });

  const read = async (task: Task): Promise<OdcsDocument | Json> => {
    if (task.text.length <= mostAtOnce) return readText(task);
    const outcome = await thread.ask({ ...task, text: fitting(task.text) });
    if ('refusal' in outcome) throw failureOf(outcome.refusal);
    const { answer } = outcome;
    if ('code' in answer) throw new CatalogError(answer.code, answer.message);
    return answer.value;
  };

  return {
    odcs: async (text, notation = 'YAML') => (await read({ text, as: notation })) as OdcsDocument,
    yaml: async (text) => (await read({ text, as: 'anything' })) as Json,
    close: () => thread.close(),
  };
};
