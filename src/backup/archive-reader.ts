import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import * as v from 'valibot';
import { StartupError } from '../errors.ts';
import {
  ARCHIVE_FORMAT,
  type ArchiveManifest,
  type ArchivePart,
  FOOTER_BYTES,
  HEADER_BYTES,
  PART_NAMES,
  type PartName,
  parseArchiveFormat,
  parseFooter,
} from './archive-format.ts';

/** An archive whose checksums have all been verified. */
export type BackupArchive = {
  readonly manifest: ArchiveManifest;
  rowsOf(name: PartName): number;
  /** The parsed lines of a part, one after another. Lines are not kept in memory. */
  lines(name: PartName): AsyncIterable<unknown>;
};

const MOST_MANIFEST_BYTES = 16 << 20;

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Counts = v.record(v.string(), Count);
const ManifestSchema = v.object({
  format: Count,
  storeVersion: Count,
  programVersion: v.string(),
  createdAt: v.string(),
  labels: Counts,
  types: Counts,
  parts: v.array(
    v.object({ name: v.picklist(PART_NAMES), offset: Count, bytes: Count, rows: Count, sha256: v.string() }),
  ),
});

const damagedArchive = (path: string, what: string): StartupError =>
  new StartupError(`${path} is damaged: ${what}. Nothing was restored.`);

const readAt = async (file: FileHandle, offset: number, bytes: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, offset);
  return buffer.subarray(0, bytesRead);
};

const checkHeader = async (path: string, file: FileHandle): Promise<void> => {
  const format = parseArchiveFormat((await readAt(file, 0, HEADER_BYTES)).toString('latin1'));
  if (format === undefined) throw new StartupError(`${path} is not a Tributary backup.`);
  if (format > ARCHIVE_FORMAT) {
    throw new StartupError(
      `${path} was made by a newer version of Tributary (archive format ${format}, this program knows ${ARCHIVE_FORMAT}). Use the newer program.`,
    );
  }
};

const parseManifest = (path: string, content: Buffer): ArchiveManifest => {
  try {
    return v.parse(ManifestSchema, JSON.parse(content.toString('utf8')));
  } catch (cause) {
    throw new StartupError(`${path} is damaged: its manifest cannot be read. Nothing was restored.`, { cause });
  }
};

/** The parts must fill the file from header to manifest, so that every byte is checked. */
const checkLayout = (path: string, parts: readonly ArchivePart[], end: number): void => {
  const last = parts.reduce((offset, part) => {
    if (part.offset !== offset) throw damagedArchive(path, `the part ${part.name} does not begin where it should`);
    return offset + part.bytes;
  }, HEADER_BYTES);
  if (last !== end) throw damagedArchive(path, 'there is something between its parts and its manifest');
  for (const name of PART_NAMES) {
    if (parts.filter((part) => part.name === name).length !== 1)
      throw damagedArchive(path, `it has no single part ${name}`);
  }
};

const readManifest = async (path: string, file: FileHandle): Promise<ArchiveManifest> => {
  const { size } = await file.stat();
  const start = size - FOOTER_BYTES;
  const footer =
    start < HEADER_BYTES ? undefined : parseFooter((await readAt(file, start, FOOTER_BYTES)).toString('latin1'));
  if (!footer) throw damagedArchive(path, 'its end is missing');
  if (footer.offset + footer.bytes !== start || footer.bytes > MOST_MANIFEST_BYTES) {
    throw damagedArchive(path, 'its manifest is not where it should be');
  }
  const content = await readAt(file, footer.offset, footer.bytes);
  if (createHash('sha256').update(content).digest('hex') !== footer.sha256) {
    throw damagedArchive(path, 'its manifest does not match its checksum');
  }
  const manifest = parseManifest(path, content);
  checkLayout(path, manifest.parts, footer.offset);
  return manifest;
};

const readPartBytes = (path: string, { offset, bytes }: ArchivePart) =>
  createReadStream(path, { start: offset, end: offset + bytes - 1, highWaterMark: 1 << 20 });

const checkPart = async (path: string, part: ArchivePart, onBytes: (bytes: number) => void): Promise<void> => {
  const hash = createHash('sha256');
  if (part.bytes > 0) {
    for await (const chunk of readPartBytes(path, part)) {
      hash.update(chunk as Buffer);
      onBytes((chunk as Buffer).length);
    }
  }
  if (hash.digest('hex') !== part.sha256)
    throw damagedArchive(path, `the part ${part.name} does not match its checksum`);
};

/** Reads lines that end with \n only. `readline` also splits at other characters, which may occur inside a text. */
async function* readPartLines(path: string, part: ArchivePart): AsyncGenerator<unknown> {
  if (part.bytes === 0) return;
  const raw = readPartBytes(path, part);
  const text = createGunzip();
  raw.once('error', (failure) => text.destroy(failure));
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of raw.pipe(text)) {
    const lines = (rest + decoder.write(chunk as Buffer)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
  if (rest !== '') throw damagedArchive(path, `the part ${part.name} ends within a line`);
}

/** Opens an archive after verifying every checksum. Throws a StartupError that describes the damage. */
export const openBackupArchive = async (
  path: string,
  onBytes: (bytes: number) => void = () => {},
): Promise<BackupArchive> => {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw new StartupError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  });
  let manifest: ArchiveManifest;
  try {
    await checkHeader(path, file);
    manifest = await readManifest(path, file);
  } finally {
    await file.close();
  }
  for (const part of manifest.parts) await checkPart(path, part, onBytes);
  const partOf = (name: PartName): ArchivePart => {
    const part = manifest.parts.find((one) => one.name === name);
    if (!part) throw damagedArchive(path, `it has no part ${name}`);
    return part;
  };
  return { manifest, rowsOf: (name) => partOf(name).rows, lines: (name) => readPartLines(path, partOf(name)) };
};
