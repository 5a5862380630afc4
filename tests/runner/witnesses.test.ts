import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { addWitness, withTestimony } from '../support/witnesses.ts';

/** Shows that a failed case tells what its witnesses saw, and fails by its own error whatever becomes of them. */

const test = suite('runner: witnesses of failures');

test('a failure says what witnesses tell, until they withdraw', async () => {
  const failure = new Error('it never came');
  const withdraw = addWitness(async () => ['the page shows:', '- button "Again"']);
  assert.is(await withTestimony(failure), failure);
  assert.is(failure.message, 'it never came\nthe page shows:\n- button "Again"');
  withdraw();
  assert.is((await withTestimony('a text')).message, 'a text');
});

test('a witness that fails hides nothing', async () => {
  const withdraw = addWitness(() => Promise.reject(new Error('the page is closed')));
  assert.is(
    (await withTestimony(new Error('it never came'))).message,
    'it never came\nnothing can be told: the page is closed',
  );
  withdraw();
});

test.run();
