import { createHash } from 'node:crypto';

/**
 * The forms in which values stand in collections so that a server compares them exactly: servers drop symbols, ignore
 * case, cut long texts, and hold numbers of their own precision. Nothing of that happens to what is written here.
 */

const HASH_LENGTH = 16;

const computeHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);

const hashes = new Map<string, string>();
const MAX_CACHED = 200_000;
const MAX_CACHED_LENGTH = 100;

/** What stands for a text wherever only equality matters. The same words return from document to document. */
export const hashValue = (text: string): string => {
  if (text.length > MAX_CACHED_LENGTH) return computeHash(text);
  const found = hashes.get(text);
  if (found !== undefined) return found;
  if (hashes.size >= MAX_CACHED) hashes.clear();
  const fresh = computeHash(text);
  hashes.set(text, fresh);
  return fresh;
};

const HALF = 1n << 63n;

/** A number as a whole number of 64 bits, from the hexadecimal form in which the index of the graph has it: the order is the same. */
export const orderedInteger = (sortableHex: string): bigint => BigInt(`0x${sortableHex}`) - HALF;

export const MIN_ORDERED = -HALF;
export const MAX_ORDERED = HALF - 1n;

/** A text by which is sorted as by the code points of the original. */
export const sortableText = (text: string): string => Buffer.from(text, 'utf8').toString('hex');

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
/** Servers cut words of more than a hundred characters, and values that are counted at 255. */
const MAX_WORD_LENGTH = 80;
const MAX_BYTES = 150;

const encodeBase32 = (bytes: Buffer): string => {
  let [bits, held, letters] = [0, 0, ''];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      letters += LETTERS[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? letters + LETTERS[(held << (5 - bits)) & 31] : letters;
};

/** A value as words of plain small letters and digits, by which it can be counted; undefined when it is too long for that. */
export const encodeFacetValue = (text: string): string | undefined => {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > MAX_BYTES) return undefined;
  // A letter in front: nothing at all is a value as well.
  const letters = `v${encodeBase32(bytes)}`;
  return letters.match(new RegExp(`.{1,${MAX_WORD_LENGTH}}`, 'g'))?.join(' ');
};

/** The value that is counted like this. */
export const decodeFacetValue = (counted: string): string => {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const letter of counted.replaceAll(' ', '').slice(1)) {
    held = (held << 5) | LETTERS.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
    held &= (1 << bits) - 1;
  }
  return Buffer.from(bytes).toString('utf8');
};
