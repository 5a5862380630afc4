import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { compact, spoken } from './parts.ts';

/** The one text of a contract and the three texts of a document's description (odcs.md 3). */

const LIMITATIONS = '**Limitations:**\n';
const USAGE = '**Usage:**\n';
const BETWEEN = '\n\n';

/** The description of a contract: the purpose, with limitations and usage behind it. */
export const readDescription = (description: Json | undefined): string | undefined => {
  if (!isObject(description)) return spoken(description);
  const [purpose, limitations, usage] = ['purpose', 'limitations', 'usage'].map((name) => spoken(description[name]));
  const parts = [purpose, limitations && `${LIMITATIONS}${limitations}`, usage && `${USAGE}${usage}`];
  return spoken(parts.filter((part) => part !== undefined).join(BETWEEN));
};

/** What stands before a mark and what behind it, if the mark begins a paragraph. */
const splitAt = (text: string, mark: string): readonly [before: string | undefined, behind: string | undefined] => {
  const place = text.lastIndexOf(`${BETWEEN}${mark}`);
  if (place !== -1) return [text.slice(0, place), text.slice(place + BETWEEN.length + mark.length)];
  return text.startsWith(mark) ? [undefined, text.slice(mark.length)] : [text, undefined];
};

/** The texts of a document's description that the text of a contract is made of. */
export const writeDescription = (text: string | undefined): JsonObject => {
  if (text === undefined) return {};
  const [rest = '', usage] = splitAt(text, USAGE);
  const [purpose, limitations] = splitAt(rest, LIMITATIONS);
  return compact({ purpose: spoken(purpose), limitations: spoken(limitations), usage: spoken(usage) });
};
