import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { nonBlankText, omitEmpty } from './parts.ts';

/** Converts between the one description of a contract and the three texts of a document's description (odcs.md 3). */

const LIMITATIONS = '**Limitations:**\n';
const USAGE = '**Usage:**\n';
const SEPARATOR = '\n\n';

/** Builds the description of a contract: the purpose, followed by limitations and usage. */
export const readDescription = (description: Json | undefined): string | undefined => {
  if (!isObject(description)) return nonBlankText(description);
  const [purpose, limitations, usage] = ['purpose', 'limitations', 'usage'].map((name) =>
    nonBlankText(description[name]),
  );
  const parts = [purpose, limitations && `${LIMITATIONS}${limitations}`, usage && `${USAGE}${usage}`];
  return nonBlankText(parts.filter((part) => part !== undefined).join(SEPARATOR));
};

/** Splits a text at a mark that begins a paragraph. */
const splitAtMark = (text: string, mark: string): readonly [before: string | undefined, behind: string | undefined] => {
  const place = text.lastIndexOf(`${SEPARATOR}${mark}`);
  if (place !== -1) return [text.slice(0, place), text.slice(place + SEPARATOR.length + mark.length)];
  return text.startsWith(mark) ? [undefined, text.slice(mark.length)] : [text, undefined];
};

/** Splits the description of a contract into the texts of a document's description. */
export const writeDescription = (text: string | undefined): JsonObject => {
  if (text === undefined) return {};
  const [rest = '', usage] = splitAtMark(text, USAGE);
  const [purpose, limitations] = splitAtMark(rest, LIMITATIONS);
  return omitEmpty({
    purpose: nonBlankText(purpose),
    limitations: nonBlankText(limitations),
    usage: nonBlankText(usage),
  });
};
