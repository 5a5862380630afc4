import * as assert from 'node:assert/strict';
import { toLegalRule, upgradeRule3 } from '../../../src/contracts/odcs/versions/rules-v3.ts';
import type { OdcsVersion } from '../../../src/contracts/odcs/versions/version.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';
import { back, moved, plain, root, sameJson } from './fixture.ts';

/** Shows that quality rules are converted between the versions of ODCS. */

const test = suite('contracts/odcs: rules of 3.x');

type Sample = readonly [written: JsonObject, legal: JsonObject];

const legal = (name: string, version: OdcsVersion, samples: readonly Sample[]): void =>
  test(name, () => {
    for (const [written, expected] of samples) {
      const found = toLegalRule(written, version);
      sameJson(found, expected, JSON.stringify(written));
      sameJson(toLegalRule(found, version), found, 'a legal rule stays as it is');
    }
  });

const encoded = (value: JsonObject, rest: JsonObject = {}): JsonObject => ({
  ...rest,
  type: 'custom',
  engine: 'odcs',
  implementation: JSON.stringify(value),
});

legal('library metrics without an operator get one in 3.1.0', 'v3.1.0', [
  ...['nullValues', 'invalidValues', 'duplicateValues', 'missingValues'].map(
    (metric): Sample => [{ metric }, { metric, mustBe: 0 }],
  ),
  [
    { type: 'library', metric: 'nullValues', name: 'n' },
    { type: 'library', metric: 'nullValues', name: 'n', mustBe: 0 },
  ],
]);

legal('what 3.1.0 has no word for is said as a whole', 'v3.1.0', [
  [{ metric: 'rowCount' }, encoded({ metric: 'rowCount' })],
  [{ rule: 'minCheck', description: 'd' }, encoded({ rule: 'minCheck' }, { description: 'd' })],
  [{ metric: 'uniqueValues', mustBe: 1 }, encoded({ metric: 'uniqueValues', mustBe: 1 })],
  [
    { type: 'library', metric: 'freshness', arguments: { a: 1 } },
    encoded({ metric: 'freshness', arguments: { a: 1 } }),
  ],
  [
    { metric: 'nullValues', mustBeLessThan: 5, mustNotBe: 3 },
    encoded({ metric: 'nullValues', mustNotBe: 3, mustBeLessThan: 5 }),
  ],
  [{ metric: 'rowCount', mustBeBetween: [1] }, encoded({ metric: 'rowCount', mustBeBetween: [1] })],
  [{ type: 'sql', query: 'select 1' }, encoded({ query: 'select 1', type: 'sql' })],
  [{ type: 'sql', mustBe: 1 }, encoded({ mustBe: 1, type: 'sql' })],
]);

legal('a lower and an upper bound are one operator in 3.1.0', 'v3.1.0', [
  [
    { metric: 'rowCount', mustBeGreaterOrEqualTo: 1, mustBeLessOrEqualTo: 5 },
    { metric: 'rowCount', mustBeBetween: [1, 5] },
  ],
  [
    { metric: 'rowCount', mustBeGreaterOrEqualTo: 5, mustBeLessOrEqualTo: 5 },
    { metric: 'rowCount', mustBe: 5 },
  ],
  [
    { metric: 'rowCount', mustBeBetween: [5, 5] },
    { metric: 'rowCount', mustBe: 5 },
  ],
  [
    { type: 'sql', query: 'q', mustBeGreaterOrEqualTo: 1, mustBeLessOrEqualTo: 5 },
    { type: 'sql', query: 'q', mustBeBetween: [1, 5] },
  ],
]);

legal('words of 3.0 are metrics in 3.1.0', 'v3.1.0', [
  [{ rule: 'nullCheck' }, { metric: 'nullValues', mustBe: 0 }],
  [
    { rule: 'duplicateCount', mustBeLessThan: 5 },
    { metric: 'duplicateValues', mustBeLessThan: 5 },
  ],
  [
    { rule: 'countCheck', mustBe: 5, type: 'library' },
    { metric: 'rowCount', type: 'library', mustBe: 5 },
  ],
]);

legal('members that no rule has go away in 3.1.0', 'v3.1.0', [
  [
    { metric: 'nullValues', mustBe: 0, column: 'c' },
    { metric: 'nullValues', mustBe: 0 },
  ],
  [
    { rule: 'validValues', validValues: ['a'], mustBe: 0 },
    { metric: 'invalidValues', arguments: { validValues: ['a'] }, mustBe: 0 },
  ],
  [
    { type: 'text', description: 'd', mustBe: 5 },
    { type: 'text', description: 'd' },
  ],
  [
    { type: 'custom', engine: 'soda', implementation: 'x', mustBeLessThan: 5, column: 'c' },
    { type: 'custom', engine: 'soda', implementation: 'x' },
  ],
  [{ description: 'd', mustBe: 5 }, { description: 'd' }],
]);

legal('what is legal in 3.1.0 stays', 'v3.1.0', [
  [
    { metric: 'nullValues', mustBe: 0 },
    { metric: 'nullValues', mustBe: 0 },
  ],
  [
    { metric: 'rowCount', rule: 'countCheck', mustBeBetween: [1, 5], unit: 'rows' },
    { metric: 'rowCount', rule: 'countCheck', mustBeBetween: [1, 5], unit: 'rows' },
  ],
  [
    { type: 'custom', engine: 'soda', implementation: { a: 1 } },
    { type: 'custom', engine: 'soda', implementation: { a: 1 } },
  ],
  [{ description: 'd' }, { description: 'd' }],
  [
    { metric: 'nullValues', mustNotBe: 'x' },
    { metric: 'nullValues', mustNotBe: 'x' },
  ],
]);

legal('library rules have a rule in 3.0', 'v3.0.2', [
  [
    { metric: 'nullValues', mustBe: 0 },
    { mustBe: 0, rule: 'nullValues' },
  ],
  [
    { type: 'library', rule: 'between' },
    { type: 'library', rule: 'between' },
  ],
  [
    { rule: 'nullCheck', mustBeLessThan: 5, mustNotBe: 3 },
    { rule: 'nullCheck', mustNotBe: 3, mustBeLessThan: 5 },
  ],
  [
    {
      metric: 'invalidValues',
      arguments: { validValues: ['a'], pattern: 'b' },
      customProperties: [{ property: 'c', value: 1 }],
    },
    {
      rule: 'invalidValues',
      customProperties: [
        { property: 'c', value: 1 },
        { property: 'validValues', value: ['a'] },
        { property: 'pattern', value: 'b' },
      ],
    },
  ],
  [{ description: 'd' }, { description: 'd', type: 'text' }],
  [
    { type: 'sql', query: 'q', mustBe: 1 },
    { type: 'sql', query: 'q', mustBe: 1 },
  ],
  [
    { type: 'custom', engine: 'soda', implementation: 'x' },
    { type: 'custom', engine: 'soda', implementation: 'x' },
  ],
]);

test('a spelled-out rule is read back unchanged', () => {
  for (const original of [
    { type: 'library', rule: 'minCheck', name: 'n', customProperties: [{ property: 'min', value: 1 }] },
    { type: 'library', metric: 'rowCount', mustBeLessThan: 5, mustNotBe: 3 },
    { type: 'sql', query: 'select 1' },
  ] as JsonObject[]) {
    const written = toLegalRule(original, 'v3.1.0');
    assert.equal(written['engine'], 'odcs');
    sameJson(upgradeRule3(written), original);
  }
});

test('a foreign rule of that engine stays unchanged', () => {
  for (const implementation of [
    'no JSON',
    '[]',
    '{}',
    '"text"',
    '{"name":"x"}',
    '{"__proto__":{"rule":"x"}}',
    'null',
  ]) {
    const rule = { type: 'custom', engine: 'odcs', implementation };
    sameJson(upgradeRule3(rule), rule);
  }
});

test('rules of 3.0 are read as equivalent metrics', () => {
  const words: readonly [JsonObject, JsonObject][] = [
    [{ rule: 'nullCount' }, { metric: 'nullValues' }],
    [{ rule: 'nullCheck' }, { metric: 'nullValues' }],
    [{ rule: 'notNull' }, { metric: 'nullValues' }],
    [{ rule: 'duplicateCount' }, { metric: 'duplicateValues' }],
    [{ rule: 'unique' }, { metric: 'duplicateValues' }],
    [{ rule: 'missingCount' }, { metric: 'missingValues' }],
    [{ rule: 'countCheck' }, { metric: 'rowCount' }],
    [{ rule: 'rowCount' }, { metric: 'rowCount' }],
    [
      { rule: 'validValues', validValues: ['a'] },
      { metric: 'invalidValues', arguments: { validValues: ['a'] } },
    ],
    [
      { rule: 'regex', arguments: { pattern: 'a' } },
      { metric: 'invalidValues', arguments: { pattern: 'a' } },
    ],
    [{ rule: 'regex' }, { rule: 'regex' }],
    [{ rule: 'between' }, { rule: 'between' }],
    [
      { rule: 'nullCheck', metric: 'rowCount' },
      { rule: 'nullCheck', metric: 'rowCount' },
    ],
    [
      { type: 'custom', rule: 'nullCheck' },
      { type: 'custom', rule: 'nullCheck' },
    ],
  ];
  for (const [written, expected] of words) sameJson(upgradeRule3(written), expected);
});

const holding = (version: string, rule: JsonObject): JsonObject =>
  root(version, {
    schema: [{ name: 'a', quality: [rule], properties: [{ name: 'b', quality: [rule], items: { quality: [rule] } }] }],
  });

test('rules of 3.0 are restored unchanged in their own version, and as metrics from 3.1.0', () => {
  for (const rule of ['nullCheck', 'countCheck', 'minCheck', 'between']) {
    const document = holding('v3.0.1', { rule, description: 'd' });
    sameJson(back(document), document);
  }
  assert.equal(moved(holding('v3.0.1', { rule: 'nullCheck' }), 'v3.0.2').schema[0].quality[0].rule, 'nullValues');
  assert.equal(
    moved(moved(holding('v3.0.1', { rule: 'minCheck' }), 'v3.1.0'), 'v3.0.1').schema[0].quality[0].rule,
    'minCheck',
  );
});

test('rules that 3.1.0 forbids are corrected at every depth, and others are left alone', () => {
  const rule = { metric: 'nullValues', column: 'c', mine: 1, id: 'no id' };
  const document = holding('v3.1.0', rule);
  const found = back(document);
  const expected = { metric: 'nullValues', mine: 1, mustBe: 0 };
  sameJson(found, holding('v3.1.0', expected));
});

test('columns, lengths and people that 3.1.0 forbids are corrected', () => {
  const document = root('v3.1.0', {
    mine: 1,
    team: { members: [{ name: 'n', mine: 2 }] },
    schema: [
      {
        name: 'a',
        properties: [
          {
            name: 'b',
            logicalType: 'integer',
            logicalTypeOptions: { maxLength: 5, minimum: 1 },
            properties: [{ name: 'c' }],
          },
          { name: 'd', logicalType: 'array', properties: [{ name: 'e' }] },
          { name: 'f', logicalType: 'string', logicalTypeOptions: { maxLength: 5 } },
        ],
      },
    ],
  });
  const found = back(document);
  sameJson(found.team, { members: [{ name: 'n', mine: 2, username: 'n' }] });
  sameJson(found.schema[0].properties, [
    { name: 'b', logicalType: 'integer', logicalTypeOptions: { minimum: 1 } },
    { name: 'd', logicalType: 'array', items: { logicalType: 'object', properties: [{ name: 'e' }] } },
    { name: 'f', logicalType: 'string', logicalTypeOptions: { maxLength: 5 } },
  ]);
  assert.equal(plain(found).mine, 1);
});

test.run();
