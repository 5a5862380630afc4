import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '../../errors.ts';

/** The password of the embedded server. */

const DATABASE_USER = 'neo4j';
const HASH_ROUNDS = 1024;

/** Writes a file completely or not at all, and flushes it to the disk before it returns. */
const writeFileAtomically = async (path: string, content: string): Promise<void> => {
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
};

/**
 * Builds the line that `neo4j-admin dbms set-initial-password` would write. Neo4j reads it when it creates its system
 * database. Writing it here saves starting a second Java process.
 */
const initialUserLine = (password: string): string => {
  const salt = randomBytes(32);
  const sha256 = (...parts: (Buffer | string)[]) =>
    parts.reduce<ReturnType<typeof createHash>>((hash, part) => hash.update(part), createHash('sha256')).digest();
  const digest = Array.from({ length: HASH_ROUNDS - 1 }).reduce<Buffer>((hash) => sha256(hash), sha256(salt, password));
  return `${DATABASE_USER}:SHA-256,${digest.toString('hex')},${salt.toString('hex')},${HASH_ROUNDS}:\n`;
};

/** Reads the password of the embedded server from its file below `folder`. The first start creates it. */
export const providePassword = async (folder: string): Promise<{ user: string; password: string }> => {
  const path = join(folder, 'password');
  const initial = join(folder, 'data', 'dbms', 'auth.ini');
  if (!existsSync(path)) {
    if (existsSync(join(folder, 'data', 'databases', 'system'))) {
      throw new StartupError(
        `The file ${path} with the embedded Neo4j's password is missing. Put it back from a backup.`,
      );
    }
    await writeFileAtomically(path, randomBytes(24).toString('base64url'));
  }
  const password = (await readFile(path, 'utf8')).trim();
  if (!existsSync(initial)) {
    await mkdir(dirname(initial), { recursive: true });
    await writeFileAtomically(initial, initialUserLine(password));
  }
  return { user: DATABASE_USER, password };
};
