import { CatalogError, type ErrorCode } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import { serveTasks } from '../../platform/thread.ts';
import type { OdcsDocument } from './read.ts';
import { type DocumentTask, runDocumentTask } from './text.ts';

/** The value or the refusal of a task. Errors lose their class between threads, so refusals are passed as data. */
export type DocumentTaskResult =
  | { readonly value: OdcsDocument | Json }
  | { readonly code: ErrorCode; readonly message: string };

serveTasks((task: DocumentTask): DocumentTaskResult => {
  try {
    return { value: runDocumentTask(task) };
  } catch (failure) {
    if (failure instanceof CatalogError) return { code: failure.code, message: failure.message };
    throw failure;
  }
});
