import * as assert from 'node:assert/strict';
import { threeWayMerge } from '../../../src/contracts/odcs/three-way-merge.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { expectLinearCalls } from '../../support/count-calls.ts';
import { suite } from '../../support/suite.ts';
import { plain, sameJson } from './fixture.ts';

/** Shows that an edited contract changes only the matching parts of its document. */

const test = suite('contracts/odcs: three-way merge');

type Sample = { name: string; source: JsonObject; base: JsonObject; target: JsonObject; result: Json };

const cases = (samples: readonly Sample[]): void => {
  for (const { name, source, base, target, result } of samples) {
    test(name, () => {
      const before = JSON.stringify(source);
      sameJson(threeWayMerge(source, base, target), result);
      assert.equal(JSON.stringify(source), before, 'the source was changed');
    });
  }
};

cases([
  {
    name: 'what is the same in both views stays as the source has it',
    source: { a: 'as it came', b: [1, 2], unknown: { c: 1 } },
    base: { a: 'A', b: ['1'] },
    target: { a: 'A', b: ['1'] },
    result: { a: 'as it came', b: [1, 2], unknown: { c: 1 } },
  },
  {
    name: 'what was changed, added and removed is changed, added and removed',
    source: { a: 1, b: 2, c: 3, unknown: 4 },
    base: { a: 1, b: 2, c: 3 },
    target: { a: 10, c: 3, d: 5 },
    result: { a: 10, c: 3, unknown: 4, d: 5 },
  },
  {
    name: 'a change inside leaves its neighbours alone',
    source: { a: { b: 'old', c: 'as it came', unknown: 1 } },
    base: { a: { b: 'old', c: 'C' } },
    target: { a: { b: 'new', c: 'C' } },
    result: { a: { b: 'new', c: 'as it came', unknown: 1 } },
  },
  {
    name: 'another type takes the place whole',
    source: { a: { b: 1 }, c: [1], d: 'text' },
    base: { a: { b: 1 }, c: [1], d: { e: 'text' } },
    target: { a: 'text', c: { f: 1 }, d: { e: 'other' } },
    result: { a: 'text', c: { f: 1 }, d: { e: 'other' } },
  },
  {
    name: 'objects and properties are known by their names, wherever they stand',
    source: {
      schema: [
        {
          name: 'a',
          x: 1,
          properties: [
            { name: 'p', x: 2 },
            { name: 'q', x: 3 },
          ],
        },
        { name: 'b', x: 4 },
      ],
    },
    base: { schema: [{ name: 'a', properties: [{ name: 'p' }, { name: 'q' }] }, { name: 'b' }] },
    target: {
      schema: [
        { name: 'b', description: 'B' },
        { name: 'a', properties: [{ name: 'r' }, { name: 'q', description: 'Q' }] },
      ],
    },
    result: {
      schema: [
        { name: 'b', x: 4, description: 'B' },
        { name: 'a', x: 1, properties: [{ name: 'r' }, { name: 'q', x: 3, description: 'Q' }] },
      ],
    },
  },
  {
    name: 'columns of 2.x are known by their names too',
    source: { dataset: [{ table: 'a', x: 1, columns: [{ column: 'c', x: 2 }, { column: 'd' }] }] },
    base: { dataset: [{ table: 'a', columns: [{ column: 'c' }, { column: 'd' }] }] },
    target: { dataset: [{ table: 'a', columns: [{ column: 'd' }, { column: 'c', description: 'C' }] }] },
    result: { dataset: [{ table: 'a', x: 1, columns: [{ column: 'd' }, { column: 'c', x: 2, description: 'C' }] }] },
  },
  {
    name: 'people are known by username, else by name',
    source: {
      team: [
        { username: 'u', x: 1 },
        { name: 'n', x: 2 },
        { username: 'gone', x: 3 },
      ],
    },
    base: { team: [{ username: 'u' }, { name: 'n' }, { username: 'gone' }] },
    target: { team: [{ name: 'n', role: 'r' }, { username: 'u' }, { username: 'new' }] },
    result: { team: [{ name: 'n', x: 2, role: 'r' }, { username: 'u', x: 1 }, { username: 'new' }] },
  },
  {
    name: 'roles, custom properties and links are known by what they are named',
    source: {
      roles: [
        { role: 'a', x: 1 },
        { role: 'b', x: 2 },
      ],
      customProperties: [{ property: 'p', x: 3 }],
      links: [{ url: 'u', x: 4 }, { url: 'v' }],
    },
    base: {
      roles: [{ role: 'a' }, { role: 'b' }],
      customProperties: [{ property: 'p' }],
      links: [{ url: 'u' }, { url: 'v' }],
    },
    target: {
      roles: [{ role: 'b', access: 'read' }],
      customProperties: [{ property: 'q' }, { property: 'p', value: 5 }],
      links: [{ url: 'v' }, { url: 'u', type: 't' }],
    },
    result: {
      roles: [{ role: 'b', x: 2, access: 'read' }],
      customProperties: [{ property: 'q' }, { property: 'p', x: 3, value: 5 }],
      links: [{ url: 'v' }, { url: 'u', x: 4, type: 't' }],
    },
  },
  {
    name: 'of properties said twice, those that did not change stay together and the first other one is the changed one',
    source: {
      slaProperties: [
        { property: 'a', value: 1, x: 1 },
        { property: 'a', value: 2, x: 2 },
        { property: 'a', value: 3, x: 3 },
      ],
    },
    base: {
      slaProperties: [
        { property: 'a', value: 1 },
        { property: 'a', value: 2 },
        { property: 'a', value: 3 },
      ],
    },
    target: {
      slaProperties: [
        { property: 'a', value: 10 },
        { property: 'a', value: 3 },
      ],
    },
    result: {
      slaProperties: [
        { property: 'a', value: 10, x: 1 },
        { property: 'a', value: 3, x: 3 },
      ],
    },
  },
  {
    name: 'rules are known by id, else the equal one, else by position',
    source: {
      quality: [
        { id: 'r', x: 1 },
        { rule: 'nullCheck', x: 2 },
        { rule: 'minCheck', x: 3 },
      ],
    },
    base: { quality: [{ id: 'r' }, { metric: 'nullValues' }, { rule: 'minCheck' }] },
    target: { quality: [{ rule: 'minCheck' }, { metric: 'nullValues', description: 'd' }, { id: 'r', name: 'n' }] },
    result: {
      quality: [
        { rule: 'minCheck', x: 3 },
        { rule: 'nullCheck', x: 2, description: 'd' },
        { id: 'r', x: 1, name: 'n' },
      ],
    },
  },
  {
    name: 'the first rule removed leaves the others what they were',
    source: {
      quality: [
        { rule: 'a', x: 1 },
        { rule: 'b', x: 2 },
      ],
    },
    base: { quality: [{ metric: 'a' }, { metric: 'b' }] },
    target: { quality: [{ metric: 'b' }] },
    result: { quality: [{ rule: 'b', x: 2 }] },
  },
  {
    name: 'lists of texts are changed text by text',
    source: { tags: ['a', 'b', 'b', 'c'] },
    base: { tags: ['a', 'b', 'b', 'c'] },
    target: { tags: ['b', 'd', 'b'] },
    result: { tags: ['b', 'd', 'b'] },
  },
  {
    name: 'items that no view shows stay behind those they stood behind',
    source: {
      support: [
        { channel: 'hidden0' },
        { channel: 'a', x: 1 },
        { channel: 'hidden1' },
        { channel: 'hidden2' },
        { channel: 'b' },
        { channel: 'hidden3' },
      ],
    },
    base: { support: [{ channel: 'a' }, { channel: 'b' }] },
    target: { support: [{ channel: 'b', url: 'u' }, { channel: 'c' }] },
    result: {
      support: [
        { channel: 'hidden0' },
        { channel: 'hidden1' },
        { channel: 'hidden2' },
        { channel: 'b', url: 'u' },
        { channel: 'hidden3' },
        { channel: 'c' },
      ],
    },
  },
  {
    name: 'a whole list that was emptied is emptied',
    source: { roles: [{ role: 'a', x: 1 }] },
    base: { roles: [{ role: 'a' }] },
    target: {},
    result: {},
  },
  {
    name: 'a change goes to the spelling of the source',
    source: {
      dataset: [{ table: 'a', columns: [{ column: 'c', isPrimary: false, nullable: true }] }],
      datasetProject: 'p',
    },
    base: {
      dataset: [{ table: 'a', columns: [{ column: 'c', isPrimaryKey: false, isNullable: true }] }],
      project: 'p',
    },
    target: {
      dataset: [{ table: 'a', columns: [{ column: 'c', isPrimaryKey: true, isNullable: true }] }],
      project: 'q',
    },
    result: {
      dataset: [{ table: 'a', columns: [{ column: 'c', isPrimary: true, nullable: true }] }],
      datasetProject: 'q',
    },
  },
  {
    name: 'a list inside an object is changed there',
    source: {
      dataset: { tables: [{ table: 'a', x: 1 }], x: 2 },
      team: { name: 't', members: [{ username: 'u', x: 3 }] },
    },
    base: { dataset: [{ table: 'a' }], team: [{ username: 'u' }] },
    target: { dataset: [{ table: 'a' }, { table: 'b' }], team: [{ username: 'u', role: 'owner' }] },
    result: {
      dataset: { tables: [{ table: 'a', x: 1 }, { table: 'b' }], x: 2 },
      team: { name: 't', members: [{ username: 'u', x: 3, role: 'owner' }] },
    },
  },
  {
    name: 'a rule that one side only says as a whole changes as a whole',
    source: { quality: [{ metric: 'rowCount', mustBeLessThan: 5, mustNotBe: 3, x: 1 }] },
    base: { quality: [{ type: 'custom', engine: 'odcs', implementation: '{"mustBeLessThan":5,"mustNotBe":3}' }] },
    target: { quality: [{ type: 'custom', engine: 'odcs', implementation: '{"mustBeLessThan":6,"mustNotBe":3}' }] },
    result: {
      quality: [{ x: 1, type: 'custom', engine: 'odcs', implementation: '{"mustBeLessThan":6,"mustNotBe":3}' }],
    },
  },
]);

test('built-in member names are ordinary names', () => {
  const source = JSON.parse('{"__proto__":{"a":1,"constructor":2},"toString":3}') as JsonObject;
  const base = JSON.parse('{"__proto__":{"a":1},"toString":3}') as JsonObject;
  const target = JSON.parse('{"__proto__":{"a":5},"valueOf":6}') as JsonObject;
  const result = threeWayMerge(source, base, target);
  assert.equal(JSON.stringify(result), '{"__proto__":{"a":5,"constructor":2},"valueOf":6}');
  assert.equal((plain({}) as { a?: number }).a, undefined);
});

test('long lists of equal items are merged with work that grows with their length', () => {
  const items = (count: number, x: number) => Array.from({ length: count }, () => ({ x }));
  const prepare = (size: number) =>
    [{ quality: items(50 * size, 1) }, { quality: items(49 * size, 1) }, { quality: items(48 * size, 2) }] as const;
  expectLinearCalls(50, prepare, (documents) => threeWayMerge(...documents));
  assert.equal(plain(threeWayMerge(...prepare(1000))).quality.length, 49_000);
});

test.run();
