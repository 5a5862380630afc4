import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { anonymous, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows what connectors are told to try when they test the connection of a service. */

const test = suite('connections: definitions of connection tests');

const PATH = '/v1/services/testConnectionDefinitions';

let service: Service;
test.before(async () => {
  service = await openService();
});

type Step = { readonly name: string; readonly mandatory: boolean; readonly shortCircuit: boolean };

const stepsOf = async (type: string): Promise<readonly Step[]> =>
  ok(await service.admin.get(`${PATH}/name/${type}.testConnectionDefinition`)).steps;

test('every type of every service has a definition with steps that begin with the gate', async () => {
  const types = service.app.engine.registry.kinds.flatMap(({ connectionSteps = {} }) => Object.keys(connectionSteps));
  assert.ok(types.length > 120, `${types.length} types`);
  const { data, paging } = ok(await service.admin.get(`${PATH}?limit=1000`));
  assert.equal(data.map(({ name }: { name: string }) => name).sort(), [...new Set(types)].sort());
  assert.is(paging.total, types.length);
  for (const { name, steps } of data) {
    const [gate, ...others] = steps;
    assert.equal([gate.shortCircuit, gate.mandatory, gate.category], [true, true, 'ConnectionGate'], name);
    for (const step of others) assert.equal([step.shortCircuit, step.category], [false, 'Capability'], name);
    assert.is(new Set(steps.map((step: Step) => step.name)).size, steps.length, `${name} tries a step twice`);
  }
});

test('a type tries what its connector knows, and only what is needed is mandatory', async () => {
  const mandatory = (steps: readonly Step[]) => steps.filter((step) => step.mandatory).map(({ name }) => name);
  const sqlite = await stepsOf('SQLite');
  assert.equal(
    sqlite.map(({ name }) => name),
    ['CheckAccess', 'GetSchemas', 'GetTables', 'GetViews'],
  );
  assert.equal(mandatory(sqlite), ['CheckAccess', 'GetSchemas', 'GetTables']);
  assert.equal(mandatory(await stepsOf('Kafka')), ['GetTopics']);
  assert.ok((await stepsOf('Snowflake')).some(({ name }) => name === 'GetAccessHistory'));
});

test('a definition is found by its name, the name of its type and its lasting id', async () => {
  const named = ok(await service.admin.get(`${PATH}/name/Postgres`));
  assert.equal(ok(await service.admin.get(`${PATH}/name/Postgres.testConnectionDefinition`)), named);
  assert.equal(ok(await service.admin.get(`${PATH}/${named.id}`)), named);
  assert.equal(ok(await service.admin.get(named.href.slice(named.href.indexOf('/v1')))), named);
  assert.match(named.id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expectRefused(await service.admin.get(`${PATH}/name/Nothing.testConnectionDefinition`), 404, /Nothing/);
  expectRefused(await service.admin.get(`${PATH}/00000000-0000-4000-8000-000000000000`), 404);
});

test('pages of the list follow each other', async () => {
  const names: string[] = [];
  let after = '';
  do {
    const page = ok(await service.admin.get(`${PATH}?limit=50${after && `&after=${after}`}`));
    names.push(...page.data.map(({ name }: { name: string }) => name));
    after = page.paging.after ?? '';
  } while (after);
  assert.equal(names, [...new Set(names)].sort());
  assert.is(names.length, ok(await service.admin.get(`${PATH}?limit=0`)).paging.total);
  expectRefused(await service.admin.get(`${PATH}?limit=x`), 400, /limit/);
  expectRefused(await service.admin.get(`${PATH}?after=%21`), 400, /cursor/i);
  expectRefused(await anonymous(service).get(PATH), 401);
  expectRefused(await service.admin.post(PATH, {}), 405);
});

test.run();
