import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { nonBlankText, omitEmpty } from './parts.ts';

/** The one text of a contract and the three texts of a document's description (odcs.md 3). */

const LIMITATIONS = '**Limitations:**\n';
const USAGE = '**Usage:**\n';
const SEPARATOR = '\n\n';

/** The description of a contract: the purpose, with limitations and usage behind it. */
export const readDescription = (description: Json | undefined): string | undefined => {
  if (!isObject(description)) return nonBlankText(description);
  const [purpose, limitations, usage] = ['purpose', 'limitations', 'usage'].map((name) =>
    nonBlankText(description[name]),
  );
  const parts = [purpose, limitations && `${LIMITATIONS}${limitations}`, usage && `${USAGE}${usage}`];
  return nonBlankText(parts.filter((part) => part !== undefined).join(SEPARATOR));
};

/** What stands before a mark and what behind it, if the mark begins a paragraph. */
const splitAtMark = (text: string, mark: string): readonly [before: string | undefined, behind: string | undefined] => {
  const place = text.lastIndexOf(`${SEPARATOR}${mark}`);
  if (place !== -1) return [text.slice(0, place), text.slice(place + SEPARATOR.length + mark.length)];
  return text.startsWith(mark) ? [undefined, text.slice(mark.length)] : [text, undefined];
};

/** The texts of a document's description that the text of a contract is made of. */
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
