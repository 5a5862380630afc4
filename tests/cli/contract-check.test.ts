import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { checkProposal } from '../../src/cli/contract-check.ts';
import { judgeContract } from '../../src/cli/contract-judgement.ts';
import {
  type CheckReport,
  type ContractReport,
  REPORT_FORMATTERS,
  type ReportFormat,
  verdictOf,
} from '../../src/cli/contract-report.ts';
import type { SendRequest } from '../../src/cli/service-client.ts';
import { StartupError } from '../../src/errors.ts';
import { ok } from '../support/expect.ts';
import { TRIBUTARY } from '../support/program.ts';
import { createQualityTests } from '../support/quality-tests.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that `tributary contract check` reads proposals and reports in every format. */

const test = suite('cli: contract check');

const server = 'http://catalog.example';

let service: Service;
let folder: string;
let table: CreatedRecord;

const send: SendRequest = async (address, init) => service.app.hono.request(address, init);

test.before(async () => {
  service = await openService();
  folder = await mkdtemp(join(tmpdir(), 'tributary-check-'));
  table = await createQualityTests(service).table();
  const schema = [{ name: 'amount', dataType: 'DOUBLE' }];
  const entity = { id: table.id, type: 'table' };
  ok(await service.admin.post('/v1/dataContracts', { name: uniqueName('contract'), entity, schema }), 201);
});

test.after(() => rm(folder, { recursive: true, force: true }));

type Wish = {
  readonly file?: string;
  readonly type?: string;
  readonly format?: ReportFormat;
  readonly token?: string;
  readonly send?: SendRequest;
};

const remote = async (wish: Pick<Wish, 'token' | 'send'> = {}) => ({
  server,
  token: wish.token ?? (await service.token(SYSTEM_PRINCIPAL.name)),
  send: wish.send ?? send,
});

const show = (report: ContractReport, format: ReportFormat = 'text', width = Number.POSITIVE_INFINITY) => ({
  verdict: verdictOf(report),
  told: REPORT_FORMATTERS[format](report, width),
});

/** Checks a file of that name and content; answers the verdict and what was reported. */
const run = async (name: string, content: string, wish: Wish = {}) => {
  const file = wish.file ?? join(folder, name);
  await writeFile(join(folder, name), content);
  const entity = table.fullyQualifiedName;
  return show(await checkProposal(await remote(wish), { file, entity, type: wish.type ?? 'table' }), wish.format);
};

const fails = async (name: string, content: string, message: RegExp, wish?: Wish): Promise<void> => {
  const failure = await run(name, content, wish).then(
    () => assert.unreachable(`${name} was checked`),
    (reason: unknown) => reason,
  );
  assert.instance(failure, StartupError);
  assert.match((failure as Error).message, message);
};

test('statements, column lists and documents are distinguished by file name', async () => {
  const sql = await run('change.sql', 'ALTER TABLE t DROP COLUMN amount;');
  assert.is(sql.verdict, 'breaks');
  assert.match(sql.told, /breaks 1 clause of contracts/);
  assert.match(sql.told, /dropped +amount +DOUBLE/);
  assert.match(sql.told, /here: .*\n.*schema\.amount: column amount is dropped/);
  const columns = [
    { name: 'id', dataType: 'INT' },
    { name: 'amount', dataType: 'DOUBLE' },
  ];
  assert.is((await run('columns.json', JSON.stringify(columns))).verdict, 'ok');
  assert.is((await run('table.json', JSON.stringify({ columns: columns.slice(0, 1) }))).verdict, 'breaks');
  const odcs = `apiVersion: v3.1.0
kind: DataContract
id: x
version: 1.0.0
status: active
schema:
  - name: x
    properties: [{ name: id, logicalType: integer }]
`;
  for (const name of ['x.yaml', 'x.yml']) assert.is((await run(name, odcs)).verdict, 'breaks');
});

test('the report is plain text, JSON or Markdown', async () => {
  const drop = 'ALTER TABLE t DROP COLUMN amount';
  const json = JSON.parse((await run('a.sql', drop, { format: 'json' })).told) as CheckReport;
  assert.equal([json.verdict, json.breaks.length, json.changes[0]?.column], ['breaks', 1, 'amount']);
  const markdown = (await run('a.sql', drop, { format: 'markdown' })).told;
  assert.match(markdown, /^## .* breaks 1 clause of contracts\n/);
  assert.match(markdown, /\| amount \| dropped \| DOUBLE \| {2}\|/);
});

test('names from the catalog cannot inject terminal sequences or Markdown', () => {
  const ref = { id: 'x', name: 'a|b\u001b[31m <img>', fullyQualifiedName: 'x.[y](z)\n# h' };
  const found: CheckReport = {
    verdict: 'breaks',
    changes: [{ column: 'c\u202e|`d`', change: 'dropped' }],
    breaks: [{ contract: ref, entity: ref, depth: 2, clause: 'schema.c', reason: 'gone' }],
    affected: { entities: 1, owners: [ref], tests: [], assets: [] },
  };
  const report = { subject: 'e', found, gaps: [], remarks: [ref.name] };
  for (const format of ['text', 'markdown'] as const) {
    const told = show(report, format).told;
    for (const mark of ['\u001b', '\u202e', '\n# h']) assert.not.ok(told.includes(mark), format);
  }
  const markdown = show(report, 'markdown').told;
  assert.not.match(markdown, /<img|[^\\]`d|[^\\]\[y/);
  assert.match(markdown, /a\\\|b/);
  assert.equal(JSON.parse(show(report, 'json').told), found);
});

test('whatever prevents a check is reported in one sentence', async () => {
  await fails('a.txt', 'x', /must end with \.sql/);
  await fails('a.json', '{', /a\.json/);
  await fails('a.json', '{"x": 1}', /list of columns/);
  await fails('a.sql', 'SELECT 1', /answered 400/);
  await fails('a.sql', 'DROP TABLE x', /answered 401/, { token: 'wrong' });
  await fails('a.sql', 'DROP TABLE x', /answered 404/, { type: 'topic' });
  const nobody: SendRequest = () => Promise.reject(new TypeError('fetch failed'));
  await fails('a.sql', 'DROP TABLE x', /No service answers/, { send: nobody });
  const missing = { file: join(folder, 'none.sql') };
  await fails('a.sql', 'x', /none\.sql cannot be read/, missing);
});

test('a document is judged as the contract of the asset, and names what is affected downstream', async () => {
  const tests = createQualityTests(service);
  const [from, to] = [await tests.table(), await tests.table()];
  const owner = ok(await service.admin.post('/v1/teams', { name: uniqueName('readers'), teamType: 'Group' }), 201);
  ok(await service.admin.patch(`/v1/tables/${to.id}`, { owners: [{ id: owner.id, type: 'team' }] }));
  const edge = {
    fromEntity: { id: from.id, type: 'table' },
    toEntity: { id: to.id, type: 'table' },
    lineageDetails: {
      columnsLineage: [
        { fromColumns: [`${from.fullyQualifiedName}.amount`], toColumn: `${to.fullyQualifiedName}.amount` },
      ],
    },
  };
  ok(await service.admin.put('/v1/lineage', { edge }));
  const odcs = (column: string) => `apiVersion: v3.1.0
kind: DataContract
id: x
version: 1.0.0
status: active
schema:
  - name: x
    properties:
      - { name: id, logicalType: integer }
      - { name: ${column}, logicalType: number }
      - { name: address, logicalType: object }
`;
  const check = async (column: string, format?: ReportFormat) => {
    const file = join(folder, 'proposed.yaml');
    await writeFile(file, odcs(column));
    const change = { file, entity: from.fullyQualifiedName, type: 'table' };
    return show(await checkProposal(await remote(), change), format);
  };
  const kept = await check('amount');
  assert.equal([kept.verdict, /no changes/.test(kept.told)], ['ok', true], kept.told);
  const lost = await check('total');
  assert.is(lost.verdict, 'breaks', 'the asset has no column total');
  assert.match(lost.told, /breaks no contract, and the document has 1 fault\n/);
  assert.match(lost.told, /faults of the document\n.*unknown column total/);
  assert.match(lost.told, new RegExp(`1 owner to ask \\(${owner.name}\\)`));
  assert.match(lost.told, new RegExp(`^certain +${to.fullyQualifiedName} +${owner.name}`, 'm'));
  assert.match((await check('total', 'markdown')).told, /\| certain \| /);
  const json = JSON.parse((await check('total', 'json')).told) as CheckReport;
  assert.equal([json.document?.valid, json.affected.assets.length], [false, 1]);
});

test('the contract of an asset is judged by its name, and what fails is named with whom it affects', async () => {
  const tests = createQualityTests(service);
  const [from, to] = [await tests.table(), await tests.table()];
  const check = await tests.test(from, 'amount');
  const owner = ok(await service.admin.post('/v1/teams', { name: uniqueName('writers'), teamType: 'Group' }), 201);
  ok(await service.admin.patch(`/v1/tables/${from.id}`, { owners: [{ id: owner.id, type: 'team' }] }));
  const edge = { fromEntity: { id: from.id, type: 'table' }, toEntity: { id: to.id, type: 'table' } };
  ok(await service.admin.put('/v1/lineage', { edge }));
  const judge = async (name = from.fullyQualifiedName, type: string | undefined = 'table', format?: ReportFormat) =>
    show(await judgeContract(await remote(), name, type), format);
  await judge().then(
    () => assert.unreachable('there is no contract'),
    (failure: unknown) => assert.match(String(failure), /answered 404/),
  );
  const contract = ok(
    await service.admin.post('/v1/dataContracts', {
      name: uniqueName('contract'),
      entity: { id: from.id, type: 'table' },
      schema: [
        { name: 'id', dataType: 'INT' },
        { name: 'amount', dataType: 'DOUBLE' },
      ],
      qualityExpectations: [{ id: check.id, type: 'testCase' }],
    }),
    201,
  );
  const waiting = await judge();
  assert.is(waiting.verdict, 'unknown');
  assert.match(
    waiting.told,
    /keeps its contract as far as was looked\n1 of 1 tests of the contract have no result yet/,
  );
  const finish = async (testCaseStatus: string) =>
    ok(
      await service.admin.post(
        `/v1/dataQuality/testCases/testCaseResults/${encodeURIComponent(check.fullyQualifiedName)}`,
        { timestamp: Date.now(), testCaseStatus, result: '3 rows have no amount' },
      ),
      201,
    );
  await finish('Success');
  assert.equal(await judge(), { verdict: 'ok', told: `${from.fullyQualifiedName}: keeps its contract` });
  await finish('Failed');
  ok(await service.admin.patch(`/v1/tables/${from.id}`, { columns: [{ name: 'amount', dataType: 'DOUBLE' }] }));
  const broken = await judge();
  assert.is(broken.verdict, 'breaks');
  assert.match(broken.told, /fails 2 clauses of its contract\n/);
  assert.match(broken.told, new RegExp(`${contract.name}, schema\\.id: the asset has no column id`));
  assert.match(broken.told, new RegExp(`quality\\.${check.name}: the test is Failed: 3 rows have no amount`));
  assert.match(broken.told, new RegExp(`1 owner to ask \\(${owner.name}\\)`));
  assert.match(broken.told, new RegExp(`^possible +${to.fullyQualifiedName}`, 'm'));
  const json = JSON.parse((await judge(undefined, undefined, 'json')).told);
  assert.equal(
    [json.verdict, json.contract.id, json.result.contractExecutionStatus],
    ['breaks', contract.id, 'Failed'],
  );
  assert.equal((await judge(contract.fullyQualifiedName, 'dataContract')).verdict, 'breaks');
});

test('an incomplete check is reported, and its result is unknown unless something breaks', async () => {
  const cut: SendRequest = async (address, init) => {
    const reply = await service.app.hono.request(address, init);
    return new Response(reply.body, { status: reply.status, headers: { 'x-lineage-truncated': 'nodes' } });
  };
  const kept = JSON.stringify([
    { name: 'id', dataType: 'INT' },
    { name: 'amount', dataType: 'DOUBLE' },
  ]);
  for (const format of ['text', 'markdown'] as const) {
    const fine = await run('columns.json', kept, { send: cut, format });
    assert.is(fine.verdict, 'unknown');
    assert.match(fine.told, /breaks no contract as far as was looked\n/);
    assert.match(fine.told, /Not everything downstream could be looked at/);
  }
  const json = await run('columns.json', kept, { send: cut, format: 'json' });
  assert.is(JSON.parse(json.told).isPartial, true);
  const broken = await run('a.sql', 'ALTER TABLE t DROP COLUMN amount', { send: cut });
  assert.is(broken.verdict, 'breaks', 'what breaks does so whatever else there is');
  assert.match(broken.told, /Not everything downstream/);
  const whole = await run('columns.json', kept);
  assert.not.match(whole.told, /Not everything|as far as/);
});

/** The command itself, with a home that no service has. */
const command = (...args: readonly string[]): Promise<{ readonly code: unknown; readonly stderr: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, TRIBUTARY_HOME: folder };
    execFile(process.execPath, [TRIBUTARY, 'contract', 'check', ...args], { env }, (error, _out, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });

test('the command exits with 2 when nothing could be checked', async () => {
  const unreachable = ['a.sql', '--entity', 'a.b', '--server', 'http://127.0.0.1:1', '--token', 't'];
  await writeFile(join(folder, 'a.sql'), 'DROP TABLE x');
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /takes FQN\|FILE/],
    [[join(folder, 'a.sql')], /a\.sql is a file: name the asset that it is about by --entity/],
    [['a.b'], /no admin token/],
    [['a.sql', '--nonsense'], /--nonsense/],
    [['a.sql', '--entity', 'a.b'], /no admin token/],
    [[join(folder, 'a.sql'), ...unreachable.slice(1)], /No service answers/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await command(...args);
    assert.is(code, 2, args.join(' '));
    assert.match(stderr, message);
  }
});

test.run();
