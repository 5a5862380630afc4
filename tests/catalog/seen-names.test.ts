import * as assert from 'uvu/assert';
import { loadKinds, requireKind } from '../../src/catalog/registry.ts';
import { collectSeenNames, isAboveSeen } from '../../src/catalog/write/seen-names.ts';
import { suite } from '../support/suite.ts';
import { countTextWork } from '../support/text-work.ts';

/** Shows how names that were seen are compared with those that may be stale. */

const test = suite('catalog: seen names');

test('the ancestors of seen names are known, and nothing that only begins alike', async () => {
  const kind = requireKind(await loadKinds(), 'table');
  const seen = collectSeenNames(kind, ['s.d.a.one', 's.d.a-b.two', 's.d."x.y".three', 's.d.z']);
  for (const above of ['s', 's.d', 's.d.a', 's.d.a-b', 's.d."x.y"']) assert.ok(isAboveSeen(seen, above), above);
  for (const other of ['s.d.z', 's.d.a.one', 's.d.a-', 's.d.x', 's.d.b', 't', '']) {
    assert.not.ok(isAboveSeen(seen, other), other);
  }
});

test('names with very many ancestors take work like their length', async () => {
  const kind = requireKind(await loadKinds(), 'table');
  const workOf = (parts: number): Promise<number> => {
    const names = Array.from({ length: 20 }, (_, at) => `${at}${'.a'.repeat(parts)}`);
    return countTextWork(() => {
      const seen = collectSeenNames(kind, names);
      return Promise.resolve(isAboveSeen(seen, '1.a'));
    });
  };
  await workOf(10);
  const [few, many] = [await workOf(300), await workOf(1200)];
  assert.ok(many < few * 6, `${many} characters for names four times as long as those with ${few}`);
});

test.run();
