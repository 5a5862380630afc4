import * as assert from 'node:assert/strict';
import { suite } from '../support/suite.ts';
import { isPureFile, listTestFiles } from '../support/test-files.ts';

/** Shows what the names and the imports of test files tell. */

const test = suite('runner: test files');

const named = (tier: 'gate' | 'heavy' | 'all', pattern: string) => listTestFiles('tests', tier, new RegExp(pattern));

test('the name of a file tells its tier', async () => {
  assert.deepEqual(await named('gate', '^faults/'), ['faults/lost-answer.test.ts']);
  const heavy = await named('heavy', '^faults/');
  assert.ok(heavy.includes('faults/clock.heavy.test.ts'));
  assert.ok(!heavy.includes('faults/lost-answer.test.ts'));
  const all = await named('all', '.');
  assert.deepEqual(all, [...(await named('gate', '.')), ...(await named('heavy', '.'))].sort());
});

test('what opens the service, a program or a browser at any distance is not pure', async () => {
  const outside = [
    'catalog/graph.test.ts',
    'catalog/conformance-write.test.ts',
    'tidy.test.ts',
    'browser/explorer.test.ts',
    'search-documents/index.test.ts',
    'faults/clock.heavy.test.ts',
    'runner/second-try.test.ts',
  ];
  for (const file of outside) assert.equal(await isPureFile('tests', file), false, file);
  const pure = ['runner/test-files.test.ts', 'runner/verdict.test.ts', 'model/json.test.ts', 'config.test.ts'];
  for (const file of pure) assert.equal(await isPureFile('tests', file), true, file);
});

test.run();
