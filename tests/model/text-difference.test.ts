import * as assert from 'uvu/assert';
import { applyTextDifference, diffText } from '../../src/model/text-difference.ts';
import { suite } from '../support/suite.ts';
import { countTextWork } from '../support/text-work.ts';

/** Shows that a stored difference restores the exact text. */

const test = suite('model: text differences');

/** A small generator of numbers, so that a failure can be repeated by its seed. */
const randomBy = (seed: number) => {
  let state = seed >>> 0;
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

type Random = ReturnType<typeof randomBy>;

const WORDS = [
  'name',
  '__proto__',
  'constructor',
  'größe',
  '名前',
  '🙂',
  '\ud800',
  'a"b\\',
  ',"',
  '{"',
  '}',
  '',
  '\u2028',
];

const word = (random: Random): string =>
  Array.from({ length: random(4) }, () => WORDS[random(WORDS.length)] ?? '').join(random(2) ? ' ' : '');

const value = (random: Random, depth: number): unknown => {
  switch (random(depth > 3 ? 5 : 8)) {
    case 0:
      return random(1000) / 7;
    case 1:
      return random(2) === 1;
    case 2:
      return null;
    case 3:
      return -random(2 ** 30) * 1e20;
    case 4:
      return word(random);
    case 5:
      return Array.from({ length: random(6) }, () => value(random, depth + 1));
    default:
      return object(random, depth + 1);
  }
};

const object = (random: Random, depth: number): unknown => {
  const entries = Array.from(
    { length: random(6) },
    () => `${JSON.stringify(word(random))}:${JSON.stringify(value(random, depth))}`,
  );
  // Members are written as text, so that `__proto__` and doubled names stay what they are.
  return { toJSON: undefined, ...(JSON.parse(`{${entries.join(',')}}`) as object) };
};

const column = (random: Random, at: number) => ({
  name: `column_${at}`,
  dataType: 'VARCHAR',
  description: word(random),
  ordinalPosition: at,
  tags: random(5) ? [] : [{ tagFQN: 'PII.None', labelType: 'Manual' }],
  more: random(4) ? undefined : value(random, 2),
});

/** Columns after some edits: changed, renamed, moved, added, removed. */
const edited = (random: Random, columns: readonly ReturnType<typeof column>[]) => {
  const next = [...columns];
  for (let edits = random(4) + 1; edits > 0 && next.length > 0; edits -= 1) {
    const at = random(next.length);
    const one = next[at] ?? column(random, 0);
    switch (random(5)) {
      case 0:
        next[at] = { ...one, description: word(random) };
        break;
      case 1:
        next[at] = { ...one, name: `${one.name}_${random(100)}` };
        break;
      case 2:
        next.splice(random(next.length), 0, ...next.splice(at, 1));
        break;
      case 3:
        next.splice(at, 0, column(random, 1000 + random(1000)));
        break;
      default:
        next.splice(at, 1);
    }
  }
  return random(3) ? next : next.map((one, position) => ({ ...one, ordinalPosition: position }));
};

const remade = async (base: string, target: string): Promise<void> => {
  const difference = JSON.parse(JSON.stringify(await diffText(base, target)));
  const made = await applyTextDifference(base, difference);
  assert.ok(made === target, `made ${made.slice(0, 200)} of ${target.slice(0, 200)}`);
};

test('random edits of random documents are restored exactly', async () => {
  for (let seed = 1; seed <= 1500; seed += 1) {
    const random = randomBy(seed);
    const columns = Array.from({ length: random(30) }, (_, at) => column(random, at));
    const head = { id: seed, version: random(100) / 10, extension: value(random, 0) };
    const base = JSON.stringify({ ...head, columns });
    const target = JSON.stringify({ ...head, version: 7, change: value(random, 1), columns: edited(random, columns) });
    await remade(base, target);
    await remade(target, base);
    await remade(base, `{"entity":${target},"after":1}`);
  }
});

test('random unrelated documents are restored exactly', async () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = randomBy(seed * 7919);
    const texts = [JSON.stringify(value(random, 0)), JSON.stringify(value(random, 0)), '', 'x'.repeat(random(10_000))];
    for (const base of texts) for (const target of texts) await remade(base, target);
  }
});

const wide = (count: number, change: (at: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => ({
    name: `column_${at}`,
    dataType: 'VARCHAR',
    ordinalPosition: at + 1,
    description: `What column ${at} says of ${(at * 7919) % 10007} things`,
    ...change(at),
  }));

const sizeOf = async (before: unknown, after: unknown): Promise<number> => {
  const [base, target] = [JSON.stringify(before), JSON.stringify(after)];
  await remade(base, target);
  return JSON.stringify(await diffText(base, target)).length;
};

test('one changed column of 20,000 yields a difference of a few characters', async () => {
  const before = { version: 0.1, columns: wide(20_000) };
  const changed = { version: 0.2, columns: wide(20_000, (at) => (at === 9000 ? { description: 'other' } : {})) };
  assert.ok((await sizeOf(before, changed)) < 500);
  const moved = [...before.columns];
  moved.splice(3, 0, ...moved.splice(15_000, 100));
  assert.ok((await sizeOf(before, { ...before, columns: moved })) < 500);
  const renamed = { ...before, columns: wide(20_000, (at) => (at === 77 ? { name: 'renamed' } : {})) };
  assert.ok((await sizeOf(before, renamed)) < 500);
});

test('a column inserted at the front costs little for the shifted ones', async () => {
  const before = { columns: wide(5000) };
  const after = {
    columns: [{ name: 'first', ordinalPosition: 1 }, ...wide(5000, (at) => ({ ordinalPosition: at + 2 }))],
  };
  assert.ok((await sizeOf(before, after)) < 5000 * 40);
});

type Work = { readonly characters: number; readonly longestStretch: number };

/** The work on a difference and on its application, in all and between two chances for others to run. */
const workOn = async (base: string, target: string): Promise<Work> => {
  let longestStretch = 0;
  const characters = await countTextWork(async (countSoFar) => {
    let since = 0;
    const endStretch = () => {
      longestStretch = Math.max(longestStretch, countSoFar() - since);
      since = countSoFar();
    };
    // A slice of time that is used up at every check, which shows how much is done between two of them.
    const pacer = { isSliceUsedUp: () => true, yieldToEventLoop: async () => endStretch() };
    const made = await applyTextDifference(base, await diffText(base, target, pacer), pacer);
    endStretch();
    if (made !== target) throw new Error('the difference makes another text');
  });
  return { characters, longestStretch };
};

/** Four times the text may take hardly more than four times the work; if it were quadratic, it would take sixteen times. */
const expectLinear = (few: Work, many: Work): void => {
  assert.ok(many.characters < few.characters * 5, `${few.characters} characters became ${many.characters}`);
};

/** On a processor that handles a character in 10 ns, this takes 10 ms. */
const MOST_AT_ONCE = 1_000_000;

test('the work on a difference is linear, and it lets others run regularly', async () => {
  const workFor = (count: number): Promise<Work> =>
    workOn(
      JSON.stringify({ columns: wide(count) }),
      JSON.stringify({ columns: wide(count, (at) => ({ description: `now ${at}` })).reverse() }),
    );
  const [few, many] = [await workFor(10_000), await workFor(40_000)];
  expectLinear(few, many);
  assert.ok(many.longestStretch < MOST_AT_ONCE, `${many.longestStretch} characters were handled at once`);
});

test('the work on a list of many equal values is linear', async () => {
  const tags = (count: number): string =>
    JSON.stringify({ tags: Array.from({ length: count }, () => ({ tagFQN: 'PII.None' })) });
  const lists = (count: number): string => `[${'[],'.repeat(count)}[]]`;
  expectLinear(await workOn(tags(12_500), tags(12_501)), await workOn(tags(50_000), tags(50_001)));
  expectLinear(await workOn(lists(25_000), lists(24_999)), await workOn(lists(100_000), lists(99_999)));
});

test('a difference that does not match the text is refused', async () => {
  for (const bad of [[5, 10], [-1, 2], [0], [0, -1], ['a', 0, 'b']]) {
    let refused = false;
    await applyTextDifference('abc', bad).catch(() => {
      refused = true;
    });
    assert.ok(refused, JSON.stringify(bad));
  }
});

test.run();
