import { CatalogError, type ErrorCode } from '../../errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Notation } from './problem.ts';
import { type OdcsDocument, readOdcs } from './read.ts';
import { writeYaml } from './write.ts';
import { readYaml } from './yaml.ts';

/**
 * A text to be read, as a document of the standard or as whatever YAML holds; or the JSON text of a document that is to
 * be written in YAML.
 */
export type Task = { readonly text: string; readonly as: Notation | 'anything' | 'written' };

/** What a text holds, or how it is refused, in a form that can pass between threads: errors cannot. */
export type Answer = { readonly value: OdcsDocument | Json } | { readonly code: ErrorCode; readonly message: string };

const NO_DIGITS: ReadonlySet<string> = new Set();

export const doText = ({ text, as }: Task): OdcsDocument | Json => {
  if (as === 'written') return writeYaml(JSON.parse(text) as JsonObject);
  return as === 'anything' ? readYaml(text, NO_DIGITS) : readOdcs(text, as);
};

/** The same for whoever cannot be thrown at. */
export const answerText = (task: Task): Answer => {
  try {
    return { value: doText(task) };
  } catch (failure) {
    if (failure instanceof CatalogError) return { code: failure.code, message: failure.message };
    throw failure;
  }
};
