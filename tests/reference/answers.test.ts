import { Ajv2020 } from 'ajv/dist/2020.js';
import * as assert from 'uvu/assert';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { createRequests } from '../access/every-route-requests.ts';
import { ok } from '../support/expect.ts';
import { createSamples } from '../support/samples.ts';
import { anonymous, openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that what the service answers agrees with what the API document says of it, for every operation. */

const test = suite('reference: answers');

let service: Service;
let document: JsonObject;
let ajv: Ajv2020;

const DOCUMENT_ID = 'https://api.example/openapi.json';

test.before(async () => {
  service = await openService();
  const text = ok(await anonymous(service).get('/openapi.json'));
  // References of the document become absolute, so that schemas inside operations find them too.
  document = JSON.parse(
    JSON.stringify(text).replaceAll('"#/components/', `"${DOCUMENT_ID}#/components/`),
  ) as JsonObject;
  ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema(document, DOCUMENT_ID);
});

type Place = Readonly<Record<string, Json>>;

const resolve = (value: Json | undefined): Place | undefined => {
  const reference = (value as Place | undefined)?.['$ref'];
  if (typeof reference !== 'string') return value as Place | undefined;
  const steps = reference.slice(reference.indexOf('#/') + 2).split('/');
  return steps.reduce<Place>((place, step) => place[step] as Place, document);
};

/** What is wrong with an answer, or undefined. */
const disagreement = (method: string, path: string, reply: Reply): string | undefined => {
  const operation = (document['paths'] as JsonObject)[path] as Place;
  const { responses } = operation[method.toLowerCase()] as Place;
  const declared = resolve((responses as Place)[String(reply.status)]);
  const place = `${method} ${path} ${reply.status}`;
  if (declared === undefined) return `${place} is not declared: ${reply.text.slice(0, 200)}`;
  const content = declared['content'] as Place | undefined;
  const mediaType = reply.headers.get('content-type')?.split(';')[0] ?? '';
  if (reply.text === '' && content === undefined) return undefined;
  const schema = (content?.[mediaType] as Place | undefined)?.['schema'];
  if (schema === undefined) return `${place} has ${mediaType || 'no body'}, which is not declared`;
  const value: unknown = mediaType === 'application/json' ? reply.json : reply.text;
  const isValid = ajv.validate(schema as object, value);
  if (isValid) return undefined;
  return `${place}: ${ajv.errorsText(ajv.errors)} in ${reply.text.slice(0, 300)}`;
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const allOperations = (): readonly (readonly [method: string, path: string])[] =>
  Object.entries(document['paths'] as JsonObject).flatMap(([path, item]) =>
    METHODS.filter((method) => method in (item as Place)).map((method) => [method.toUpperCase(), path] as const),
  );

const AT_ONCE = 8;

test('a valid request of every operation is answered as the document says', async () => {
  const requestFor = createRequests(service);
  const { id } = ok(await service.admin.get('/v1/users/name/admin'));
  const failures = await mapConcurrently(allOperations(), AT_ONCE, async ([method, path]) => {
    const request = await requestFor(method, path, { id, name: 'admin' }, true).catch((failure) => String(failure));
    if (typeof request === 'string') return `${method} ${path} could not be asked: ${request}`;
    if (request.endless) return undefined;
    const body = request.file ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    const headers: Record<string, string> = request.file === undefined ? {} : { 'content-type': 'text/csv' };
    return disagreement(method, path, await service.admin.raw(method, request.path, body, headers));
  });
  assert.equal(
    failures.filter((failure) => failure !== undefined),
    [],
  );
});

const agree = (method: string, path: string, reply: Reply): void =>
  assert.is(disagreement(method, path, reply), undefined);

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
