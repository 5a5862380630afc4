import type { Json, JsonObject } from '../../model/json.ts';
import type { DocumentNotation } from './problem.ts';
import { type OdcsDocument, readOdcs } from './read.ts';
import { writeYaml } from './write.ts';
import { readYaml } from './yaml.ts';

/** A text to parse, as an ODCS document or as any YAML, or the JSON of a document to write as YAML. */
export type DocumentTask = { readonly text: string; readonly as: DocumentNotation | 'anything' | 'written' };

const NO_DIGITS: ReadonlySet<string> = new Set();

/** Parses or writes the text of a task. */
export const runDocumentTask = ({ text, as }: DocumentTask): OdcsDocument | Json => {
  if (as === 'written') return writeYaml(JSON.parse(text) as JsonObject);
  return as === 'anything' ? readYaml(text, NO_DIGITS) : readOdcs(text, as);
};
