import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { readSelection, selectSource } from '../../src/search/request/source-selection.ts';
import { suite } from '../support/suite.ts';
import { countTextWork } from '../support/text-work.ts';

/** Shows that source filters select the returned members. */

const test = suite('search: source filters');

const DOCUMENT = {
  name: 'orders',
  nameShort: 'o',
  description: null,
  owners: [
    { id: '1', name: 'ada', kind: 'user' },
    { id: '2', kind: 'team' },
  ],
  followers: [],
  service: { id: 's', name: 'shop', style: { color: 'red', icon: 'x' } },
  columns: [{ name: 'a', children: [{ name: 'b' }] }, { name: 'c' }],
  fqnParts: ['shop', 'orders'],
  matrix: [[{ x: 1, y: 2 }], [{ y: 3 }]],
};

type Request = {
  readonly includes?: readonly string[];
  readonly excludes?: readonly string[];
  readonly fetchSource?: boolean;
};

const selected = ({ includes = [], excludes = [], fetchSource = true }: Request, document: JsonObject = DOCUMENT) =>
  selectSource(readSelection({ includes, excludes, fetchSource }), document);

const { name, nameShort, description, owners, followers, service, columns, fqnParts, matrix } = DOCUMENT;
const REST = { description, followers, columns, fqnParts, matrix };

type Expected = Readonly<Record<string, unknown>> | undefined;

const CASES: readonly (readonly [what: string, request: Request, answer: Expected])[] = [
  ['nothing said', {}, DOCUMENT],
  ['no source', { fetchSource: false }, undefined],
  ['blank names', { fetchSource: false, includes: ['', ' , '], excludes: [','] }, undefined],
  ['no source but a member', { fetchSource: false, includes: ['name'] }, { name: 'orders' }],
  ['no source but for a member', { fetchSource: false, excludes: ['columns'] }, { ...DOCUMENT, columns: undefined }],
  ['members one by one', { includes: ['name', 'followers'] }, { name: 'orders', followers: [] }],
  ['members in a list', { includes: ['name, followers', 'fqnParts'] }, { name, followers, fqnParts }],
  ['a member that is null', { includes: ['description'] }, { description: null }],
  ['no such member', { includes: ['nothing', 'name.first', 'followers.id', 'constructor'] }, {}],
  ['a whole object', { includes: ['service'] }, { service }],
  ['a member within', { includes: ['service.style.color'] }, { service: { style: { color: 'red' } } }],
  ['an object and a member of it', { includes: ['service', 'service.name'] }, { service }],
  ['a member and its object', { includes: ['service.name', 'service'] }, { service }],
  [
    'below a member that is whole',
    { includes: ['service', 'service.style.icon', 'columns.name'] },
    {
      service,
      columns: [{ name: 'a' }, { name: 'c' }],
    },
  ],
  ['elements with nothing left', { includes: ['owners.name'] }, { owners: [{ name: 'ada' }] }],
  ['no element with anything left', { includes: ['owners.age', 'columns.children.age'] }, {}],
  ['through lists of lists', { includes: ['matrix.x'] }, { matrix: [[{ x: 1 }]] }],
  ['deep in lists', { includes: ['columns.children.name'] }, { columns: [{ children: [{ name: 'b' }] }] }],
  ['a beginning', { includes: ['name*'] }, { name, nameShort }],
  ['a beginning of an object', { includes: ['serv*'] }, { service }],
  ['a beginning within', { includes: ['owners.na*'] }, { owners: [{ name: 'ada' }] }],
  ['two beginnings', { includes: ['service.n*', 'service.i*'] }, { service: { id: 's', name: 'shop' } }],
  ['anything', { includes: ['*'] }, DOCUMENT],
  ['anything below', { includes: ['owners.*'] }, { owners }],
  ['anything below what has nothing below', { includes: ['name.*', 'fqnParts.*', 'followers.*'] }, {}],
  ['a star that is no last one', { includes: ['own*.name', '*.name', 'n*me'] }, {}],
  ['without some', { excludes: ['owners,service', 'name*'] }, REST],
  ['without anything', { excludes: ['*'] }, {}],
  ['without a part', { includes: ['service'], excludes: ['service.style'] }, { service: { id: 's', name: 'shop' } }],
  [
    'without any part',
    { includes: ['service', 'owners'], excludes: ['service.*', 'owners.*'] },
    {
      service: {},
      owners: [],
    },
  ],
  [
    'without what no element is left without',
    { includes: ['columns'], excludes: ['columns.name'] },
    {
      columns: [{ children: [{ name: 'b' }] }],
    },
  ],
  [
    'without members of what is no object',
    { includes: ['name', 'fqnParts'], excludes: ['name.x', 'fqnParts.x'] },
    {
      name,
      fqnParts,
    },
  ],
  ['exclusion wins', { includes: ['name', 'owners.id'], excludes: ['name', 'owners'] }, {}],
  [
    'exclusion of a part wins',
    { includes: ['owners.id', 'owners.kind'], excludes: ['owners.k*'] },
    {
      owners: [{ id: '1' }, { id: '2' }],
    },
  ],
];

for (const [what, request, answer] of CASES) {
  test(what, () => {
    const left = answer && JSON.parse(JSON.stringify(answer));
    assert.equal(selected(request), left);
  });
}

test('each of many prefixes matches', () => {
  const beginnings = ['b', 'bc', 'b!', 'd.e', 'd.e!f', 'd.ec', 'm', 'ma', 'z'];
  const object = { a: 1, b: 1, bd: 1, 'b!': 1, bcd: 1, c: 1, d: { e: 1, eg: 1, f: 1 }, l: 1, mn: 1, n: 1, zz: 1 };
  const kept = { b: 1, bd: 1, 'b!': 1, bcd: 1, d: { e: 1, eg: 1 }, mn: 1, zz: 1 };
  assert.equal(selected({ includes: beginnings.map((one) => `${one}*`) }, object), kept);
  assert.equal(selected({ includes: ['bc*', 'bd*', 'd.f*'] }, object), { bd: 1, bcd: 1, d: { f: 1 } });
});

test('one request does not affect the answer of another', () => {
  selected({ includes: ['service', 'service.name', 'owners.name'] });
  selected({ excludes: ['*', 'service.name'] });
  assert.equal(selected({ includes: ['service.id'] }), { service: { id: 's' } });
  assert.equal(selected({}), DOCUMENT);
});

test('member names are plain data', () => {
  const strange = JSON.parse('{"__proto__": {"a": 1, "b": 2}, "toString": 3}');
  const left = selected({ includes: ['__proto__.a', 'toString', 'valueOf'] }, strange);
  assert.is(JSON.stringify(left), '{"__proto__":{"a":1},"toString":3}');
});

test('the number of names is limited', () => {
  const names = [...Array(1024)].map((_, at) => `n${at}*`);
  assert.equal(selected({ includes: names }, { n5: 1, x: 2 }), { n5: 1 });
  for (const more of [{ includes: [...names, 'x'] }, { includes: [names.join()], excludes: ['x'] }]) {
    assert.throws(
      () => selected(more),
      (failure: unknown) => failure instanceof CatalogError && failure.status === 400,
    );
  }
});

test('the name of a member is compared with few of many long prefixes', async () => {
  const long = 'x'.repeat(1000);
  const includes = [...Array(1000)].map((_, at) => `${long}${1000 + at}y*`);
  const members = Object.fromEntries([...Array(2000)].map((_, at) => [`${long}${1000 + at}`, at] as const));
  const selection = readSelection({ includes, excludes: [], fetchSource: true });
  const looked = await countTextWork(() => assert.equal(selectSource(selection, members), {}));
  assert.ok(looked <= 2000 * 2 * long.length, `${looked} characters compared`);
});

test('a name of many steps is followed without recursion', () => {
  assert.equal(selected({ includes: ['a.'.repeat(100_000)] }, { a: { a: 1 } }), {});
});

test.run();
