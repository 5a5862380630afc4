import * as assert from 'uvu/assert';
import { createDraftStore, type TextStorage } from '../../src/explorer/parts/draft-store.ts';
import { suite } from '../support/suite.ts';

/** Shows whose drafts are kept, how many, and for how long. */

const test = suite('explorer: drafts');

const DAY_MS = 24 * 3600_000;

/** A storage with room for so many characters. */
const openStorage = (room = Number.POSITIVE_INFINITY) => {
  const texts = new Map<string, string>();
  const storage: TextStorage = {
    get length() {
      return texts.size;
    },
    key: (index) => [...texts.keys()][index] ?? null,
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => {
      if (text.length > room) throw new Error('QuotaExceededError');
      texts.set(key, text);
    },
    removeItem: (key) => texts.delete(key),
  };
  return { storage, texts };
};

const openStore = (room?: number) => {
  const { storage, texts } = openStorage(room);
  const clock = { now: Date.UTC(2026, 0, 31) };
  const open = () => createDraftStore(storage, () => clock.now);
  return { store: open(), open, texts, clock };
};

test('everybody has drafts of their own, which the drafts of others leave as they are', () => {
  const { store } = openStore();
  const [ann, ben] = [
    { by: 'ann', name: 'contract of orders' },
    { by: 'ben', name: 'contract of orders' },
  ];
  assert.ok(store.keep(ann, '12 words of Ann'));
  assert.is(store.read(ben), undefined);
  assert.ok(store.keep(ben, 'of Ben'));
  assert.equal([store.read(ann), store.read(ben)], ['12 words of Ann', 'of Ben']);
  store.forget(ben);
  assert.equal([store.read(ann), store.read(ben)], ['12 words of Ann', undefined]);
});

test('no name of one draft leads to another', () => {
  const { store } = openStore();
  store.keep({ by: 'a', name: 'b c' }, 'first');
  store.keep({ by: 'a b', name: 'c' }, 'second');
  assert.is(store.read({ by: 'a', name: 'b c' }), 'first');
});

test('the youngest 50 drafts are kept, and other things in the storage stay', () => {
  const { store, texts, clock } = openStore();
  texts.set('tributary.token', 'token');
  for (let index = 0; index < 60; index += 1) {
    clock.now += 1;
    store.keep({ by: 'ann', name: String(index) }, `draft ${index}`);
    // The first is typed all the time.
    store.keep({ by: 'ann', name: '0' }, 'typed again');
  }
  assert.is(texts.size, 51);
  assert.is(store.read({ by: 'ann', name: '0' }), 'typed again');
  assert.is(store.read({ by: 'ann', name: '10' }), undefined);
  assert.is(store.read({ by: 'ann', name: '11' }), 'draft 11');
  assert.is(texts.get('tributary.token'), 'token');
});

test('a draft is given up after seven days without a change', () => {
  const { store, open, texts, clock } = openStore();
  const place = { by: 'ann', name: 'contract' };
  store.keep(place, 'text');
  clock.now += 7 * DAY_MS - 1;
  assert.is(store.read(place), 'text');
  clock.now += 1;
  assert.is(store.read(place), undefined);
  open();
  assert.is(texts.size, 0, 'it is gone for good');
});

test('where there is no room, the former text does not pass for the present one', () => {
  const { store } = openStore(40);
  const place = { by: 'ann', name: 'contract' };
  assert.ok(store.keep(place, 'short'));
  assert.not.ok(store.keep(place, 'long '.repeat(10)));
  assert.is(store.read(place), undefined);
});

test.run();
