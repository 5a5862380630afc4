import { rejects } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { readOrCreateKeyFile, replaceSecretFile } from '../../src/access/key-file.ts';
import { CatalogError } from '../../src/errors.ts';
import { type Graph, openGraph } from '../../src/graph/client.ts';
import { startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { type SupervisedServer, superviseEmbeddedServer } from '../../src/graph/embedded/supervise.ts';
import { waitUntil } from '../support/patience.ts';
import { launchService, waitForOutput } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/** Shows that no acknowledged change is lost on a full disk, on a file system that is really that small. */

const test = suite('faults: full disk');

/** Two transaction logs of 256 MB, the store, and a little more. */
const SIZE_MB = 640;

/** Mounts a small file system; undefined where that is not allowed. */
const mountSmall = async (folder: string): Promise<string | undefined> => {
  await mkdir(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    return undefined;
  }
};

const root = await mkdtemp(join(tmpdir(), 'tributary-full-'));
const disk = process.platform === 'linux' ? await mountSmall(join(root, 'disk')) : undefined;

let server: SupervisedServer;
let graph: Graph;
const lines: string[] = [];
const report = (line: string) => void lines.push(line);

const free = (): number => {
  const { bavail, bsize } = statfsSync(disk ?? '');
  return bavail * bsize;
};

const filler = () => join(disk ?? '', 'filler');
const fill = async (): Promise<void> => {
  // A file system may refuse the last of it; what is left is then less than anybody can use.
  await writeFile(filler(), Buffer.alloc(free())).catch((failure: NodeJS.ErrnoException) => {
    assert.is(failure.code, 'ENOSPC');
  });
};

const acknowledged: number[] = [];
const failures: unknown[] = [];

/** Writes a good deal under a number; answers whether that was acknowledged. */
const write = async (number: number): Promise<boolean> => {
  const text =
    'CREATE (n:Kept {number: $number}) WITH n UNWIND range(1, 400) AS i CREATE (:Part {of: $number, text: $text + i})';
  try {
    await graph.query(text, { number, text: 'x'.repeat(5000) });
    acknowledged.push(number);
    return true;
  } catch (failure) {
    failures.push(failure);
    return false;
  }
};

if (disk === undefined) {
  test.skipped('the database on a full disk', 'no small file system may be mounted here');
} else {
  test.before(async () => {
    const home = join(disk, 'home');
    const first = await startEmbeddedServer({ home, heap: '512m', pagecache: '32m', report });
    server = superviseEmbeddedServer(first, { report, home, checkMs: 500 });
    graph = openGraph({ ...server, database: 'neo4j', transactionMs: 3000 });
  });

  test('existing files stay intact, and no partial file is left', async () => {
    const folder = join(disk, 'keys');
    await mkdir(folder);
    const path = join(folder, 'admin.token');
    await replaceSecretFile(path, 'the old one');
    await fill();
    await waitUntil(() => free() < 4096, 'the disk is full');
    const isFull = (failure: unknown) => (failure as NodeJS.ErrnoException).code === 'ENOSPC';
    await rejects(() => replaceSecretFile(path, 'y'.repeat(100_000)), isFull);
    await rejects(() => readOrCreateKeyFile(join(folder, 'key'), () => 'z'.repeat(100_000)), isFull);
    assert.is(await readFile(path, 'utf8'), 'the old one');
    assert.equal(await readdir(folder), ['admin.token']);
  });

  test('writes are refused by the contract, and acknowledged data can be read', async () => {
    assert.ok(existsSync(filler()));
    let number = 0;
    const isRefused = async () => {
      await write(number);
      number += 1;
      return failures.length >= 5;
    };
    await waitUntil(isRefused, 'writes are refused', () => `${acknowledged.length} writes found room`);
    for (const failure of failures) {
      if (!(failure instanceof CatalogError)) throw failure;
      assert.is(failure.status, 503, String(failure.cause));
      assert.is(failure.body.errorType, 'SERVICE_UNAVAILABLE');
    }
  });

  test('with free space again writes succeed, and all acknowledged data is present', async () => {
    await rm(filler());
    let number = 1_000_000;
    const isWell = async () => {
      number += 1;
      return write(number);
    };
    await waitUntil(isWell, 'writes succeed again', () => lines);
    const rows = await graph.query(
      'MATCH (n:Kept) OPTIONAL MATCH (p:Part {of: n.number}) RETURN n.number AS number, count(p) AS parts',
    );
    const parts = new Map(rows.map((row) => [row['number'], row['parts']]));
    for (const one of acknowledged) assert.is(parts.get(one), 400, `write ${one} was acknowledged`);
    // What was not acknowledged is there whole or not at all.
    for (const [one, count] of parts) assert.is(count, 400, `write ${one}`);
  });

  test('a full disk is reported in one sentence when a store is created', async () => {
    await fill();
    const launched = launchService(join(disk, 'other'), ['serve']);
    await waitForOutput(launched, /There is no room left on the disk of \S+\. Make room/);
    assert.not.match(launched.output(), /\n\s+at /);
  });
}

test.after(async () => {
  await graph?.close();
  await server?.stop();
  if (disk !== undefined) execFileSync('umount', [disk]);
  await rm(root, { recursive: true, force: true });
});

test.run();
