import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { createSamples } from '../support/samples.ts';
import { anonymous, openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type AnswerCheck, createAnswerCheck } from './answer-check.ts';

/**
 * Shows that answers which no valid request of the table of every route gets agree with the API document too.
 * `tests/access/every-route.test.ts` compares the answers to those.
 */

const test = suite('reference: answers');

let service: Service;
let check: AnswerCheck;

test.before(async () => {
  service = await openService();
  check = await createAnswerCheck(service);
});

const agree = (method: string, path: string, reply: Reply): void => assert.is(check(method, path, reply), undefined);

test('a change with a source, its summary and its history agree', async () => {
  const { admin } = service;
  const samples = createSamples(service);
  const { id } = await samples.create('table');
  const started = Date.now();
  const changed = await admin.patch(`/v1/tables/${id}?changeSource=Automated`, { description: uniqueName('text') });
  assert.ok(ok(changed).changeDescription.changeSummary, 'the answer holds a summary of the change');
  agree('PATCH', '/v1/tables/{id}', changed);
  agree('GET', '/v1/tables/{id}', await admin.get(`/v1/tables/${id}?fields=*`));
  agree('GET', '/v1/tables/{id}/versions/{version}', await admin.get(`/v1/tables/${id}/versions/0.2`));
  const history = await admin.get(`/v1/tables/history?startTs=${started}&limit=100`);
  assert.ok(ok(history).data.length > 0);
  agree('GET', '/v1/tables/history', history);
});

test('every page of a list agrees, the first and the last', async () => {
  const samples = createSamples(service);
  const schema = await samples.create('databaseSchema');
  const below = `/v1/tables?databaseSchema=${encodeURIComponent(schema.fullyQualifiedName)}&limit=1`;
  for (const _ of [1, 2]) await samples.create('table', { databaseSchema: schema.fullyQualifiedName });
  const first = await service.admin.get(below);
  agree('GET', '/v1/tables', first);
  agree('GET', '/v1/tables', await service.admin.get(`${below}&after=${encodeURIComponent(ok(first).paging.after)}`));
});

test('a refused CSV file is answered as the document says', async () => {
  const samples = createSamples(service);
  const table = await samples.create('table');
  const path = `/v1/tables/name/${encodeURIComponent(table.fullyQualifiedName)}/import`;
  const reply = await service.admin.raw('PUT', path, 'wrong,header\n1,2\n', { 'content-type': 'text/csv' });
  assert.is(reply.status, 400);
  agree('PUT', '/v1/tables/name/{fqn}/import', reply);
});

test('errors are answered as the document says', async () => {
  const missing = '/v1/tables/00000000-0000-4000-8000-000000000000';
  agree('GET', '/v1/tables/{id}', await service.admin.get(missing));
  agree('GET', '/v1/tables/{id}', await anonymous(service).get(missing));
  agree('POST', '/v1/tables', await service.admin.post('/v1/tables', {}));
  agree('POST', '/v1/tables', await service.admin.raw('POST', '/v1/tables', '<a/>', { 'content-type': 'text/xml' }));
});

test.run();
