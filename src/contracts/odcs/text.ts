import { CatalogError, type ErrorCode } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import { fitting } from './limits.ts';
import type { Notation } from './problem.ts';
import { type OdcsDocument, readOdcs } from './read.ts';
import { readYaml } from './yaml.ts';

/** A text to be read: as a document of the standard, or as whatever YAML holds. */
export type Task = { readonly text: string; readonly as: Notation | 'anything' };

/** What a text holds, or how it is refused, in a form that can pass between threads: errors cannot. */
export type Answer = { readonly value: OdcsDocument | Json } | { readonly code: ErrorCode; readonly message: string };

const NO_DIGITS: ReadonlySet<string> = new Set();

export const readText = ({ text, as }: Task): OdcsDocument | Json =>
  as === 'anything' ? readYaml(fitting(text), NO_DIGITS) : readOdcs(text, as);

/** The same for whoever cannot be thrown at. */
export const answerText = (task: Task): Answer => {
  try {
    return { value: readText(task) };
  } catch (failure) {
    if (failure instanceof CatalogError) return { code: failure.code, message: failure.message };
    throw failure;
  }
};
