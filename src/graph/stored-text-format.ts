import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { TextDifference } from '../model/text-difference.ts';

/**
 * The forms in which a long JSON text is stored. The first character tells them apart: `{…` is the text itself, as for
 * every short text and every text of an older store; `=<length>:<data>` is the compressed text; `+<length>:<copy
 * id>:<data>` is the compressed difference from a copy that is stored separately. The length is that of the text in
 * characters, so that readers know the size before they unpack it.
 */
export type StoredTextForm =
  | { readonly form: 'plain' }
  | { readonly form: 'whole'; readonly length: number; readonly data: string }
  | { readonly form: 'difference'; readonly length: number; readonly copyId: string; readonly data: string };

/** A text up to this length is stored unchanged: compressing it would save less than unpacking it costs. */
export const MAX_PLAIN_LENGTH = 16 * 1024;

const WHOLE_MARK = '=';
const DIFFERENCE_MARK = '+';

const deflate = promisify<Buffer, Buffer>(deflateRaw);
const inflate = promisify<Buffer, Buffer>(inflateRaw);

const compress = async (text: string): Promise<string> => (await deflate(Buffer.from(text))).toString('base64');

const expand = async (data: string): Promise<string> => (await inflate(Buffer.from(data, 'base64'))).toString();

export const packWholeText = async (text: string): Promise<string> =>
  `${WHOLE_MARK}${text.length}:${await compress(text)}`;

export const packDifference = async (length: number, copyId: string, difference: TextDifference): Promise<string> =>
  `${DIFFERENCE_MARK}${length}:${copyId}:${await compress(JSON.stringify(difference))}`;

export const parseStoredText = (stored: string): StoredTextForm => {
  const mark = stored.charAt(0);
  if (mark !== WHOLE_MARK && mark !== DIFFERENCE_MARK) return { form: 'plain' };
  const colon = stored.indexOf(':');
  const length = Number(stored.slice(1, colon));
  if (mark === WHOLE_MARK) return { form: 'whole', length, data: stored.slice(colon + 1) };
  const second = stored.indexOf(':', colon + 1);
  return { form: 'difference', length, copyId: stored.slice(colon + 1, second), data: stored.slice(second + 1) };
};

/** Answers the length of the text that a stored form holds. */
export const storedTextLength = (stored: string): number => {
  const form = parseStoredText(stored);
  return form.form === 'plain' ? stored.length : form.length;
};

export const unpackWholeText = expand;

export const unpackDifference = async (data: string): Promise<TextDifference> =>
  JSON.parse(await expand(data)) as TextDifference;

/** Answers the id of the copy that a stored text is a difference from. */
export const copyIdOfText = (stored: string): string | undefined => {
  const form = parseStoredText(stored);
  return form.form === 'difference' ? form.copyId : undefined;
};
