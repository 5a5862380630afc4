import type { Call } from '../../http/route.ts';

/** The types in which a file may be sent. */
export const FILE_TYPES: readonly string[] = ['text/plain', 'text/csv'];

/** The longest file, in bytes and in line feeds. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** The text of a request's file: 415, 413, or `fileRefused` for what is no text, has too many lines, or is empty. */
export const readFile = async (_call: Pick<Call, 'body' | 'header'>, _dryRun: boolean): Promise<string> => {
  throw new Error('to be written');
};
