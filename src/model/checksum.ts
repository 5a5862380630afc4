import { createHash } from 'node:crypto';
import { splitFqn } from './name.ts';

/** The lower-case hex MD5 of a text in UTF-8, by which clients tell texts apart. It protects nothing. */
export const checksum = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');

/** A fully qualified name with the checksum of each part in its place. */
export const fqnHash = (fqn: string): string => splitFqn(fqn).map(checksum).join('.');
