import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '../../errors.ts';

const DATABASE_USER = 'neo4j';
const HASH_ROUNDS = 1024;

/** Written whole or not at all, and on the disk before anything relies on it. */
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
 * The line `neo4j-admin dbms set-initial-password` would write. Neo4j takes it over when it creates its system
 * database; writing it here saves starting a second Java machine.
 */
const initialUserLine = (password: string): string => {
  const salt = randomBytes(32);
  const sha256 = (...parts: (Buffer | string)[]) =>
    parts.reduce<ReturnType<typeof createHash>>((hash, part) => hash.update(part), createHash('sha256')).digest();
  const digest = Array.from({ length: HASH_ROUNDS - 1 }).reduce<Buffer>((hash) => sha256(hash), sha256(salt, password));
  return `${DATABASE_USER}:SHA-256,${digest.toString('hex')},${salt.toString('hex')},${HASH_ROUNDS}:\n`;
};

/** The password of the embedded server: made at the first start, then read from its file below `folder`. */
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
