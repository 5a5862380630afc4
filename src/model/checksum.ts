import { createHash } from 'node:crypto';
import { splitFqn } from './name.ts';

/** The lower-case hex MD5 of a text in UTF-8, by which clients tell texts apart. It protects nothing. */
export const md5Hex = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');

/** A fully qualified name with the checksum of each part in its place. */
export const fqnHash = (fqn: string): string => splitFqn(fqn).map(md5Hex).join('.');

/** An id that follows from a text: the same text has the same id always and everywhere. */
export const deterministicUuid = (text: string): string => {
  const hex = createHash('sha256').update(text, 'utf8').digest('hex');
  // The two digits by which a UUID says how it was made: by rules of its own.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
};
