import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { checkContract } from '../../src/cli/contract-check.ts';
import { type CheckReport, REPORT_FORMATTERS } from '../../src/cli/contract-report.ts';
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
  readonly format?: string;
  readonly token?: string;
  readonly send?: SendRequest;
};

/** Checks a file of that name and content; answers the verdict and what was reported. */
const run = async (name: string, content: string, wish: Wish = {}) => {
  const file = join(folder, name);
  await writeFile(file, content);
  const told: string[] = [];
  const verdict = await checkContract({
    server,
    token: await service.token(SYSTEM_PRINCIPAL.name),
    send,
    file,
    entity: table.fullyQualifiedName,
    type: 'table',
    format: 'text',
    report: (text) => told.push(text),
    ...wish,
  });
  return { verdict, told: told.join('\n') };
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
  await fails('a.sql', drop, /--format/, { format: 'html' });
});

test('names from the catalog cannot inject terminal sequences or Markdown', () => {
  const ref = { name: 'a|b\u001b[31m <img>', fullyQualifiedName: 'x.[y](z)\n# h' };
  const found: CheckReport = {
    verdict: 'breaks',
    changes: [{ column: 'c\u202e|`d`', change: 'dropped' }],
    breaks: [{ contract: ref, entity: ref, depth: 2, clause: 'schema.c', reason: 'gone' }],
    affected: { entities: 1, owners: [ref], tests: [] },
  };
  for (const format of ['text', 'markdown'] as const) {
    const told = REPORT_FORMATTERS[format]('e', found, 'whole');
    for (const mark of ['\u001b', '\u202e', '\n# h']) assert.not.ok(told.includes(mark), format);
  }
  const markdown = REPORT_FORMATTERS.markdown('e', found, 'whole');
  assert.not.match(markdown, /<img|[^\\]`d|[^\\]\[y/);
  assert.match(markdown, /a\\\|b/);
  assert.equal(JSON.parse(REPORT_FORMATTERS.json('e', found, 'whole')), found);
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

test('an incomplete check is reported, and its result is unknown unless something breaks', async () => {
  const cut: SendRequest = async (address, init) => {
    const reply = await service.app.hono.request(address, init);
    return new Response(reply.body, { status: reply.status, headers: { 'x-lineage-truncated': 'nodes' } });
  };
  const kept = JSON.stringify([
    { name: 'id', dataType: 'INT' },
    { name: 'amount', dataType: 'DOUBLE' },
  ]);
  for (const format of ['text', 'markdown']) {
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
    [[], /needs one FILE and --entity/],
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
