import * as assert from 'uvu/assert';
import { statesOf } from '../../src/explorer/lineage/states.ts';
import { suite } from '../support/suite.ts';

/** Shows which states boxes say. */

const test = suite('explorer: states in the lineage');

test('tests and contracts say their state in the words and colours of all pages', () => {
  const said = statesOf({ testStatus: 'Failed', contractStatus: 'PartialSuccess' });
  assert.equal(
    said.map(({ text, tone }) => [text, tone]),
    [
      ['test fails', 'bad'],
      ['contract holds in part', 'warn'],
    ],
  );
  assert.equal(
    statesOf({ contractStatus: 'Aborted' }).map(({ text, tone }) => [text, tone]),
    [['contract aborted', 'bad']],
  );
  assert.equal(statesOf({}), []);
});

test.run();
