import { chmod, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Each process that runs test files has a temporary folder of its own, so that what a file leaves there is seen. */

/** What outlives a run: what the loader of TypeScript has compiled, and pictures for whoever reads the results. */
const LASTING = [`tsx-${process.geteuid?.() ?? ''}`, 'tributary-screenshots'];

/** Makes a temporary folder for a process; what outlives the run leads to the folder of the machine. */
export const makeTemporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-run-'));
  // A server that refuses to run as root runs as somebody else, and finds its way in without seeing what else is there.
  await chmod(folder, 0o711);
  for (const name of LASTING) {
    await mkdir(join(tmpdir(), name), { recursive: true });
    await symlink(join(tmpdir(), name), join(folder, name));
  }
  return folder;
};

const seen = new Set(LASTING);

/** Answers what the last file left in the temporary folder of this process. The folder goes when the process has ended. */
export const findLeftFiles = async (): Promise<readonly string[]> => {
  const names = (await readdir(tmpdir())).filter((name) => !seen.has(name));
  for (const name of names) seen.add(name);
  return names;
};
