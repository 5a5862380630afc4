import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openJournal } from '../../../src/cli/move/journal.ts';
import { suite } from '../../support/suite.ts';

/** Shows that the journal of an import survives a crash at any moment, and is no other import's. */

const test = suite('cli: the journal of an import');

const HEADER = { import: 'Marquez', from: 'http://marquez.example', to: 'http://catalog.example' };

let folder: string;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-journal-'));
});

test.after(() => rm(folder, { recursive: true, force: true }));

test('steps come back in their order, and a line that was cut off is gone', async () => {
  const path = join(folder, 'steps');
  const journal = await openJournal(path, HEADER);
  await journal.append({ at: 1 });
  await journal.append({ at: 2 });
  await appendFile(path, '{"at": 3');
  const again = await openJournal(path, HEADER);
  assert.equal(again.steps, [{ at: 1 }, { at: 2 }]);
  await again.append({ at: 4 });
  assert.equal((await openJournal(path, HEADER)).steps, [{ at: 1 }, { at: 2 }, { at: 4 }]);
  await again.replace([]);
  assert.is(await readFile(path, 'utf8'), `${JSON.stringify(HEADER)}\n`);
});

test('the file of something else is refused and stays as it is', async () => {
  for (const [name, text] of [
    ['other', `${JSON.stringify({ ...HEADER, from: 'http://elsewhere.example' })}\n`],
    ['notes', 'buy milk\n'],
  ] as const) {
    const path = join(folder, name);
    await writeFile(path, text);
    const refused = await openJournal(path, HEADER).then(
      () => 'taken',
      ({ message }: Error) => message,
    );
    assert.match(refused, /is of another import: name another file by --state, or delete it to begin anew$/);
    assert.is(await readFile(path, 'utf8'), text);
  }
});

test.run();
