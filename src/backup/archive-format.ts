/**
 * The layout of a backup archive: a header line, the parts one after another, the manifest as JSON, and a fixed-length
 * footer that locates the manifest. A part is gzip-compressed text in lines. An archive of any size is written and read
 * in one pass.
 *
 * Start reading this folder with `backup-store.ts` and `restore-store.ts`; `archive-writer.ts` and `archive-reader.ts`
 * handle the file, `copy-graph.ts` and `pause-writes.ts` the graph, `key-folder.ts` the keys.
 */

/** Increased whenever an older program can no longer read new archives. */
export const ARCHIVE_FORMAT = 1;

export const PART_NAMES = ['settings', 'keys', 'nodes', 'relationships'] as const;

export type PartName = (typeof PART_NAMES)[number];

export type ArchivePart = {
  readonly name: PartName;
  readonly offset: number;
  readonly bytes: number;
  readonly rows: number;
  /** The checksum of the compressed bytes in the file. */
  readonly sha256: string;
};

export type ArchiveManifest = {
  readonly format: number;
  /** The version a program needs to read the store: see STORE_VERSION. */
  readonly storeVersion: number;
  readonly programVersion: string;
  readonly createdAt: string;
  /** The number of nodes per label and of relationships per type. */
  readonly labels: Readonly<Record<string, number>>;
  readonly types: Readonly<Record<string, number>>;
  readonly parts: readonly ArchivePart[];
};

const HEADER = 'TRIBUTARY-BACKUP';
const FOOTER = 'TRIBUTARY-BACKUP-END';
const DIGITS = 16;

export const formatHeader = (format: number): string => `${HEADER} ${String(format).padStart(4, '0')}\n`;

export const HEADER_BYTES = formatHeader(ARCHIVE_FORMAT).length;

/** Reads the format number from an archive's first bytes. Undefined when the file is not an archive. */
export const parseArchiveFormat = (header: string): number | undefined => {
  const found = /^TRIBUTARY-BACKUP (\d{4})\n$/.exec(header);
  return found ? Number(found[1]) : undefined;
};

export type ArchiveFooter = { readonly offset: number; readonly bytes: number; readonly sha256: string };

const padded = (value: number): string => String(value).padStart(DIGITS, '0');

export const formatFooter = ({ offset, bytes, sha256 }: ArchiveFooter): string =>
  `\n${FOOTER} ${padded(offset)} ${padded(bytes)} ${sha256}\n`;

export const FOOTER_BYTES = formatFooter({ offset: 0, bytes: 0, sha256: '0'.repeat(64) }).length;

export const parseFooter = (text: string): ArchiveFooter | undefined => {
  const found = /^\nTRIBUTARY-BACKUP-END (\d{16}) (\d{16}) ([0-9a-f]{64})\n$/.exec(text);
  if (!found) return undefined;
  return { offset: Number(found[1]), bytes: Number(found[2]), sha256: found[3] ?? '' };
};
