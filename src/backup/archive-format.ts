/**
 * The layout of an archive: one header line, the parts one behind the other, the manifest as JSON, and a footer of fixed
 * length that says where the manifest lies. A part is text in lines, compressed with gzip. Whatever the size of the store,
 * an archive is written and read in one pass.
 *
 * To read this room, begin with `backup-store.ts` and `restore-store.ts`.
 */

/** Stepped whenever an older program could no longer read what this one writes. */
export const ARCHIVE_FORMAT = 1;

export const PART_NAMES = ['settings', 'keys', 'nodes', 'relationships'] as const;

export type PartName = (typeof PART_NAMES)[number];

export type ArchivePart = {
  readonly name: PartName;
  readonly offset: number;
  readonly bytes: number;
  readonly rows: number;
  /** Of the bytes as they stand in the file. */
  readonly sha256: string;
};

export type ArchiveManifest = {
  readonly format: number;
  /** What a program must know to read the store: see STORE_VERSION. */
  readonly storeVersion: number;
  readonly programVersion: string;
  readonly createdAt: string;
  /** How many nodes there are with each label, and relationships of each type. */
  readonly labels: Readonly<Record<string, number>>;
  readonly types: Readonly<Record<string, number>>;
  readonly parts: readonly ArchivePart[];
};

const HEADER = 'TRIBUTARY-BACKUP';
const FOOTER = 'TRIBUTARY-BACKUP-END';
const DIGITS = 16;

export const formatHeader = (format: number): string => `${HEADER} ${String(format).padStart(4, '0')}\n`;

export const HEADER_BYTES = formatHeader(ARCHIVE_FORMAT).length;

/** The format of an archive by its first bytes; undefined when it is no archive. */
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
