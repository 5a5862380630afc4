import * as assert from 'uvu/assert';
import type { Json } from '../../src/model/json.ts';
import { exportFile, type FileType, importFile, readStateBelow } from '../support/csv-files.ts';
import { ok } from '../support/expect.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that importing an unchanged export changes nothing, whatever the catalog contains (csv.md 7). */

const test = suite('csv: round trip');

let service: Service;
let admin: Client;

/** Numbers that look random and are the same for the same seed, so that a failure can be had again. */
const dice = (seed: number) => {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const one = <T>(of: readonly T[]): T => of[next(of.length)] as T;
  return { next, one, perhaps: <T extends object>(value: T): T | Record<string, never> => (next(2) ? value : {}) };
};

type Dice = ReturnType<typeof dice>;

const PIECES = [
  'a',
  'B',
  ' ',
  '.',
  ',',
  ';',
  ':',
  '|',
  "'",
  '=',
  '+',
  '-',
  '@',
  '🦉',
  'é',
  '\\',
  '/',
  '%2E',
  '#',
  '<',
  '&',
];
const TEXT_PIECES = [...PIECES, '"', '\n', '\r\n', '\r', '\t', '""', 'word'];

const textOf = ({ next, one }: Dice, pieces = TEXT_PIECES): string =>
  Array.from({ length: next(9) }, () => one(pieces)).join('');

let serial = 0;

/** A name that has not been given yet; two colons in a row, and a space at either end, are for nobody. */
const nameOf = (some: Dice): string => {
  serial += 1;
  return `${some.one(['=', '-', "'", '@', 'n', '🦉'])}${textOf(some, PIECES).replaceAll('::', ':')}n${serial}`;
};

const part = (name: string): string => (name.includes('.') ? `"${name}"` : name);

/** A value of every type of custom properties, by its configuration. */
const TYPES: readonly (readonly [type: string, config: Json | undefined, value: (some: Dice) => Json])[] = [
  ['string', undefined, textOf],
  ['markdown', undefined, textOf],
  ['sqlQuery', undefined, (some) => `SELECT ';' ${textOf(some)}`],
  ['integer', undefined, ({ next }) => next(2000) - 1000],
  ['number', undefined, ({ next }) => next(2000) / 7 - 100],
  ['timestamp', undefined, ({ next }) => next(2 ** 31)],
  ['timeInterval', undefined, ({ next }) => ({ start: next(100), end: 100 + next(100) })],
  ['duration', undefined, ({ one }) => one(['P1D', 'PT5M', 'P1Y2M3DT4H'])],
  ['email', undefined, ({ next }) => `a${next(99)}@example.com`],
  ['enum', { values: ['a|b', 'c;d', '"e"', ' f ', 'g,h'] }, ({ one }) => one(['a|b', 'c;d', '"e"', ' f ', 'g,h'])],
  [
    'enum',
    { multiSelect: true, values: ['a|b', 'c;d', '"e', 'f'] },
    ({ one }) => one<Json>([['a|b'], ['c;d', '"e'], 'f', ['f', 'a|b', '"e']]),
  ],
  ['date-cp', 'yyyy-MM-dd', ({ next }) => `2026-11-${10 + next(20)}`],
  ['dateTime-cp', 'yyyy-MM-dd HH:mm:ss', ({ next }) => `2026-11-22 10:20:${10 + next(40)}`],
  ['time-cp', 'HH:mm:ss', ({ next }) => `10:20:${10 + next(40)}`],
  [
    'table-cp',
    { columns: ['one', 'two;', 'thr"ee'] },
    (some) => ({
      columns: ['one', 'two;', 'thr"ee'],
      rows: Array.from({ length: 1 + some.next(3) }, () => ({
        one: `x${textOf(some)}`,
        ...some.perhaps({ 'thr"ee': `${textOf(some)}|` }),
      })),
    }),
  ],
  [
    'hyperlink-cp',
    undefined,
    (some) => ({ url: 'https://example.com/a;b', ...some.perhaps({ displayText: 'x;"y"' }) }),
  ],
];

type Defined = readonly (readonly [name: string, value: (some: Dice) => Json])[];

/** One property of every type for a kind, under names of this suite's own. */
const define = async (entityType: string, typeIds: ReadonlyMap<string, string>): Promise<Defined> => {
  const references: typeof TYPES = [
    ['entityReference', ['user', 'table'], () => ({ type: 'user', fullyQualifiedName: people.user })],
    [
      'entityReferenceList',
      ['user', 'team'],
      () => [
        { type: 'user', fullyQualifiedName: people.user },
        { type: 'team', fullyQualifiedName: part(people.team) },
      ],
    ],
  ];
  const all = [...TYPES, ...references].map(([type, config, value]) => {
    const propertyType = { id: typeIds.get(type) ?? '', type: 'type' };
    const customPropertyConfig = config === undefined ? {} : { customPropertyConfig: { config } };
    return { name: uniqueName(`p:${type};`), propertyType, customPropertyConfig, value };
  });
  const { id } = ok(await admin.get(`/v1/metadata/types/name/${entityType}`));
  const [first, ...others] = all.map(({ value: _, customPropertyConfig, ...property }) => ({
    ...property,
    ...customPropertyConfig,
  }));
  ok(await admin.put(`/v1/metadata/types/${id}`, first));
  const patch = others.map((value) => ({ op: 'add', path: '/customProperties/-', value }));
  ok(await admin.patch(`/v1/metadata/types/${id}`, patch));
  return all.map(({ name, value }) => [name, value] as const);
};

const people = { user: '', team: '', domain: '', term: '', tag: '' };
const properties: Record<string, Defined> = {};

test.before(async () => {
  service = await openService();
  ({ admin } = service);
  people.user = uniqueName('csv;user').toLowerCase();
  people.team = uniqueName('csv, "team".one').replaceAll('"', '');
  people.domain = uniqueName('csv.dom;ain');
  const glossary = uniqueName('csv.glos,sary');
  const classification = uniqueName('csv.class');
  const email = `${uniqueName('mail')}@example.com`;
  ok(await admin.post('/v1/users', { name: people.user, email }), 201);
  ok(await admin.post('/v1/teams', { name: people.team, teamType: 'Group' }), 201);
  ok(await admin.post('/v1/domains', { name: people.domain, description: 'x', domainType: 'Aggregate' }), 201);
  ok(await admin.post('/v1/glossaries', { name: glossary, description: 'x' }), 201);
  ok(await admin.post('/v1/glossaryTerms', { name: 'te;rm', glossary: part(glossary), description: 'x' }), 201);
  ok(await admin.post('/v1/classifications', { name: classification, description: 'x' }), 201);
  ok(await admin.post('/v1/tags', { name: 'ta,g', classification: part(classification), description: 'x' }), 201);
  people.term = `${part(glossary)}.te;rm`;
  people.tag = `${part(classification)}.ta,g`;
  const { data } = ok(await admin.get('/v1/metadata/types?category=field&limit=1000'));
  const typeIds = new Map<string, string>(data.map(({ name, id }: { name: string; id: string }) => [name, id]));
  for (const type of ['database', 'databaseSchema', 'table', 'storedProcedure'])
    properties[type] = await define(type, typeIds);
});

const label = (tagFQN: string, source = 'Classification') => ({ tagFQN, source });

const labelsOf = (some: Dice) => [
  ...(some.next(2) ? [label(people.tag)] : []),
  ...(some.next(2) ? [label('PII.Sensitive')] : []),
  ...(some.next(3) ? [] : [label('Tier.Tier2')]),
  ...(some.next(3) ? [] : [label('Certification.Gold')]),
  ...(some.next(2) ? [label(people.term, 'Glossary')] : []),
];

const extensionOf = (some: Dice, entityType: string) => {
  const values = (properties[entityType] ?? []).filter(() => some.next(2)).map(([name, value]) => [name, value(some)]);
  return values.length > 0 ? { extension: Object.fromEntries(values) } : {};
};

const commonOf = (some: Dice, entityType: string) => ({
  name: nameOf(some),
  tags: labelsOf(some),
  ...some.perhaps({ displayName: textOf(some) }),
  ...some.perhaps({ description: textOf(some) }),
  ...some.perhaps({ sourceUrl: 'https://example.com/?a=1,2;3' }),
  ...some.perhaps({ domains: [part(people.domain)] }),
  ...some.one([
    {},
    {
      owners: [
        { type: 'user', fullyQualifiedName: people.user },
        { type: 'user', fullyQualifiedName: 'admin' },
      ],
    },
    { owners: [{ type: 'team', fullyQualifiedName: part(people.team) }] },
  ]),
  ...extensionOf(some, entityType),
});

const columnsOf = (some: Dice, depth = 0): object[] =>
  Array.from({ length: 1 + some.next(4) }, () => ({
    name: nameOf(some),
    tags: labelsOf(some),
    ...some.one([
      { dataType: 'INT' },
      { dataType: 'VARCHAR', dataLength: 1 + some.next(99) },
      { dataType: 'ARRAY', arrayDataType: 'STRUCT', dataTypeDisplay: 'array<struct<"a",b>>' },
      { dataType: 'DECIMAL', precision: 9, scale: 2 },
      { dataType: 'CHAR' },
    ]),
    ...some.perhaps({ description: textOf(some) }),
    ...some.perhaps({ displayName: textOf(some) }),
    ...some.perhaps({ constraint: 'NOT_NULL' }),
    ...some.perhaps({ ordinalPosition: some.next(9) }),
    ...(depth < 2 && some.next(3) === 0 ? { dataType: 'STRUCT', children: columnsOf(some, depth + 1) } : {}),
  }));

const made = async (path: string, body: object): Promise<{ id: string; fullyQualifiedName: string }> =>
  ok(await admin.post(`/v1/${path}`, body), 201);

const certify = async (path: string, id: string, some: Dice): Promise<void> => {
  if (some.next(2)) return;
  const certification = { tagLabel: label('Certification.Gold'), appliedDate: 5, expiryDate: 7 };
  ok(await admin.patch(`/v1/${path}/${id}`, { certification }, { 'content-type': 'application/merge-patch+json' }));
};

/** A service with whatever may lie in one. */
const grow = async (some: Dice) => {
  const root = await made('services/databaseServices', { name: uniqueName('rt.,;'), serviceType: 'Mysql' });
  const places: [FileType, string][] = [['databaseService', root.fullyQualifiedName]];
  for (let d = 0; d < 2; d += 1) {
    const body = {
      ...commonOf(some, 'database'),
      service: root.fullyQualifiedName,
      ...some.perhaps({ retentionPeriod: 'P1D' }),
    };
    const database = await made('databases', body);
    await certify('databases', database.id, some);
    places.push(['database', database.fullyQualifiedName]);
    const schema = await made('databaseSchemas', {
      ...commonOf(some, 'databaseSchema'),
      database: database.fullyQualifiedName,
    });
    places.push(['databaseSchema', schema.fullyQualifiedName]);
    const databaseSchema = schema.fullyQualifiedName;
    for (let t = 0; t < 2; t += 1) {
      const columns = columnsOf(some);
      const table = await made('tables', { ...commonOf(some, 'table'), databaseSchema, columns });
      await certify('tables', table.id, some);
      places.push(['table', table.fullyQualifiedName]);
    }
    const storedProcedureCode = { language: some.one(['SQL', 'Python']), code: textOf(some) };
    await made('storedProcedures', { ...commonOf(some, 'storedProcedure'), databaseSchema, storedProcedureCode });
  }
  return { root: root.fullyQualifiedName, places };
};

const trip = async (seed: number) => {
  const { root, places } = await grow(dice(seed));
  const before = await readStateBelow(service, root);
  assert.ok(before.length > 10, 'the catalog is empty');
  let turn = 0;
  for (const [type, fqn] of places) {
    for (const reach of type === 'table' ? [''] : ['', '&recursive=true', '&recursive=false']) {
      turn += 1;
      const query = `?safeCsv=${turn % 2 === 0}${reach}`;
      const file = await exportFile(admin, type, fqn, query);
      const { status, details } = await importFile(admin, type, fqn, file, `${query}&dryRun=false`);
      const wrong = details.filter((text: string) => text !== 'success: Entity updated');
      assert.equal([status, wrong], ['success', []], `${seed} ${type} ${fqn} ${query}\n${file}`);
    }
  }
  const after = await readStateBelow(service, root);
  before.forEach((text, at) => {
    assert.is(after[at], text);
  });
  assert.is(after.length, before.length);
};

for (const seed of [1, 20]) {
  test(`importing an unchanged export changes nothing: catalog ${seed}`, () => trip(seed));
}

test.run();
