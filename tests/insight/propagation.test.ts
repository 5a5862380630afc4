import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { column, edgeBody, type Made, mapping, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { fqnOf, type LabelEdge, labelled, makeClassification, mapColumns as mapAlong } from './label-fixture.ts';

/** Shows which columns inherit a tag from those that they are made from. */

const test = suite('insight: labels along columns');

let world: World;
let rights: RightsFactory;
let classification: string;
let secret: string;
let open: string;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  classification = await makeClassification(world, { mutuallyExclusive: true });
  secret = `${classification}.Secret`;
  open = `${classification}.Open`;
});

type Row = {
  readonly column: { readonly fullyQualifiedName: string; readonly name: string; readonly entity: Made };
  readonly state: string;
  readonly label: { readonly tagFQN: string; readonly labelType: string; readonly reason?: string };
  readonly sources: readonly { readonly fullyQualifiedName: string }[];
  readonly paths: readonly (readonly string[])[];
  readonly reason: string;
  readonly blockedBy: { readonly from: string; readonly to: string; readonly function: string } | null;
  readonly conflictsWith: readonly { readonly tagFQN: string }[];
  readonly confidence: number;
};

const ask = async (query = '', client: Client = world.admin) =>
  ok(await client.get(`/v1/lineage/propagation?tag=${secret}&scope=${world.schemaFqn}${query}`)) as unknown as {
    readonly data: readonly Row[];
    readonly paging: { readonly total: number; readonly after?: string };
    readonly summary: Readonly<Record<string, number>>;
  };

/** What is found about the columns of some tables. */
const rowsOf = async (tables: readonly Made[], client?: Client): Promise<ReadonlyMap<string, Row>> => {
  const { data } = await ask('&limit=1000', client);
  const within = ({ column: { entity } }: Row) => tables.some(({ id }) => id === entity.id);
  return new Map(data.filter(within).map((row) => [row.column.fullyQualifiedName, row]));
};

const mapColumns = (...edge: LabelEdge): Promise<void> => mapAlong(world.admin, ...edge);

test('columns made from a labelled one inherit its label, each with the way as its reason', async () => {
  const raw = await world.table('raw', [labelled('mail', secret), column('day')]);
  const staged = await world.table('staged', [column('mail'), column('day')]);
  const mart = await world.table('mart', [labelled('contact', secret), labelled('shown', open), column('day')]);
  await mapColumns(raw, staged, [
    ['mail', 'mail'],
    ['day', 'day'],
  ]);
  await mapColumns(staged, mart, [
    ['mail', 'contact', 'lower(mail)'],
    ['mail', 'shown'],
    ['day', 'day'],
  ]);
  const rows = await rowsOf([raw, staged, mart]);
  const [mail, contact, shown] = [fqnOf(staged, 'mail'), fqnOf(mart, 'contact'), fqnOf(mart, 'shown')];
  assert.equal([...rows.keys()].sort(), [mail, contact, shown].sort(), 'the source and what has no label are no rows');
  const missing = rows.get(mail);
  assert.equal(
    [missing?.state, missing?.label.labelType, missing?.label.reason, missing?.confidence, missing?.blockedBy],
    ['missing', 'Propagated', `${fqnOf(raw, 'mail')} → ${mail}`, 1, null],
  );
  assert.equal(missing?.column, {
    fullyQualifiedName: mail,
    name: 'mail',
    entity: { ...missing?.column.entity, id: staged.id, type: 'table', fullyQualifiedName: staged.fullyQualifiedName },
  });
  const agrees = rows.get(contact);
  assert.equal([agrees?.state, agrees?.label.labelType, agrees?.label.reason], ['agrees', 'Manual', undefined]);
  assert.equal(agrees?.paths, [[fqnOf(raw, 'mail'), mail, contact]]);
  assert.equal(
    agrees?.sources.map((one) => one.fullyQualifiedName),
    [fqnOf(raw, 'mail')],
  );
  const conflict = rows.get(shown);
  assert.equal([conflict?.state, conflict?.conflictsWith.map(({ tagFQN }) => tagFQN)], ['conflicts', [open]]);
  assert.is(conflict?.reason, `${fqnOf(raw, 'mail')} → ${mail} → ${shown}`);
});

test('functions that hide what they read, and columns with the stop, keep labels from passing', async () => {
  const raw = await world.table('raw', [labelled('mail', secret), labelled('own', secret, 'Lineage.PropagationStop')]);
  const safe = await world.table('safe', [
    column('digest'),
    column('salted'),
    column('both'),
    labelled('clean', 'Lineage.PropagationStop'),
    column('fromOwn'),
    column('hashed'),
  ]);
  const end = await world.table('end', [column('digest'), column('clean')]);
  await mapColumns(raw, safe, [
    ['mail', 'digest', 'SHA256 (mail)'],
    ['mail', 'hashed', 'hashed_lookup(mail)'],
    ['mail', 'salted', 'md5(mail)'],
    ['mail', 'both', 'md5(mail)'],
    ['mail', 'both', 'upper(mail)'],
    ['mail', 'clean'],
    ['own', 'fromOwn'],
  ]);
  ok(
    await world.admin.put(
      '/v1/lineage',
      edgeBody(raw, safe, {
        source: 'QueryLineage',
        columnsLineage: [mapping(raw, ['mail'], safe, 'salted', { function: 'concat(mail)' })],
      } as unknown as JsonObject),
    ),
  );
  await mapColumns(safe, end, [
    ['digest', 'digest'],
    ['clean', 'clean'],
  ]);
  const rows = await rowsOf([safe, end]);
  const stateOf = (table: Made, name: string) => rows.get(fqnOf(table, name))?.state;
  assert.is(stateOf(safe, 'both'), 'missing', 'one of two mappings passes it on');
  assert.is(stateOf(safe, 'hashed'), 'missing', 'a function whose name only begins alike does not block');
  assert.equal([stateOf(safe, 'salted'), rows.get(fqnOf(safe, 'salted'))?.confidence], ['missing', 0.8]);
  const mail = fqnOf(raw, 'mail');
  const hash = { from: mail, to: fqnOf(safe, 'digest'), function: 'SHA256 (mail)' };
  assert.equal(
    [rows.get(fqnOf(safe, 'digest')), rows.get(fqnOf(end, 'digest'))].map((row) => [row?.state, row?.blockedBy]),
    [
      ['blocked', hash],
      ['blocked', hash],
    ],
  );
  const stop = { from: mail, to: fqnOf(safe, 'clean'), function: 'Lineage.PropagationStop' };
  assert.equal(
    [rows.get(fqnOf(safe, 'clean')), rows.get(fqnOf(end, 'clean'))].map((row) => [row?.state, row?.blockedBy]),
    [
      ['blocked', stop],
      ['blocked', stop],
    ],
  );
  const own = fqnOf(raw, 'own');
  assert.equal(rows.get(fqnOf(safe, 'fromOwn'))?.blockedBy, {
    from: own,
    to: own,
    function: 'Lineage.PropagationStop',
  });
});

test('a source on a cycle does not inherit from itself, and does from another', async () => {
  const [a, b] = [await world.table('a', [labelled('x', secret)]), await world.table('b', [column('x')])];
  await mapColumns(a, b, [['x', 'x']]);
  await mapColumns(b, a, [['x', 'x']]);
  assert.equal([...(await rowsOf([a, b])).keys()], [fqnOf(b, 'x')]);
  const other = await world.table('other', [labelled('x', secret)]);
  await mapColumns(other, b, [['x', 'x']]);
  const rows = await rowsOf([a, b]);
  assert.is(rows.get(fqnOf(a, 'x'))?.state, 'agrees');
  assert.equal(rows.get(fqnOf(a, 'x'))?.paths, [[fqnOf(other, 'x'), fqnOf(b, 'x'), fqnOf(a, 'x')]]);
});

test('a propagated label agrees and is no source', async () => {
  const propagated = { tagFQN: secret, source: 'Classification', labelType: 'Propagated', state: 'Confirmed' };
  const raw = await world.table('raw', [labelled('x', secret)]);
  const copy = await world.table('copy', [column('x', { tags: [propagated] }), column('lone', { tags: [propagated] })]);
  const end = await world.table('end', [column('lone')]);
  await mapColumns(raw, copy, [['x', 'x']]);
  await mapColumns(copy, end, [['lone', 'lone']]);
  const rows = await rowsOf([raw, copy, end]);
  assert.equal(
    [...rows].map(([name, { state, label }]) => [name, state, label.labelType]),
    [[fqnOf(copy, 'x'), 'agrees', 'Propagated']],
  );
});

test('charts of dashboards stand for its columns', async () => {
  const raw = await world.table('raw', [labelled('x', secret)]);
  const service = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Looker' });
  const chart = await world.make('charts', { name: uniqueName('chart'), service: service.fullyQualifiedName });
  const dashboard = await world.make('dashboards', {
    name: uniqueName('board'),
    service: service.fullyQualifiedName,
    charts: [chart.fullyQualifiedName],
  });
  const body = edgeBody(raw, dashboard, {
    columnsLineage: [mapping(raw, ['x'], dashboard, chart.name)],
  } as unknown as JsonObject);
  ok(
    await world.admin.put('/v1/lineage', { edge: { ...body.edge, toEntity: { id: dashboard.id, type: 'dashboard' } } }),
  );
  const { data } = ok(
    await world.admin.get(`/v1/lineage/propagation?tag=${secret}&scope=${dashboard.fullyQualifiedName}`),
  ) as unknown as { readonly data: readonly Row[] };
  assert.equal(
    data.map((row) => [row.column.fullyQualifiedName, row.column.entity.id, row.state]),
    [[`${dashboard.fullyQualifiedName}.${chart.name}`, dashboard.id, 'missing']],
  );
});

test('what a caller may not see is neither named, counted nor walked through', async () => {
  const hide = (name: string, columns: readonly JsonObject[]) =>
    world.make('tables', {
      name: uniqueName(name),
      databaseSchema: world.schemaFqn,
      columns,
      tags: [SENSITIVE],
    } as never);
  const [raw, end] = [await world.table('raw', [labelled('x', secret)]), await world.table('end', [column('x')])];
  const between = await hide('between', [column('x')]);
  const origin = await hide('origin', [labelled('x', secret)]);
  const target = await world.table('target', [column('x')]);
  await mapColumns(raw, between, [['x', 'x']]);
  await mapColumns(between, end, [['x', 'x']]);
  await mapColumns(origin, target, [['x', 'x']]);
  assert.is((await rowsOf([between, end, target])).size, 3);
  const person = await rights.person([HIDING]);
  assert.is((await rowsOf([between, end, target], person)).size, 0);
  const [everything, allowed] = [await ask(), await ask('', person)];
  assert.is(everything.summary['sources'], Number(allowed.summary['sources']) + 2, 'raw has nothing left to tell of');
  assert.not.match(JSON.stringify(await ask('&limit=1000', person)), between.name);
  expectRefused(await person.get(`/v1/lineage/propagation?tag=${secret}&scope=${between.fullyQualifiedName}`), 404);
});

test('states, scopes and pages choose rows, and the summary tells of all', async () => {
  const all = await ask('&limit=1000');
  const states = ['missing', 'agrees', 'conflicts', 'blocked'];
  for (const state of states) {
    const found = await ask(`&limit=1000&state=${state}`);
    assert.equal(
      found.data,
      all.data.filter((row) => row.state === state),
    );
    assert.equal([found.paging.total, found.summary], [found.data.length, all.summary]);
    assert.is(all.summary[state], found.data.length);
    assert.ok(found.data.length > 0, state);
  }
  const two = await ask('&limit=1000&state=missing,blocked');
  assert.is(two.data.length, Number(all.summary['missing']) + Number(all.summary['blocked']));
  const names = all.data.map((row) => row.column.fullyQualifiedName);
  assert.equal(names, [...names].sort());
  const paged: Row[] = [];
  for (let after = ''; ; ) {
    const page = await ask(`&limit=3${after}`);
    paged.push(...page.data);
    assert.is(page.paging.total, all.data.length);
    if (page.paging.after === undefined) break;
    after = `&after=${page.paging.after}`;
  }
  assert.equal(paged, all.data);
  const first = all.data[0] as Row;
  const scope = first.column.entity.fullyQualifiedName;
  const below = ok(
    await world.admin.get(`/v1/lineage/propagation?tag=${secret}&scope=${scope}`),
  ) as unknown as typeof all;
  assert.equal(
    below.data,
    all.data.filter(({ column: { entity } }) => entity.fullyQualifiedName === scope),
  );
  const shallow = await ask('&maxDepth=1&limit=1000');
  assert.ok(shallow.data.every(({ paths }) => paths.every(({ length }) => length === 2)));
  assert.ok(shallow.data.length > 0 && shallow.data.length < all.data.length);
});

test('the list is also answered as CSV', async () => {
  const path = `/v1/lineage/propagation?tag=${secret}&scope=${world.schemaFqn}&limit=5`;
  const reply = await world.admin.get(path, { accept: 'text/csv' });
  assert.is(reply.status, 200);
  assert.match(reply.headers.get('content-type') ?? '', 'text/csv');
  const [head, ...lines] = reply.text.trim().split('\r\n');
  assert.is(head, 'column,entityType,tag,state,reason,blockedBy,conflictsWith,confidence');
  const page = ok(await world.admin.get(path)) as unknown as Awaited<ReturnType<typeof ask>>;
  assert.equal(
    lines.map((line) => line.split(',').slice(0, 4)),
    page.data.map((row) => [row.column.fullyQualifiedName, 'table', secret, row.state]),
  );
  assert.is(reply.headers.get('x-next-after'), page.paging.after);
});

test('what makes no sense is refused', async () => {
  const get = (query: string) => world.admin.get(`/v1/lineage/propagation?${query}`);
  for (const query of [
    '',
    `tag=${secret}&state=good`,
    `tag=${secret}&maxDepth=0`,
    `tag=${secret}&maxDepth=51`,
    `tag=${secret}&limit=1001`,
    `tag=${secret}&limit=0`,
    `tag=${secret}&after=nonsense`,
    `tag=${secret}&colour=red`,
  ])
    expectRefused(await get(query), 400);
  for (const query of [`tag=${classification}.None`, 'tag=nowhere', `tag=${secret}&scope=${world.serviceFqn}.nowhere`])
    expectRefused(await get(query), 404);
  assert.is((await anonymous(world.service).get(`/v1/lineage/propagation?tag=${secret}`)).status, 401);
});

test.run();
