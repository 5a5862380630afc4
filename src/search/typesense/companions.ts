import { createHash } from 'node:crypto';

/**
 * The forms in which values stand in collections so that a server compares them exactly: servers drop symbols, ignore
 * case, cut long texts, and hold numbers of their own precision. Nothing of that happens to what is written here.
 */

const HASH_LENGTH = 16;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);

const known = new Map<string, string>();
const MOST_KEPT = 200_000;
const LONGEST_KEPT = 100;

/** What stands for a text wherever only equality matters. The same words return from document to document. */
export const hashOf = (text: string): string => {
  if (text.length > LONGEST_KEPT) return digest(text);
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= MOST_KEPT) known.clear();
  const fresh = digest(text);
  known.set(text, fresh);
  return fresh;
};

const HALF = 1n << 63n;

/** A number as a whole number of 64 bits, from the hexadecimal form in which the index of the graph has it: the order is the same. */
export const orderedFrom = (sortableHex: string): bigint => BigInt(`0x${sortableHex}`) - HALF;

export const LOWEST = -HALF;
export const HIGHEST = HALF - 1n;

/** A text by which is sorted as by the code points of the original. */
export const sortableText = (text: string): string => Buffer.from(text, 'utf8').toString('hex');

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
/** Servers cut words of more than a hundred characters, and values that are counted at 255. */
const WORD = 80;
const MOST_BYTES = 150;

const lettersOf = (bytes: Buffer): string => {
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
export const countable = (text: string): string | undefined => {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > MOST_BYTES) return undefined;
  // A letter in front: nothing at all is a value as well.
  const letters = `v${lettersOf(bytes)}`;
  return letters.match(new RegExp(`.{1,${WORD}}`, 'g'))?.join(' ');
};

/** The value that is counted like this. */
export const countedValue = (counted: string): string => {
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
