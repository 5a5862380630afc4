import type { Json, JsonObject } from '../../model/json.ts';
import type { DocumentNotation } from './problem.ts';
import { type OdcsDocument, readOdcs } from './read.ts';
import { writeYaml } from './write.ts';
import { readYaml } from './yaml.ts';

/**
 * A text to be read, as a document of the standard or as whatever YAML holds; or the JSON text of a document that is to
 * be written in YAML.
 */
export type DocumentTask = { readonly text: string; readonly as: DocumentNotation | 'anything' | 'written' };

const NO_DIGITS: ReadonlySet<string> = new Set();

/** What a text holds, or what is written of it. */
export const runDocumentTask = ({ text, as }: DocumentTask): OdcsDocument | Json => {
  if (as === 'written') return writeYaml(JSON.parse(text) as JsonObject);
  return as === 'anything' ? readYaml(text, NO_DIGITS) : readOdcs(text, as);
};
