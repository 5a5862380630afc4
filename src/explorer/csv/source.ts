import { MOST_CSV_BYTES } from '../api/csv.ts';

/** What is imported: a file, or else the text that was pasted. */
export type CsvSource = { readonly name: string; readonly content: string | Blob };

export const sourceOf = (file: File | undefined, text: string): CsvSource | undefined => {
  if (file) return { name: file.name, content: file };
  return text.trim() === '' ? undefined : { name: 'The pasted text', content: text };
};

const sizeOf = ({ content }: CsvSource): number =>
  typeof content === 'string' ? new Blob([content]).size : content.size;

const MEBIBYTE = 1024 * 1024;

/** Why the service would refuse it at once; nothing when it may be sent. */
export const objectTo = (source: CsvSource): string | undefined => {
  const size = sizeOf(source);
  if (size === 0) return `${source.name} is empty.`;
  if (size <= MOST_CSV_BYTES) return undefined;
  const megabytes = (size / MEBIBYTE).toFixed(1);
  return `${source.name} has ${megabytes} MiB. An import takes at most ${MOST_CSV_BYTES / MEBIBYTE} MiB: divide it into several files.`;
};
