import { createHash } from 'node:crypto';

/**
 * Encodes values so that a server compares them exactly: servers drop symbols, ignore case, cut long texts, and round
 * numbers. They leave these encodings unchanged.
 */

const HASH_LENGTH = 16;

const computeHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);

const hashes = new Map<string, string>();
const MAX_CACHED = 200_000;
const MAX_CACHED_LENGTH = 100;

/** A hash that replaces a text where only equality matters. Hashes are cached, because the same words recur. */
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

/** Converts the hexadecimal form of Neo4j's index to a 64-bit integer with the same order. */
export const orderedInteger = (sortableHex: string): bigint => BigInt(`0x${sortableHex}`) - HALF;

export const MIN_ORDERED = -HALF;
export const MAX_ORDERED = HALF - 1n;

/** A text that sorts like the code points of the original. */
export const sortableText = (text: string): string => Buffer.from(text, 'utf8').toString('hex');

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
/** Servers cut words of more than 100 characters, and facet values at 255. */
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

/** Encodes a value as words of plain lower-case letters and digits for facets; undefined when it is too long. */
export const encodeFacetValue = (text: string): string | undefined => {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > MAX_BYTES) return undefined;
  // The leading letter keeps the empty value distinct from none.
  const letters = `v${encodeBase32(bytes)}`;
  return letters.match(new RegExp(`.{1,${MAX_WORD_LENGTH}}`, 'g'))?.join(' ');
};

/** Decodes a facet value. */
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
