import { createHash } from 'node:crypto';
import { splitFqn } from './name.ts';

/** The lower-case hex MD5 of a text in UTF-8, which clients use to compare texts. Not for security. */
export const md5Hex = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');

/** Replaces each part of a fully qualified name by its checksum. */
export const hashFqnParts = (parts: readonly string[]): string => parts.map(md5Hex).join('.');

/** Does the same with a whole name. */
export const fqnHash = (fqn: string): string => hashFqnParts(splitFqn(fqn));

/** Derives an id from a text: the same text always has the same id. */
export const deterministicUuid = (text: string): string => {
  const hex = createHash('sha256').update(text, 'utf8').digest('hex');
  // The bits that mark the UUID as version 8, which is built by custom rules.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
};
