import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, ownIdentity, type ProcessIdentity } from './process.ts';

/** A lock file that ends with the process that holds it. */

/** The holder of a lock: a process, the namespace of its process id, and a note. */
export type LockHolder = ProcessIdentity & { readonly place: string; readonly note?: string };

export type Lock = {
  /** Adds a text for processes that are refused, such as the address of the service. */
  note(text: string): Promise<void>;
  release(): Promise<void>;
};

const HEARTBEAT_MS = 1000;
const WATCH_MS = 6000;

/** Containers may share a folder and even a host name, but not their process ids. */
const processNamespace = (): string => {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
};

const readText = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

/** Parses a lock file. It is created completely, so one that cannot be read was damaged and has no holder. */
const parseHolder = (text: string): LockHolder | undefined => {
  try {
    const { pid, born, place, note } = JSON.parse(text) as Partial<LockHolder>;
    if (typeof pid !== 'number' || typeof born !== 'string' || typeof place !== 'string') return undefined;
    return { pid, born, place, ...(typeof note === 'string' ? { note } : {}) };
  } catch {
    return undefined;
  }
};

/**
 * Whether the holder is alive. A process in another namespace cannot be looked up, but it touches its lock file while
 * it lives.
 */
const isHeartbeatSeen = async (path: string): Promise<boolean> => {
  const touchedAt = async () => (await stat(path).catch(() => undefined))?.mtimeMs;
  const before = await touchedAt();
  const deadline = performance.now() + WATCH_MS;
  while (performance.now() < deadline) {
    await sleep(HEARTBEAT_MS / 4);
    if ((await touchedAt()) !== before) return true;
  }
  return false;
};

const isHeld = (path: string, holder: LockHolder): Promise<boolean> | boolean =>
  holder.place === processNamespace() ? isRunning(holder) : isHeartbeatSeen(path);

const holdLock = (path: string, holder: LockHolder): Lock => {
  let content = JSON.stringify(holder);
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), HEARTBEAT_MS).unref();
  return {
    note: async (text) => {
      content = JSON.stringify({ ...holder, note: text });
      await writeFile(`${path}.note`, content, { mode: 0o600 });
      await rename(`${path}.note`, path);
    },
    release: async () => {
      clearInterval(heartbeat);
      if ((await readText(path)) === content) await rm(path, { force: true });
    },
  };
};

/**
 * Replaces a lock whose holder is gone. Of several processes that found it stale, only the holder of the guard may
 * replace it, and only if it has not changed. A stale guard is replaced the same way.
 */
const replaceStale = async (path: string, stale: string, fresh: string): Promise<void> => {
  const guard = await takeLock(`${path}.guard`);
  if (!('lock' in guard)) {
    await sleep(20);
    return;
  }
  try {
    if ((await readText(path)) === stale) await rename(fresh, path);
  } finally {
    await guard.lock.release();
  }
};

const createLock = async (
  path: string,
  fresh: string,
  content: string,
): Promise<{ holder: LockHolder } | undefined> => {
  for (;;) {
    await writeFile(fresh, content, { mode: 0o600 });
    await link(fresh, path).catch((failure: NodeJS.ErrnoException) => {
      if (failure.code !== 'EEXIST') throw failure;
    });
    const found = await readText(path);
    if (found === content) return undefined;
    if (found === undefined) continue;
    const holder = parseHolder(found);
    if (holder && (await isHeld(path, holder))) return { holder };
    await replaceStale(path, found, fresh);
  }
};

/**
 * Takes the lock in the file `path`, or answers its holder. The lock names the process and when it started, so neither
 * a dead holder nor a reused process id keeps anyone out.
 */
export const takeLock = async (path: string): Promise<{ lock: Lock } | { holder: LockHolder }> => {
  const id = randomBytes(6).toString('hex');
  const fresh = `${path}.${id}`;
  const own = { ...ownIdentity(), place: processNamespace(), id };
  try {
    return (await createLock(path, fresh, JSON.stringify(own))) ?? { lock: holdLock(path, own) };
  } finally {
    await rm(fresh, { force: true });
  }
};
