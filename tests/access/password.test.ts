import * as assert from 'uvu/assert';
import { createPasswordHasher, findPasswordProblem } from '../../src/access/password.ts';
import { watchHashes } from '../support/password-hashes.ts';
import { suite } from '../support/suite.ts';

/** Shows hashing and verification of passwords, and the password policy. */

const test = suite('access: passwords');

/** What the product composes; the other hasher saves time where the cost proves nothing. */
const product = createPasswordHasher();
const { hash, verify } = createPasswordHasher({ log2N: 10, r: 8, p: 1 });

test('only the right password matches', async () => {
  const stored = await hash('Correct-Horse1');
  assert.ok(await verify('Correct-Horse1', stored));
  for (const wrong of ['', 'correct-horse1', 'Correct-Horse1 ', 'Correct-Horse']) {
    assert.not.ok(await verify(wrong, stored), wrong);
  }
});

test('the stored hash contains its parameters and is never repeated', async () => {
  const [first, second] = await Promise.all([product.hash('Correct-Horse1'), product.hash('Correct-Horse1')]);
  assert.match(first ?? '', /^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/);
  assert.is.not(first, second);
  assert.not.match(first ?? '', 'Correct');
});

test('an older hash with weaker parameters still verifies', async () => {
  // scrypt('Correct-Horse1', sixteen zero bytes, N = 1024, r = 8, p = 1)
  const stored = '$scrypt$ln=10,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$tyqWRgQuHyJ3CTSwoUwBYIiTXnxwFatHICfFYBKAxPk';
  assert.ok(await verify('Correct-Horse1', stored));
});

test('two Unicode spellings of one text are one password', async () => {
  assert.ok(await verify('Cafe\u0301-1234', await hash('Caf\u00e9-1234')));
});

test('a damaged or foreign hash matches no password', async () => {
  const stored = await hash('Correct-Horse1');
  const texts = [
    '',
    'Correct-Horse1',
    stored.slice(0, -1),
    `${stored}A`,
    stored.replace('ln=10', 'ln=11'),
    stored.replace('ln=10', 'ln=99'),
    stored.replace('r=8', 'r=0'),
    stored.replace('p=1', 'p=99'),
    stored.replace('scrypt', 'bcrypt'),
  ];
  for (const text of texts) assert.not.ok(await verify('Correct-Horse1', text), text);
});

test('a missing hash matches no password and costs as much as a stored one', async () => {
  const stored = await product.hash('Correct-Horse1');
  await watchHashes(async ({ costs }) => {
    assert.not.ok(await product.verify('Wrong-Horse1', stored));
    assert.not.ok(await product.verify('Wrong-Horse1', undefined));
    assert.equal(costs, [
      { N: 2 ** 15, r: 8, p: 3 },
      { N: 2 ** 15, r: 8, p: 3 },
    ]);
  });
});

test('a password beyond the maximum length is refused without hashing', async () => {
  const stored = await hash('Aa1-'.repeat(65));
  await watchHashes(async ({ costs }) => {
    assert.not.ok(await verify('Aa1-'.repeat(65), stored));
    assert.equal(costs, []);
  });
});

test('the policy requires a length, both cases, a digit and a special character', () => {
  assert.is(findPasswordProblem('Abcdef1!'), undefined);
  assert.is(findPasswordProblem('Ñandú-Nº1'), undefined);
  assert.is(findPasswordProblem('Abcde1!'), 'The password must have at least 8 characters');
  assert.is(findPasswordProblem('abcdef1!'), 'The password must have an upper-case letter');
  assert.is(findPasswordProblem('ABCDEF1!'), 'The password must have a lower-case letter');
  assert.is(findPasswordProblem('Abcdefg!'), 'The password must have a digit');
  assert.is(findPasswordProblem('Abcdefg1'), 'The password must have a special character');
  assert.is(findPasswordProblem('Abcdef 1'), 'The password must have a special character');
  assert.is(findPasswordProblem('Aa1-'.repeat(65)), 'The password must have at most 256 characters');
});

test('the error lists all missing requirements and not the password', () => {
  assert.is(
    findPasswordProblem('abc'),
    'The password must have at least 8 characters, an upper-case letter, a digit, a special character',
  );
});

test.run();
