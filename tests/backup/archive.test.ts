import * as assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackupArchive } from '../../src/backup/archive-reader.ts';
import { createArchive } from '../../src/backup/archive-writer.ts';
import { decodeProperties, encodeProperties } from '../../src/backup/property-codec.ts';
import { refuseNewerStore } from '../../src/backup/restore-store.ts';
import { StartupError } from '../../src/errors.ts';
import { suite } from '../support/suite.ts';

/** Shows that an archive is written completely, and damage is detected. */

const test = suite('backup: archives');

let folder = '';
let count = 0;

const newPath = () => {
  count += 1;
  return join(folder, `archive-${count}`);
};

const MANIFEST = { storeVersion: 1, programVersion: '1.0.0', createdAt: '', labels: {}, types: {} };

const ROWS = 5000;

/** Larger than one chunk, so that parts are made of several. */
const writeArchive = async (manifest: Partial<typeof MANIFEST> = {}): Promise<string> => {
  const path = newPath();
  const archive = await createArchive(path);
  for (const name of ['settings', 'keys', 'nodes', 'relationships'] as const) {
    const part = archive.part(name);
    for (let row = 0; row < (name === 'nodes' ? ROWS : 3); row += 1) {
      part.line(JSON.stringify([row, `${name} \u2028 \r ${'x'.repeat(500)}`]));
    }
    await part.end();
  }
  await archive.finish({ ...MANIFEST, ...manifest });
  return path;
};

const refusal = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
  } catch (failure) {
    assert.ok(failure instanceof StartupError, String(failure));
    return failure.message;
  }
  return assert.fail('nothing was refused');
};

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-archive-'));
});

test.after(() => rm(folder, { recursive: true, force: true }));

test('every line is read back as written, whatever it contains', async () => {
  const archive = await openBackupArchive(await writeArchive());
  assert.equal(archive.rowsOf('nodes'), ROWS);
  let row = 0;
  for await (const line of archive.lines('nodes')) {
    assert.deepEqual(line, [row, `nodes \u2028 \r ${'x'.repeat(500)}`]);
    row += 1;
  }
  assert.equal(row, ROWS);
});

test('only the owner may read an archive, and no temporary file remains', async () => {
  const path = await writeArchive();
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.partial')),
    [],
  );
});

test('an existing file is never replaced, and an abandoned archive leaves no file', async () => {
  const path = await writeArchive();
  const before = await readFile(path);
  const archive = await createArchive(path);
  for (const name of ['settings', 'keys', 'nodes', 'relationships'] as const) await archive.part(name).end();
  assert.match(await refusal(() => archive.finish(MANIFEST)), /already exists/);
  await archive.discard();
  assert.deepEqual(await readFile(path), before);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.partial')),
    [],
  );
  assert.match(await refusal(() => createArchive(join(folder, 'none', 'file'))), /does not exist/);
});

test('repeated sections replace the dropped ones', async () => {
  const path = newPath();
  const archive = await createArchive(path);
  for (const name of ['settings', 'keys', 'nodes', 'relationships'] as const) {
    const part = archive.part(name);
    part.line('"first"');
    await part.end();
  }
  await archive.drop(['nodes', 'relationships']);
  for (const name of ['nodes', 'relationships'] as const) {
    const part = archive.part(name);
    part.line('"second"');
    await part.end();
  }
  await archive.finish(MANIFEST);
  const read = await openBackupArchive(path);
  const lines: unknown[] = [];
  for (const name of ['keys', 'nodes', 'relationships'] as const) {
    for await (const line of read.lines(name)) lines.push(line);
  }
  assert.deepEqual(lines, ['first', 'second', 'second']);
});

test('one changed byte anywhere is detected', async () => {
  const path = await writeArchive();
  const whole = await readFile(path);
  for (let share = 0; share < 40; share += 1) {
    const at = Math.min(Math.floor((whole.length * share) / 39), whole.length - 1);
    const broken = Buffer.from(whole);
    broken[at] = (broken[at] ?? 0) ^ 1;
    await writeFile(path, broken);
    assert.match(await refusal(() => openBackupArchive(path)), /damaged|not a Tributary backup|newer/, `byte ${at}`);
  }
});

test('an archive that is truncated or has extra data is refused', async () => {
  const path = await writeArchive();
  const { size } = await stat(path);
  await appendFile(path, 'x');
  assert.match(await refusal(() => openBackupArchive(path)), /damaged/);
  for (const length of [size - 1, Math.floor(size / 2), 30, 1, 0]) {
    await truncate(path, length);
    assert.match(await refusal(() => openBackupArchive(path)), /damaged|not a Tributary backup/, `${length} bytes`);
  }
});

test('an archive of a newer format or store is refused with that reason', async () => {
  const path = await writeArchive();
  const whole = await readFile(path, 'latin1');
  await writeFile(path, whole.replace('TRIBUTARY-BACKUP 0001', 'TRIBUTARY-BACKUP 0002'), 'latin1');
  assert.match(await refusal(() => openBackupArchive(path)), /newer version/);
  const archive = await openBackupArchive(await writeArchive({ storeVersion: 99 }));
  assert.match(await refusal(async () => refuseNewerStore(archive)), /newer version/);
});

test('properties of every type are restored unchanged', () => {
  const properties = {
    int: 5n,
    large: 9223372036854775807n,
    float: 1,
    negative: -0,
    odd: [Number.NaN, Number.POSITIVE_INFINITY, 0.5],
    text: 'a\u2028b "c" \\ 𝄞',
    flags: [true, false],
    ints: [1n, -9223372036854775808n],
    none: [],
    bytes: Int8Array.of(-1, 0, 127),
  };
  assert.deepEqual(decodeProperties(JSON.parse(JSON.stringify(encodeProperties(properties)))), properties);
  const named = decodeProperties(JSON.parse(JSON.stringify(encodeProperties(JSON.parse('{"__proto__": "x"}')))));
  assert.deepEqual(Object.entries(named), [['__proto__', 'x']]);
  assert.throws(() => encodeProperties({ place: { x: 1 } }), /place/);
});

test.run();
