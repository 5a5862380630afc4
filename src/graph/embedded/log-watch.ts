import { open, stat } from 'node:fs/promises';

const MAX_LOG_LINES = 15;

/** The text written to logs since the watch began. */
export type LogWatch = { text(): Promise<string> };

const fileSize = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

const readFileFrom = async (path: string, from: number): Promise<string> => {
  const file = await open(path).catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    // A log that is shorter than before was rotated.
    const start = size < from ? 0 : from;
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - start), position: start });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
};

/** Remembers where the logs end now, so that output of earlier runs is not mistaken for this one's. */
export const watchLogs = async (paths: readonly string[]): Promise<LogWatch> => {
  const marks = await Promise.all(paths.map(async (path) => ({ path, from: await fileSize(path) })));
  return { text: async () => (await Promise.all(marks.map(({ path, from }) => readFileFrom(path, from)))).join('\n') };
};

/** Answers the last lines of a log for a person to read, without Java's stack frames. */
export const lastLogLines = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+(at |\.\.\. )/.test(line))
    .slice(-MAX_LOG_LINES)
    .join('\n');
