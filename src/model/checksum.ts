import { createHash } from 'node:crypto';

/** The lower-case hex MD5 of a text in UTF-8, by which clients tell texts apart. It protects nothing. */
export const checksum = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');
