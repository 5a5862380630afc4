import * as assert from 'uvu/assert';
import { loadKinds } from '../../src/catalog/registry.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { listRecordTypes } from '../../src/model/kind/record-type.ts';
import { suite } from '../support/suite.ts';

const test = suite('catalog: kind declarations');
const { kinds } = await loadKinds();

test('the declared kinds are exactly the record types', () => {
  assert.equal([...listRecordTypes()].sort(), kinds.map(({ entityType }) => entityType).sort());
});

/** The kinds whose declarations use a word, by word. */
const usersOf = (wordsOf: (kind: Kind) => readonly string[]): ReadonlyMap<string, readonly string[]> => {
  const users = new Map<string, string[]>();
  for (const kind of kinds) {
    for (const word of wordsOf(kind)) users.set(word, [...(users.get(word) ?? []), kind.entityType]);
  }
  return users;
};

const specialWords = ({ special = {} }: Kind): readonly string[] => Object.keys(special);

test('a special declaration belongs to a single kind', () => {
  const shared = [...usersOf(specialWords)].filter(([, types]) => types.length > 1);
  assert.equal(shared, []);
});

test('a declaration that only one kind uses is special', () => {
  const common = usersOf((kind) => Object.keys(kind).filter((word) => !specialWords(kind).includes(word)));
  assert.equal(
    [...common].filter(([, types]) => types.length === 1),
    [],
  );
});

test.run();
