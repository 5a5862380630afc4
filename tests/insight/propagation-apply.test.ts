import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { column, edgeBody, type Made, mapping, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { fqnOf, labelled, makeClassification, mapColumns } from './label-fixture.ts';

/** Gives columns the labels that they inherit by lineage. */

const test = suite('insight: labels given along columns');

let world: World;
let rights: RightsFactory;
let secret: string;
let open: string;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  const classification = await makeClassification(world, { mutuallyExclusive: true });
  [secret, open] = [`${classification}.Secret`, `${classification}.Open`];
});

type Label = { readonly tagFQN: string; readonly labelType: string; readonly state: string; readonly reason?: string };

const apply = (body: JsonObject, client: Client = world.admin) =>
  client.post('/v1/lineage/propagation/apply', { tag: secret, ...body });

const readTable = async ({ id }: Made) => ok(await world.admin.get(`/v1/tables/${id}?fields=tags,columns`));

const labelsOf = async (table: Made, name: string): Promise<readonly Label[]> => {
  const { columns } = await readTable(table);
  return columns.find((one: { readonly name: string }) => one.name === name)?.tags ?? [];
};

/** A source, a table made from it, and one made from that; the last has a column that is taken and one behind a hash. */
const chainOfTables = async () => {
  const raw = await world.table('raw', [labelled('mail', secret)]);
  const staged = await world.table('staged', [column('mail'), column('day')]);
  const mart = await world.table('mart', [column('contact'), labelled('shown', open), column('digest')]);
  await mapColumns(world.admin, raw, staged, [['mail', 'mail']]);
  await mapColumns(world.admin, staged, mart, [
    ['mail', 'contact'],
    ['mail', 'shown'],
    ['mail', 'digest', 'md5(mail)'],
  ]);
  return { raw, staged, mart };
};

test('every column of the scope that lacks the label gets it, with the way as its reason', async () => {
  const { raw, staged, mart } = await chainOfTables();
  const before = await readTable(mart);
  const dry = ok(await apply({ scope: mart.fullyQualifiedName, dryRun: true }));
  assert.equal(
    [dry.dryRun, dry.status, dry.successRequest],
    [true, 'success', [{ request: fqnOf(mart, 'contact'), status: 200 }]],
  );
  assert.equal(await readTable(mart), before, 'a dry run changes nothing');
  const done = ok(await apply({ scope: mart.fullyQualifiedName }));
  assert.equal([done.dryRun, done.numberOfRowsPassed, done.numberOfRowsFailed], [false, 1, 0]);
  const [label, ...others] = await labelsOf(mart, 'contact');
  const way = [fqnOf(raw, 'mail'), fqnOf(staged, 'mail'), fqnOf(mart, 'contact')].join(' → ');
  assert.equal(
    [label?.tagFQN, label?.labelType, label?.state, label?.reason, others],
    [secret, 'Propagated', 'Confirmed', way, []],
  );
  assert.equal(await labelsOf(staged, 'mail'), [], 'what lies outside the scope stays');
  const after = await readTable(mart);
  assert.is(after.version, Number((before.version + 0.1).toFixed(1)), 'it is one change of the table');
  assert.equal(ok(await apply({ scope: mart.fullyQualifiedName })).numberOfRowsProcessed, 0, 'nothing is left to do');
});

test('named columns are judged one by one', async () => {
  const { raw, staged, mart } = await chainOfTables();
  ok(await apply({ columns: [fqnOf(staged, 'mail')] }));
  const names = [
    fqnOf(staged, 'mail'),
    fqnOf(mart, 'contact'),
    fqnOf(mart, 'contact'),
    fqnOf(mart, 'shown'),
    fqnOf(mart, 'digest'),
    fqnOf(staged, 'day'),
    fqnOf(raw, 'mail'),
    'nowhere.at.all',
  ];
  const result = ok(await apply({ columns: names }));
  assert.is(result.status, 'partialSuccess');
  assert.equal(
    result.successRequest.map((row: { request: string }) => row.request),
    [fqnOf(staged, 'mail'), fqnOf(mart, 'contact')],
  );
  const failures = new Map(
    result.failedRequest.map((row: { request: string; status: number; message: string }) => [
      row.request,
      [row.status, row.message],
    ]),
  );
  assert.equal(failures.get(fqnOf(mart, 'shown')), [400, `The column carries ${open}, which excludes ${secret}`]);
  assert.match(String(failures.get(fqnOf(mart, 'digest'))), /md5\(mail\)/);
  for (const name of [fqnOf(staged, 'day'), fqnOf(raw, 'mail'), 'nowhere.at.all'])
    assert.equal(failures.get(name), [400, `No column ${name} inherits ${secret}`]);
  assert.equal(
    (await labelsOf(mart, 'shown')).map(({ tagFQN }) => tagFQN),
    [open],
  );
});

test('fields of schemas and charts get labels too', async () => {
  const raw = await world.table('raw', [labelled('mail', secret)]);
  const messaging = await world.make('services/messagingServices', { name: uniqueName('bus'), serviceType: 'Kafka' });
  const topic = await world.make('topics', {
    name: uniqueName('topic'),
    service: messaging.fullyQualifiedName,
    partitions: 1,
    messageSchema: {
      schemaType: 'Avro',
      schemaText: '{}',
      schemaFields: [{ name: 'reader', dataType: 'RECORD', children: [{ name: 'mail', dataType: 'STRING' }] }],
    },
  });
  const boards = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Looker' });
  const chart = await world.make('charts', { name: uniqueName('chart'), service: boards.fullyQualifiedName });
  const board = await world.make('dashboards', {
    name: uniqueName('board'),
    service: boards.fullyQualifiedName,
    charts: [chart.fullyQualifiedName],
  });
  for (const [to, type, name] of [
    [topic, 'topic', 'reader.mail'],
    [board, 'dashboard', chart.name],
  ] as const) {
    const { edge } = edgeBody(raw, to, { columnsLineage: [mapping(raw, ['mail'], to, name)] } as unknown as JsonObject);
    ok(await world.admin.put('/v1/lineage', { edge: { ...edge, toEntity: { id: to.id, type } } }));
  }
  const columns = [fqnOf(topic, 'reader.mail'), fqnOf(board, chart.name)];
  const result = ok(await apply({ columns }));
  assert.equal([result.numberOfRowsPassed, result.failedRequest], [2, []]);
  const { messageSchema } = ok(await world.admin.get(`/v1/topics/${topic.id}?fields=tags`));
  assert.is(messageSchema.schemaFields[0].children[0].tags[0]?.labelType, 'Propagated');
  assert.is(ok(await world.admin.get(`/v1/charts/${chart.id}?fields=tags`)).tags[0]?.tagFQN, secret);
  assert.is(ok(await apply({ columns })).numberOfRowsPassed, 2, 'they agree by now');
});

test('callers need the right to label each record, and never learn of hidden ones', async () => {
  const { staged, mart } = await chainOfTables();
  const names = [fqnOf(staged, 'mail'), fqnOf(mart, 'contact')];
  const reader = await rights.person([{ effect: 'deny', operations: ['EditTags'], resources: ['table'] }]);
  const refused = ok(await apply({ columns: names }, reader));
  assert.equal(
    [refused.status, refused.failedRequest.map((row: { status: number }) => row.status)],
    ['failure', [403, 403]],
  );
  assert.equal(await labelsOf(staged, 'mail'), []);
  ok(
    await world.admin.patch(`/v1/tables/${mart.id}`, [{ op: 'add', path: '/tags', value: [SENSITIVE] }], {
      'content-type': 'application/json-patch+json',
    }),
  );
  const person = await rights.person([HIDING]);
  const hidden = ok(await apply({ columns: names }, person));
  assert.equal(hidden.failedRequest, [
    { request: fqnOf(mart, 'contact'), status: 400, message: `No column ${fqnOf(mart, 'contact')} inherits ${secret}` },
  ]);
  assert.is((await labelsOf(staged, 'mail'))[0]?.labelType, 'Propagated', 'whoever may label may do so here');
  expectRefused(await apply({ scope: mart.fullyQualifiedName }, person), 404);
});

test('reasons do not name what a caller may not see, and stay what they are', async () => {
  const hidden = await world.make('tables', {
    name: uniqueName('hidden'),
    databaseSchema: world.schemaFqn,
    columns: [labelled('mail', secret)],
    tags: [SENSITIVE],
  });
  const staged = await world.table('staged', [column('mail')]);
  await mapColumns(world.admin, hidden, staged, [['mail', 'mail']]);
  ok(await apply({ scope: staged.fullyQualifiedName }));
  const way = [fqnOf(hidden, 'mail'), fqnOf(staged, 'mail')].join(' → ');
  assert.is((await labelsOf(staged, 'mail'))[0]?.reason, way);
  const person = await rights.person([HIDING]);
  for (const path of ['?fields=tags,columns', '/versions'])
    assert.not.match((await person.get(`/v1/tables/${staged.id}${path}`)).text, hidden.name);
  const seen = ok(await person.get(`/v1/tables/${staged.id}?fields=tags,columns`)).columns[0].tags;
  assert.equal(
    seen.map(({ labelType, reason }: Label) => [labelType, reason]),
    [['Propagated', undefined]],
  );
  ok(await person.patch(`/v1/tables/${staged.id}`, [{ op: 'add', path: '/columns/0/tags', value: seen }]));
  assert.is((await labelsOf(staged, 'mail'))[0]?.reason, way, 'sending back what was seen changes nothing');
  const { staged: plain } = await chainOfTables();
  ok(await apply({ scope: plain.fullyQualifiedName }));
  const open = ok(await person.get(`/v1/tables/${plain.id}?fields=tags,columns`)).columns[0].tags;
  assert.match(open[0].reason, ' → ', 'whoever sees the whole way reads it');
});

test('tags that a caller may not see are not named, in no form', async () => {
  const { mart } = await chainOfTables();
  const name = open.slice(open.lastIndexOf('.') + 1);
  const rule = { effect: 'deny' as const, operations: ['ViewAll'], resources: ['tag'], condition: 'noOwner()' };
  const person = await rights.person([rule]);
  const { id } = ok(await world.admin.get(`/v1/tags/name/${secret}`));
  const owners = [{ op: 'add', path: '/owners', value: [{ id: person.id, type: 'user' }] }];
  ok(await world.admin.patch(`/v1/tags/${id}`, owners));
  const shown = fqnOf(mart, 'shown');
  const refused = ok(await apply({ columns: [shown] }, person));
  assert.match(refused.failedRequest[0].message, 'The column carries another tag');
  const query = `tag=${secret}&scope=${mart.fullyQualifiedName}&state=conflicts`;
  for (const accept of ['application/json', 'text/csv']) {
    const { text } = await person.get(`/v1/lineage/propagation?${query}`, { accept });
    assert.match(text, shown);
    assert.not.match(text, `.${name}`);
  }
});

test('what makes no sense is refused', async () => {
  for (const body of [
    { tag: 5 },
    { columns: 'all' },
    { columns: [1] },
    { columns: Array.from({ length: 5001 }, () => 'a.b') },
    { dryRun: 'perhaps' },
    { colour: 'red' },
  ])
    expectRefused(await apply(body as never), 400);
  expectRefused(await world.admin.post('/v1/lineage/propagation/apply', {}), 400);
  expectRefused(await apply({ tag: `${secret}.None` }), 404);
  expectRefused(await apply({ scope: `${world.serviceFqn}.nowhere` }), 404);
  assert.is((await anonymous(world.service).post('/v1/lineage/propagation/apply', { tag: secret })).status, 401);
});

test.run();
