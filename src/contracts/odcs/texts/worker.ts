import { CatalogError } from '../../../errors.ts';
import { serveTasks } from '../../../platform/thread.ts';
import { type DocumentTask, type DocumentTaskResult, runDocumentTask } from './documents.ts';

/** The thread that reads and writes documents for documents.ts. */

serveTasks((task: DocumentTask): DocumentTaskResult => {
  try {
    return { value: runDocumentTask(task) };
  } catch (failure) {
    if (failure instanceof CatalogError) return { code: failure.code, message: failure.message };
    throw failure;
  }
});
