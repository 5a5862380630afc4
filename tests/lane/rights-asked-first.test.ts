import * as assert from 'uvu/assert';
import { rightsAskedFirst } from '../../src/http/rights-asked-first.ts';
import type { Route } from '../../src/http/route.ts';
import { createDatabaseTree, filePathOf } from '../support/csv-files.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { type CreatedRecord, createSamples, strayId } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that whoever may not do what a long request wants is refused before anything of it is read or looked up. */

const test = suite('lane: rights asked first');

let service: Service;
let rights: RightsFactory;
/** Somebody who may do nothing with any record. */
let nobody: Person;

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  nobody = await rights.person([{ effect: 'deny', operations: ['All'] }]);
});

test.after(() => rights.clear());

/** More than the main thread works on by itself, and nothing that any reader of bodies accepts. */
const HUGE = '['.repeat(70 * 1024);

const filled = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => (/id$/i.test(name) ? strayId() : 'x'));

const send = ({ method, path, body }: Route, content: string) => {
  return nobody.raw(method, filled(path), content, { 'content-type': body?.mediaTypes[0] ?? 'application/json' });
};

/** The routes that need a right and accept long bodies. */
const routesWithBody = (): readonly Route[] =>
  service.app.routes.filter(
    ({ body, access }) =>
      body !== undefined && (body.maxBytes ?? HUGE.length) >= HUGE.length && typeof access !== 'string',
  );

test('every route that needs a right refuses who has none, whatever stands in a long body', async () => {
  const wrong: string[] = [];
  for (const route of routesWithBody()) {
    if (rightsAskedFirst(route, true).length === 0) continue;
    const reply = await send(route, HUGE);
    if (reply.status !== 403) wrong.push(`${route.method} ${route.path}: ${reply.text.slice(0, 100)}`);
  }
  assert.equal(wrong, []);
});

test('routes that do not ask first answer for each row, or only read', () => {
  const { kinds } = service.registry;
  const bulk = new Set(kinds.map(({ path }) => `/v1/${path}/bulk`));
  const others = routesWithBody().filter((route) => rightsAskedFirst(route, true).length === 0);
  const named = others.filter(({ path }) => !bulk.has(path)).map(({ method, path }) => `${method} ${path}`);
  // The bulk routes, `hydrate` and the decisions answer for each row. The others read what the caller sees anyway.
  assert.equal(named.sort(), [
    'POST /v1/dataContracts/check',
    'POST /v1/dataContracts/odcs/validate/yaml',
    'POST /v1/lineage/agreement/confirm',
    'POST /v1/lineage/agreement/withdraw',
    'POST /v1/lineage/hydrate',
    'POST /v1/lineage/propagation/apply',
    'POST /v1/lineage/sql',
    'POST /v1/lineage/what-if',
    'PUT /v1/dataQuality/testCases/testCaseResults/bulk',
    'PUT /v1/lineage/bulk',
  ]);
});

test('a short body is judged before the right, as the contract orders it', async () => {
  expectRefused(await nobody.post('/v1/tables', '{'), 400);
  expectRefused(await nobody.post('/v1/lineage/openlineage', '{'), 403, /operations \[EditLineage\] not allowed$/);
});

/** The statements that were sent meanwhile, but for those about callers and rights. */
const sentDuring = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  const before = service.allSent();
  await work();
  const sent = [...service.allSent()].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
  return sent.filter((name) => /catalog|lineage/.test(name));
};

test('rows of somebody who may write none fail alone, and nothing is looked up for them', async () => {
  const row = { name: 'x', databaseSchema: 'no.such.schema', columns: [{ name: 'c', dataType: 'NONE' }] };
  const edge = { fromEntity: { id: strayId(), type: 'table' }, toEntity: { id: strayId(), type: 'table' } };
  const bodies = [
    ['/v1/tables/bulk', [row, {}, 7]],
    ['/v1/lineage/bulk', [edge, {}, 7]],
  ] as const;
  for (const [path, rows] of bodies) {
    const sent = await sentDuring(async () => {
      const { failedRequest } = ok(await nobody.put(path, rows));
      assert.equal(
        failedRequest.map(({ status }: { status: number }) => status),
        [403, 403, 403],
        path,
      );
    });
    assert.equal(sent, [], path);
  }
});

test('a file is read only for whom its record may be changed by', async () => {
  const { schema } = await createDatabaseTree(service.admin);
  const reader = await rights.person();
  for (const way of ['import', 'importAsync']) {
    const path = filePathOf('databaseSchema', schema, way as 'import');
    const broken = { 'content-type': 'text/csv' };
    expectRefused(await reader.put(path, '"', broken), 403, /operations \[EditAll\] not allowed$/);
    assert.is((await service.admin.put(path, '"', broken)).status, 400);
  }
});

test('a document is parsed only for whom may see its asset and change its contract', async () => {
  const samples = createSamples(service);
  const table: CreatedRecord = await samples.create('table', { tags: [{ tagFQN: 'PII.Sensitive' }] });
  const blind = await rights.person([
    { operations: ['All'], resources: ['dataContract'] },
    { effect: 'deny', operations: ['ViewBasic'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const yaml = { 'content-type': 'application/yaml' };
  const about = `entityId=${table.id}&entityType=table`;
  const routes = [
    ['post', `/v1/dataContracts/odcs/yaml?${about}`],
    ['put', `/v1/dataContracts/odcs/yaml?${about}`],
    ['post', `/v1/dataContracts/odcs/validate/yaml?${about}`],
  ] as const;
  for (const [verb, path] of routes) {
    expectRefused(await blind[verb](path, 'a: [', yaml), 403, /operations \[ViewBasic\] not allowed$/);
    expectRefused(await service.admin[verb](path, 'a: [', yaml), 400);
  }
});

test('a log of SQL that is to be applied is read only for whom may edit lineage', async () => {
  const nobodys = await rights.person([{ effect: 'deny', operations: ['EditLineage'] }]);
  expectRefused(
    await nobodys.post('/v1/lineage/sql?dryRun=false', '{'),
    403,
    /operations \[EditLineage\] not allowed$/,
  );
  expectRefused(await nobodys.post('/v1/lineage/sql', '{'), 400);
});

test.run();
