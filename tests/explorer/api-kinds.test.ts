import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import { describeKinds, EXPLORER_API } from '../../scripts/explorer-types.ts';
import { suite } from '../support/suite.ts';

/** Shows that the explorer knows the kinds of the service. */

const test = suite('explorer: kinds of the API');

test('the list of kinds is that of the program', async () => {
  assert.is(await readFile(EXPLORER_API.kinds, 'utf8'), await describeKinds(), 'npm run types:explorer writes it anew');
});

test.run();
