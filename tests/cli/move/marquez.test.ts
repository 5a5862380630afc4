import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { importMarquez, MARQUEZ } from '../../../src/cli/move/marquez/import-marquez.ts';
import { playInstance, type RecordedInstance } from '../../support/recorded-instance.ts';
import { openService, type Service, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { type RunOptions, runMove } from './run-move.ts';

/**
 * Shows that what a real Marquez 0.51 answered comes over whole: `fixtures/moves/marquez.jsonl` has its answers after it was
 * sent run, job and dataset events and was filled by its own API.
 */

const test = suite('cli: import from Marquez');

const BEANS = 'postgres://beans.roastery.example:5432';
const SERVICE = 'roastery_beans';
const SCHEMA = `${SERVICE}.roastery.public`;
const SHOP = 'openlineage.roastery_shop.default';

let service: Service;
let instance: RecordedInstance;
let folder: string;

const run = (args: readonly string[], options?: RunOptions) =>
  runMove({ other: MARQUEZ, run: importMarquez, instance, service }, ['--page-size', '5', ...args], options);

const stateFile = (name: string) => ['--state', join(folder, name)];

const find = (path: string) => service.admin.get(`/v1/${path}`);

const read = async (path: string) => {
  const { status, json, text } = await find(path);
  assert.is(status, 200, text);
  return json;
};

const named = (collection: string, fqn: string, fields: string) =>
  read(`${collection}/name/${encodeURIComponent(fqn)}?fields=${fields}`);

const tagsOf = ({ tags = [] }: { tags?: readonly { tagFQN: string }[] }) => tags.map(({ tagFQN }) => tagFQN);

/** Everything that could have changed: the state of each record, each edge and each run. */
const readState = async () => {
  const [records, assertions] = await Promise.all([
    service.graph.query(
      `MATCH (n) WHERE (n.fullyQualifiedName CONTAINS 'roastery' OR n.fullyQualifiedName STARTS WITH 'marquezTags')
         AND n.version IS NOT NULL
       RETURN n.fullyQualifiedName AS name, n.entityType AS type, n.version AS version, n.updatedAt AS updatedAt
       ORDER BY name, type`,
      {},
    ),
    service.graph.query(
      `MATCH (s:Assertion), (a {id: s.fromId}) WHERE a.fullyQualifiedName CONTAINS 'roastery'
       RETURN s.id AS id, s.contentJson AS content, s.updatedAt AS updatedAt, s.until AS until ORDER BY id`,
      {},
    ),
  ]);
  assert.ok(records.length > 20 && assertions.length > 10, `${records.length} records, ${assertions.length} edges`);
  return { records, assertions };
};

test.before(async () => {
  service = await openService();
  instance = await playInstance('marquez');
  folder = await mkdtemp(join(tmpdir(), 'tributary-marquez-'));
  const config = { type: 'Postgres', hostPort: 'beans.roastery.example:5432', username: 'reader' };
  const body = { name: SERVICE, serviceType: 'Postgres', connection: { config } };
  assert.is((await service.admin.post('/v1/services/databaseServices', body)).status, 201);
});

test.after(async () => {
  await instance.close();
  await rm(folder, { recursive: true, force: true });
});

test('a dry run reads all and writes nothing', async () => {
  const { code, printed } = await run(['--dry-run', ...stateFile('dry')]);
  assert.is(code, 0);
  assert.match(printed, /^Nothing was written: 46 events would be sent\n3 tags; .*: 6 datasets, 3 jobs, 2 runs\n/);
  assert.is((await find('classifications/name/marquezTags')).status, 404);
  assert.is((await find(`tables/name/${SCHEMA}.batches`)).status, 404);
  const described = JSON.parse((await run(['--dry-run', '--json', ...stateFile('dry')])).printed);
  assert.equal([described.dryRun, described.events, described.accepted], [true, 46, 0]);
});

test('a caller without rights is told so, and nothing is written', async () => {
  const name = uniqueName('reader').toLowerCase();
  await service.admin.put('/v1/users', { name, email: `${name}@example.com` });
  const { code, printed } = await run(stateFile('reader'), { user: name }).catch((failure: Error) => ({
    code: 1,
    printed: failure.message,
  }));
  assert.is(code, 1);
  assert.match(printed, /403|denied|not allowed|permission/i);
  assert.is((await find(`tables/name/${SCHEMA}.batches`)).status, 404);
});

const eventPages = () => instance.asked.filter((path) => path.includes('/events/lineage'));

test('an import that broke off goes on where it stopped', async () => {
  instance.asked.length = 0;
  instance.beBusyOnce();
  instance.hangUpAfter(4);
  const broken = await run(stateFile('state')).then(
    () => '',
    (failure: Error) => failure.message,
  );
  assert.match(broken, /Marquez does not answer at http:.*: is --server its address\?/);
  // The busy instance was asked twice for its first page.
  assert.is(eventPages().length, 4);
  assert.is(new Set(eventPages()).size, 3);
  const done = eventPages().slice(0, -1);
  instance.asked.length = 0;
  instance.hangUpAfter(undefined);
  const { code, printed } = await run(stateFile('state'));
  assert.is(code, 0, printed);
  assert.match(printed, /^Going on after the events of 2026-05-0\dT0\d:00:00\.000Z\.\n/);
  assert.equal(
    eventPages().filter((path) => done.includes(path)),
    [],
  );
});

test('datasets are the tables of their service, with columns, descriptions and tags', async () => {
  const { description, columns, tags } = await named('tables', `${SCHEMA}.batches`, 'tags,columns');
  assert.equal([description, tagsOf({ tags })], ['One row for each batch', ['marquezTags.FINANCE']]);
  assert.equal(
    columns.map((one: Record<string, unknown>) => [one['name'], one['dataType'], one['description'], tagsOf(one)]),
    [
      ['id', 'INT', undefined, []],
      ['origin', 'VARCHAR', 'Country the beans come from', []],
      ['weight_kg', 'NUMERIC', undefined, ['marquezTags.FINANCE']],
      ['roasted_at', 'TIMESTAMP', undefined, []],
    ],
  );
  // An event of a dataset alone, which Marquez does not list among its events.
  const origins = await named('tables', `${SCHEMA}.origins`, 'columns');
  assert.equal(
    [origins.description, origins.columns[0].name, origins.columns[0].description],
    ['Where beans come from', 'country', 'ISO name'],
  );
  // A dataset that was made by Marquez's own API, in a namespace that is no service.
  const customers = await named('tables', `${SHOP}."shop.public.customers"`, 'tags,columns');
  const [, email] = customers.columns;
  assert.equal(
    [customers.description, tagsOf(customers), email.description, tagsOf(email)],
    ['Who buys', ['marquezTags.PERSONAL'], 'Where invoices go', ['marquezTags.PERSONAL']],
  );
});

test('tags keep their descriptions', async () => {
  for (const [name, description] of [
    ['FINANCE', 'Belongs to the books'],
    ['PERSONAL', 'Tells who somebody is'],
    ['UNUSED', 'A tag of Marquez'],
  ]) {
    assert.is((await read(`tags/name/marquezTags.${name}`)).description, description);
  }
});

test('lineage comes with columns, SQL and the job on the edge', async () => {
  const { nodes, downstreamEdges } = await read(`lineage/table/name/${SCHEMA}.batches?downstreamDepth=1`);
  const nameById = new Map(nodes.map(({ id, name }: Record<string, string>) => [id, name]));
  const edges = downstreamEdges.map(({ toEntity, lineageDetails }: Record<string, string>) => ({
    to: nameById.get(toEntity),
    details: lineageDetails,
  }));
  const targets = edges.map(({ to }: { to: string }) => to);
  assert.equal(targets.sort(), ['daily_roasts', 'plans']);
  const { details } = edges.find(({ to }: { to: string }) => to === 'daily_roasts');
  assert.match(details.sqlQuery, /^insert into daily_roasts select/);
  assert.is(details.pipeline.name, 'roastery_etl/nightly.summarize');
  assert.equal(
    details.columnsLineage.map(({ fromColumns, toColumn }: Record<string, unknown>) => [fromColumns, toColumn]).sort(),
    [
      [[`${SCHEMA}.batches.roasted_at`], `${SCHEMA}.daily_roasts.day`],
      [[`${SCHEMA}.batches.weight_kg`], `${SCHEMA}.daily_roasts.weight_kg`],
    ],
  );
});

test('every page of one moment came', async () => {
  const { nodes } = await read(`lineage/table/name/${SCHEMA}.daily_roasts?downstreamDepth=1&upstreamDepth=0`);
  const labels = nodes
    .map(({ name }: Record<string, string>) => name)
    .filter((name: string) => name.startsWith('labels'));
  assert.equal(
    labels.sort(),
    [1, 2, 3, 4, 5, 6, 7].map((at) => `labels/line_${at}`),
  );
});

type RunStatus = {
  readonly executionId: string;
  readonly executionStatus: string;
  readonly error?: { readonly errorMessage: string };
};

const runsOf = async (name: string) => {
  const fqn = encodeURIComponent(`openlineage.${name}`);
  const { data } = await read(`pipelines/${fqn}/status?startTs=0&endTs=1900000000000`);
  return data
    .map(({ executionId, executionStatus, error }: RunStatus) => [
      Number(executionId.slice(-6)),
      executionStatus,
      ...(error === undefined ? [] : [error.errorMessage]),
    ])
    .sort(([one]: [number], [other]: [number]) => one - other);
};

test('runs come with how they ended, also those that no event told of', async () => {
  assert.equal(
    await runsOf('roastery_etl/load_batches'),
    [1, 3, 5, 7, 9, 11].map((id) => [id, 'Successful']),
  );
  assert.equal(await runsOf('"roastery_etl/nightly.summarize"'), [
    [2, 'Successful'],
    [4, 'Successful'],
    [6, 'Failed', 'division by zero'],
    [8, 'Successful'],
    [10, 'Successful'],
    [12, 'Successful'],
  ]);
  assert.equal(await runsOf('roastery_shop/write_invoices'), [
    [500, 'Successful'],
    [501, 'Failed'],
  ]);
});

test('jobs have descriptions, locations, tags and their parents', async () => {
  const load = await named('pipelines', 'openlineage.roastery_etl/load_batches', 'tags');
  assert.equal(
    [load.description, load.pipelineLocation, tagsOf(load)],
    ['Loads what the roasters report', 'https://git.roastery.example/etl/load_batches.py', ['marquezTags.FINANCE']],
  );
  const invoices = await named('pipelines', 'openlineage.roastery_shop/write_invoices', 'tags');
  assert.equal(
    [invoices.description, invoices.pipelineLocation],
    ['Writes an invoice for each customer', 'https://git.roastery.example/shop/write_invoices.py'],
  );
  const nightly = await named('pipelines', 'openlineage.roastery_etl/nightly', 'tasks');
  assert.equal(
    nightly.tasks.map(({ name }: Record<string, string>) => name),
    ['summarize'],
  );
  assert.is((await read('pipelines/name/openlineage.roastery_etl%2Fplan_roasts')).description, 'Plans what is roasted');
});

test('a second run changes nothing, with the state and without it', async () => {
  const before = await readState();
  const again = JSON.parse((await run(['--json', ...stateFile('state')])).printed.replace(/^Going on.*\n/, ''));
  assert.equal([again.refused, again.created], [0, []]);
  assert.ok(again.events < 20, 'run events were sent before');
  assert.equal(await readState(), before);
  const anew = JSON.parse((await run(['--json', ...stateFile('anew')])).printed);
  assert.equal([anew.events, anew.refused, anew.created], [46, 0, []]);
  assert.equal(await readState(), before);
});

test('what has no place here is named, and what Marquez has deleted', async () => {
  const { printed } = await run(stateFile('anew'));
  for (const what of [
    'the description of a namespace (2 times)',
    'the owner of a namespace',
    'the schema location of a stream',
    'the labels of a job',
    'the arguments of a run that no event told of',
  ]) {
    assert.ok(printed.includes(`  ${what}\n`), what);
  }
  assert.match(
    printed,
    /Deleted in Marquez, where events still tell of them\n {2}s3:\/\/roastery-lake labels\/line_7\n/,
  );
  assert.not.match(printed, new RegExp(`match no service\n(?: .*\n)* {2}${BEANS}`));
});

test('the state of another import is refused', async () => {
  await writeFile(join(folder, 'other'), '{"import":"Marquez","from":"http://elsewhere.example","to":"x"}\n');
  const refused = await run(stateFile('other')).then(
    () => '',
    (failure: Error) => failure.message,
  );
  assert.match(refused, /other is of another import: name another file by --state, or delete it to begin anew$/);
});

test('the import asks Marquez for nothing that was not recorded', () => {
  assert.equal(instance.missing, []);
});

test.run();
