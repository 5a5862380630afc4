import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { StartupError } from '../errors.ts';
import {
  ARCHIVE_FORMAT,
  type ArchiveManifest,
  type ArchivePart,
  formatFooter,
  formatHeader,
  type PartName,
} from './archive-format.ts';

const compress = promisify(gzip);

/** Faster than the default level, and catalog text compresses well at any level. */
const GZIP_OPTIONS = { level: 1 } as const;

const CHUNK_CHARACTERS = 1 << 20;

/** The maximum number of unwritten chunks. Producers of lines wait beyond it, so that memory stays bounded. */
const MAX_PENDING_CHUNKS = 8;

export type PartWriter = {
  /** Adds a line, given as JSON without line breaks. */
  line(json: string): void;
  /** Resolves when everything is written to the file; rejects when the disk is full. */
  end(): Promise<void>;
};

export type ArchiveWriter = {
  part(name: PartName): PartWriter;
  /** Removes written parts, so that they can be written again. */
  drop(names: readonly PartName[]): Promise<void>;
  /** Completes the archive, flushes it to disk and moves it to its path. */
  finish(manifest: Omit<ArchiveManifest, 'format' | 'parts'>): Promise<{ readonly bytes: number }>;
  /** Removes the unfinished archive. */
  discard(): Promise<void>;
};

const hasCode = (failure: unknown, code: string): boolean => (failure as NodeJS.ErrnoException).code === code;

const explainWriteFailure = (path: string, failure: unknown): unknown => {
  if (hasCode(failure, 'ENOENT')) return new StartupError(`The folder of ${path} does not exist.`, { cause: failure });
  if (hasCode(failure, 'ENOSPC'))
    return new StartupError(`There is no disk space left for ${path}.`, { cause: failure });
  if (hasCode(failure, 'EACCES'))
    return new StartupError(`${path} cannot be written: permission denied.`, { cause: failure });
  return failure;
};

/** Publishes the file without replacing an existing one, which may be the only archive. */
const publish = async (draft: string, path: string): Promise<void> => {
  try {
    await link(draft, path);
    await rm(draft);
  } catch (failure) {
    if (hasCode(failure, 'EEXIST')) throw new StartupError(`${path} already exists.`, { cause: failure });
    await rename(draft, path);
  }
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Appends to the file. Writes are queued, so that they happen in call order. */
const createArchiveTail = (file: FileHandle) => {
  let size = 0;
  let pending = 0;
  let queue: Promise<void> = Promise.resolve();
  const append = (chunk: Promise<Buffer> | Buffer, written: (bytes: Buffer) => void): void => {
    pending += 1;
    // Both are awaited here, so that a failure of either rejects the queue and is not left unhandled.
    queue = Promise.all([queue, chunk]).then(async ([, bytes]) => {
      await file.write(bytes, 0, bytes.length, size);
      size += bytes.length;
      written(bytes);
      pending -= 1;
    });
    // The failure is reported when the queue is awaited.
    queue.catch(() => {});
  };
  return {
    append,
    isBusy: () => pending >= MAX_PENDING_CHUNKS,
    flushed: () => queue,
    size: () => size,
    cut: async (to: number) => {
      await queue;
      await file.truncate(to);
      size = to;
    },
  };
};

type ArchiveTail = ReturnType<typeof createArchiveTail>;

const openPart = (tail: ArchiveTail, name: PartName, ended: (part: ArchivePart) => void): PartWriter => {
  const hash = createHash('sha256');
  let [rows, bytes, length] = [0, 0, 0];
  let lines: string[] = [];
  const flush = () => {
    const raw = Buffer.from(lines.join(''));
    [lines, length] = [[], 0];
    tail.append(tail.isBusy() ? gzipSync(raw, GZIP_OPTIONS) : compress(raw, GZIP_OPTIONS), (chunk) => {
      hash.update(chunk);
      bytes += chunk.length;
    });
  };
  return {
    line: (json) => {
      lines.push(json, '\n');
      length += json.length;
      rows += 1;
      if (length >= CHUNK_CHARACTERS) flush();
    },
    end: async () => {
      if (lines.length > 0) flush();
      await tail.flushed();
      ended({ name, offset: tail.size() - bytes, bytes, rows, sha256: hash.digest('hex') });
    },
  };
};

/** Creates an archive under a temporary name. Only its owner may read it, because it holds keys. */
export const createArchive = async (path: string): Promise<ArchiveWriter> => {
  const draft = `${path}.${randomUUID()}.partial`;
  const file = await open(draft, 'wx', 0o600).catch((failure: unknown) => {
    throw explainWriteFailure(path, failure);
  });
  const tail = createArchiveTail(file);
  let parts: ArchivePart[] = [];
  tail.append(Buffer.from(formatHeader(ARCHIVE_FORMAT)), () => {});
  const discard = async () => {
    await tail.flushed().catch(() => {});
    await file.close().catch(() => {});
    await rm(draft, { force: true });
  };
  const finish: ArchiveWriter['finish'] = async (manifest) => {
    const offset = tail.size();
    const content = Buffer.from(
      JSON.stringify({ format: ARCHIVE_FORMAT, ...manifest, parts } satisfies ArchiveManifest),
    );
    const sha256 = createHash('sha256').update(content).digest('hex');
    tail.append(content, () => {});
    tail.append(Buffer.from(formatFooter({ offset, bytes: content.length, sha256 })), () => {});
    await tail.flushed();
    await file.sync();
    await file.close();
    await publish(draft, path);
    return { bytes: tail.size() };
  };
  const withExplanation = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (failure) {
      throw explainWriteFailure(path, failure);
    }
  };
  return {
    part: (name) => {
      const part = openPart(tail, name, (ended) => parts.push(ended));
      return { line: part.line, end: () => withExplanation(part.end) };
    },
    drop: async (names) => {
      const first = parts.findIndex(({ name }) => names.includes(name));
      if (first < 0) return;
      await tail.cut(parts[first]?.offset ?? 0);
      parts = parts.slice(0, first);
    },
    finish: (manifest) => withExplanation(() => finish(manifest)),
    discard,
  };
};
