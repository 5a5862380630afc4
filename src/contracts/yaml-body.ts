import { CatalogError } from '../errors.ts';
import type { Json } from '../model/json.ts';
import { LARGEST_TEXT } from './odcs/limits.ts';
import { readYaml } from './odcs/yaml.ts';

const NO_DIGITS: ReadonlySet<string> = new Set();

/** A create body that is written in YAML, read as carefully as a document of the standard. */
export const readYamlBody = (text: string): Json => {
  if (Buffer.byteLength(text) > LARGEST_TEXT) {
    throw new CatalogError('payload_too_large', `Request body is larger than ${LARGEST_TEXT} bytes`);
  }
  return readYaml(text, NO_DIGITS);
};
