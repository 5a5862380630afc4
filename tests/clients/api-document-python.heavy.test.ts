import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { startService } from '../support/prepared-home.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';
import { ENVIRONMENTS } from './environments.ts';
import { type Run, runModule, runProgram } from './python.ts';

/**
 * Shows that a published generator makes a Python client of the API document, that a type checker accepts it, and that a
 * program uses every lineage operation by it.
 */

const test = suite('clients: Python client generated from the API document');

const HERE = dirname(fileURLToPath(import.meta.url));
const PACKAGE = 'tributary_client';
const PROGRAM = 'openapi_client.py';

/** The generator knows JSON, forms and bytes only, so texts of other types are bytes to it. */
const CONFIG = `content_type_overrides:
${[
  'text/plain',
  'text/csv',
  'application/yaml',
  'application/x-yaml',
  'text/yaml',
  'text/x-yaml',
  'application/x-ndjson',
  '*/*',
]
  .map((type) => `  '${type}': application/octet-stream\n`)
  .join('')}post_hooks: []
`;

const provided = await ENVIRONMENTS.openApiClient();

let folder = '';
let home = '';
let service: ServiceProcess;
let token = '';
let lineageOperations = 0;

const expectRun = ({ code, output }: Run): string => {
  assert.is(code, 0, output.slice(-3000));
  return output;
};

const put = async (path: string, body: JsonObject): Promise<void> => {
  const answer = await service.ask(path, { method: 'PUT', body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.text()}`);
};

const makeTables = async (): Promise<void> => {
  await put('/v1/services/databaseServices', { name: 'pg', serviceType: 'Postgres' });
  await put('/v1/databases', { name: 'shop', service: 'pg' });
  await put('/v1/databaseSchemas', { name: 'public', database: 'pg.shop' });
  for (const name of ['orders', 'daily'])
    await put('/v1/tables', { name, databaseSchema: 'pg.shop.public', columns: [{ name: 'id', dataType: 'INT' }] });
};

if ('missing' in provided) {
  test.skipped('a Python client generated from the API document', provided.missing);
  test('a skipped run has a reason', () => assert.ok(provided.missing.length > 0));
} else {
  test.before(async () => {
    home = await mkdtemp(join(tmpdir(), 'tributary-generated-'));
    service = await startService(home);
    token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
    folder = await mkdtemp(join(tmpdir(), 'tributary-client-'));
    const document = (await (await service.ask('/openapi.json')).json()) as JsonObject;
    const paths = document['paths'] as Readonly<Record<string, JsonObject>>;
    lineageOperations = Object.entries(paths)
      .filter(([path]) => /^\/v1\/(open)?lineage(\/|$)/.test(path))
      .flatMap(([, item]) => Object.keys(item)).length;
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
    await writeFile(join(folder, 'config.yaml'), CONFIG);
    await copyFile(join(HERE, PROGRAM), join(folder, PROGRAM));
  });

  test.after(async () => {
    await stopServiceProcess(service, 'SIGTERM');
    await rm(home, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });

  test('the generator leaves nothing out: it warns of nothing', async () => {
    const args = ['generate', '--path', 'openapi.json', '--config', 'config.yaml', '--meta', 'none'];
    const options = { cwd: folder, env: {} };
    const run = await runProgram(
      provided.folder,
      'openapi-python-client',
      [...args, '--output-path', PACKAGE, '--fail-on-warning'],
      options,
    );
    const output = expectRun(run);
    assert.not.match(output, /warning|unable|error/i);
    const modules = (await readdir(join(folder, PACKAGE, 'api', 'lineage'))).filter((name) => !name.startsWith('__'));
    assert.is(modules.length, lineageOperations);
    assert.ok(lineageOperations >= 44, `${lineageOperations} operations`);
  });

  test('a program that uses every lineage operation passes a type checker', async () => {
    const args = ['--strict', '--follow-imports=silent', '--no-error-summary', PROGRAM];
    expectRun(await runModule(provided.python, 'mypy', args, folder));
  });

  test('the program runs against the service', async () => {
    await makeTables();
    const args = [PROGRAM, service.address, token, 'pg.shop.public.orders', 'pg.shop.public.daily'];
    const output = expectRun(await runProgram(provided.folder, 'python', args, { cwd: folder, env: {} }));
    assert.is(JSON.parse(output).used, lineageOperations);
  });
}

test.run();
