import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import * as v from 'valibot';
import { buildOpenApiDocument } from '../../src/http/openapi/document.ts';
import { openApiRoute } from '../../src/http/openapi/openapi-route.ts';
import { NO_TEXTS } from '../../src/http/openapi/texts.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { suite } from '../support/suite.ts';
import { appOf, ok, route } from './fixture.ts';

/** Shows that the OpenAPI document describes the declared routes. */

const test = suite('http: OpenAPI document');

const titled = <T extends v.GenericSchema>(title: string, schema: T) => v.pipe(schema, v.title(title));

const Ref = titled('Ref', v.strictObject({ id: v.string(), type: v.optional(v.string()) }));
type Tree = { name: string; children?: Tree[] | undefined };
const Column: v.GenericSchema<Tree> = titled(
  'Column',
  v.object({ name: v.string(), children: v.optional(v.lazy(() => v.array(Column))) }),
);
const Thing = titled(
  'Thing',
  v.object({ owners: v.array(Ref), lead: { ...Ref }, columns: v.array(Column), level: v.picklist(['low', 'high']) }),
);
const list = v.object({ data: v.array(Thing), paging: v.object({ total: v.number() }) });

const limit = { name: 'limit', description: 'How many', schema: { type: 'integer', minimum: 0 } } as const;

const routes = [
  route('GET', '/v1/things', () => ok(1), { query: [limit], responses: { 200: list } }),
  route('POST', '/v1/things', () => ok(1), {
    access: { operation: 'Create', resource: 'thing' },
    body: { schema: Thing, mediaTypes: ['application/json'] },
    responses: { 201: Thing },
  }),
  route('GET', '/v1/things/{id}', () => ok(1), { responses: { 200: Thing, 304: undefined } }),
  route('PUT', '/v1/things', () => ok(1), {
    access: { operation: 'EditAll', resource: 'thing', also: 'New ones need Create.' },
  }),
  route('GET', '/v1/things/name/{fqn}', () => ok(1), { query: [limit], responses: { 200: Thing } }),
  route('GET', '/v1/things/name/{fqn}/columns', () => ok(1), { query: [{ ...limit, description: 'Other' }] }),
  route('GET', '/v1/system/version', () => ok(1), { access: 'public', tag: 'System' }),
  route('GET', '/docs', () => ok(1), { access: 'public' }),
];

const at = (value: Json, ...path: readonly (string | number)[]): Json =>
  path.reduce<Json>((place, step) => (place as Record<string | number, Json>)[step] ?? null, value);

const document = buildOpenApiDocument(routes, { version: '1.2.3' });

/** Every reference in the document, wherever it stands. */
const referencesIn = (value: Json): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  );
};

test('the document has its title and its authentication', () => {
  assert.is(document['openapi'], '3.1.0');
  assert.is(at(document, 'info', 'version'), '1.2.3');
  assert.equal(document['security'], [{ bearer: [] }]);
  assert.is(at(document, 'components', 'securitySchemes', 'bearer', 'scheme'), 'bearer');
  assert.equal(at(document, 'paths', '/v1/system/version', 'get', 'security'), []);
  assert.is(at(document, 'paths', '/v1/things', 'get', 'security'), null);
});

test('3.2 tells what streams consist of and nests the tags, and 3.1 stays as it is', () => {
  const each = titled('Change', v.object({ what: v.string() }));
  const streams = [
    route('GET', '/v1/changes/stream', () => ok(1), {
      responses: { 200: undefined },
      answers: 'text/event-stream',
      each,
    }),
    route('GET', '/v1/changes/export', () => ok(1), {
      responses: { 200: undefined },
      answers: 'application/x-ndjson',
      each,
    }),
  ];
  const texts = { ...NO_TEXTS, parentOfTag: () => 'All', describeTag: (tag: string) => `About ${tag}` };
  const newer = buildOpenApiDocument(streams, { version: '1.2.3', standard: '3.2', texts });
  assert.is(newer['openapi'], '3.2.0');
  assert.equal(newer['tags'], [
    { name: 'All', description: 'About All', kind: 'nav' },
    { name: 'Things', description: 'About Things', parent: 'All' },
  ]);
  const content = (value: JsonObject, path: string, type: string) =>
    at(value, 'paths', path, 'get', 'responses', '200', 'content', type);
  const reference = { $ref: '#/components/schemas/Change' };
  assert.equal(content(newer, '/v1/changes/export', 'application/x-ndjson'), { itemSchema: reference });
  assert.equal(content(newer, '/v1/changes/stream', 'text/event-stream'), {
    itemSchema: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        event: { type: 'string' },
        data: { type: 'string', contentMediaType: 'application/json', contentSchema: reference },
      },
      required: ['event', 'data'],
    },
  });
  const usual = buildOpenApiDocument(streams, { version: '1.2.3', texts });
  assert.equal(content(usual, '/v1/changes/stream', 'text/event-stream'), { schema: { type: 'string' } });
  assert.equal([usual['openapi'], at(usual, 'tags', 0, 'parent')], ['3.1.0', null]);
  assert.not.ok('Change' in (at(usual, 'components', 'schemas') as JsonObject));
});

test('every declared path below /v1 is documented, and nothing else', () => {
  assert.equal(Object.keys(document['paths'] as JsonObject).toSorted(), [
    '/v1/system/version',
    '/v1/things',
    '/v1/things/name/{fqn}',
    '/v1/things/name/{fqn}/columns',
    '/v1/things/{id}',
  ]);
  assert.equal(document['tags'], [{ name: 'Things' }, { name: 'System' }]);
});

test('operations have unique and readable names', () => {
  const items = Object.values(document['paths'] as JsonObject).flatMap((item) => Object.values(item as JsonObject));
  const names = items.map((item) => at(item, 'operationId'));
  assert.equal(new Set(names).size, names.length);
  assert.is(at(document, 'paths', '/v1/things/name/{fqn}', 'get', 'operationId'), 'getThingsNameByFqn');
  const twins = [
    route('GET', '/v1/a-b', () => ok(1)),
    route('GET', '/v1/a/b', () => ok(1)),
    route('GET', '/v1/a/{b}', () => ok(1)),
    route('GET', '/v1/a/byB', () => ok(1)),
  ];
  const paths = at(buildOpenApiDocument(twins, { version: '1' }), 'paths') as JsonObject;
  assert.equal(
    Object.values(paths).map((item) => at(item, 'get', 'operationId')),
    ['getAB', 'getAB2', 'getAByB', 'getAByB2'],
  );
});

test('parameters come from path and declaration, and equal ones are shared', () => {
  assert.equal(at(document, 'paths', '/v1/things/{id}', 'get', 'parameters'), [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'ID of the thing',
      schema: { type: 'string', format: 'uuid' },
    },
    { $ref: '#/components/parameters/X-Impersonate-User' },
    { $ref: '#/components/parameters/X-Request-Id' },
  ]);
  assert.equal(at(document, 'paths', '/v1/system/version', 'get', 'parameters'), [
    { $ref: '#/components/parameters/X-Request-Id' },
  ]);
  const shared = { $ref: '#/components/parameters/limit' };
  assert.equal(at(document, 'paths', '/v1/things', 'get', 'parameters', 0), shared);
  assert.equal(at(document, 'paths', '/v1/things/name/{fqn}', 'get', 'parameters', 1), shared);
  assert.is(at(document, 'paths', '/v1/things/name/{fqn}/columns', 'get', 'parameters', 1, 'description'), 'Other');
});

test('a titled schema is written once and referenced everywhere', () => {
  const thing = { $ref: '#/components/schemas/Thing' };
  const body = at(document, 'paths', '/v1/things', 'post', 'requestBody', 'content', 'application/json', 'schema');
  assert.equal(body, thing);
  const schemas = at(document, 'components', 'schemas') as JsonObject;
  assert.equal(Object.keys(schemas), ['Column', 'ColumnItems', 'GetThingsAnswer', 'Ref', 'Thing', 'ErrorBody']);
  assert.equal(at(schemas, 'GetThingsAnswer', 'properties', 'data', 'items'), thing);
  assert.equal(at(schemas, 'Thing', 'properties', 'lead'), { $ref: '#/components/schemas/Ref' });
});

test('a recursive schema refers to itself by reference', () => {
  const children = at(document, 'components', 'schemas', 'Column', 'properties', 'children');
  assert.equal(children, { $ref: '#/components/schemas/ColumnItems' });
  const items = at(document, 'components', 'schemas', 'ColumnItems', 'items');
  assert.equal(items, { $ref: '#/components/schemas/Column' });
});

test('every reference resolves', () => {
  const references = referencesIn(document);
  assert.ok(references.length > 10);
  for (const reference of references) {
    assert.type(at(document, ...reference.slice(2).split('/')), 'object', reference);
    assert.is.not(at(document, ...reference.slice(2).split('/')), null, reference);
  }
});

test('responses have schemas, and every operation has the shared error body', () => {
  const responses = at(document, 'paths', '/v1/things/{id}', 'get', 'responses');
  assert.is(at(responses, '304', 'description'), 'Not Modified');
  assert.is(at(responses, '304', 'content'), null);
  assert.equal(at(responses, 'default'), { $ref: '#/components/responses/Error' });
  const required = at(document, 'components', 'schemas', 'ErrorBody', 'required');
  assert.equal(required, ['code', 'errorType', 'message']);
});

const statusesOf = (path: string, method: string): string[] =>
  Object.keys(at(document, 'paths', path, method, 'responses') as JsonObject);

test('the errors of an operation follow from its declaration', () => {
  assert.equal(statusesOf('/v1/things', 'get'), ['200', '400', '401', '403', '503', 'default']);
  assert.equal(statusesOf('/v1/things/{id}', 'get'), ['200', '304', '400', '401', '403', '404', '503', 'default']);
  assert.equal(statusesOf('/v1/things', 'post').slice(1), [
    '400',
    '401',
    '403',
    '404',
    '408',
    '409',
    '413',
    '415',
    '503',
    'default',
  ]);
  assert.equal(statusesOf('/v1/system/version', 'get'), ['200', '400', '503', 'default']);
  const own = route('PUT', '/v1/own', () => ok(1), {
    reads: ['If-Match'],
    sends: ['ETag'],
    fails: [429],
    refusalResult: Ref,
  });
  const described = at(buildOpenApiDocument([own], { version: '1' }), 'paths', '/v1/own', 'put');
  const answers = at(described, 'responses') as JsonObject;
  assert.equal(Object.keys(answers), ['200', '400', '401', '403', '409', '412', '429', '503', 'default']);
  const refusal = at(answers, '400', 'content', 'application/json', 'schema', 'properties', 'result', '$ref');
  assert.is(refusal, '#/components/schemas/Ref');
  assert.equal(at(described, 'parameters', 0), { $ref: '#/components/parameters/If-Match' });
  assert.equal(at(answers, '200', 'headers', 'ETag'), { $ref: '#/components/headers/ETag' });
});

test('texts describe operations, tags, headers and members, and add examples', () => {
  const texts = {
    describeOperation: ({ path }: { path: string }) => `What ${path} does.`,
    describeTag: (tag: string) => `About ${tag}`,
    parentOfTag: () => undefined,
    describeMember: (title: string, member: string) => `${title} has ${member}`,
    describeHeader: (name: string) => `Header ${name}`,
    exampleFor: () => ({ owners: [] }),
    firstTags: ['System'],
  };
  const described = buildOpenApiDocument(routes, { version: '1', texts });
  assert.equal(described['tags'], [
    { name: 'System', description: 'About System' },
    { name: 'Things', description: 'About Things' },
  ]);
  const post = at(described, 'paths', '/v1/things', 'post');
  assert.is(at(post, 'description'), 'What /v1/things does. Needs the operation Create on thing.');
  assert.equal(at(post, 'requestBody', 'content', 'application/json', 'example'), { owners: [] });
  const members = at(described, 'components', 'schemas', 'Thing', 'properties');
  assert.equal(at(members, 'lead'), { $ref: '#/components/schemas/Ref', description: 'Thing has lead' });
  assert.is(at(described, 'components', 'schemas', 'Ref', 'description'), null, 'descriptions are of members');
  assert.is(at(described, 'components', 'headers', 'X-Request-Id', 'description'), 'Header X-Request-Id');
});

test('each operation says who may call it', () => {
  assert.is(at(document, 'paths', '/v1/things', 'get', 'description'), 'Needs a token.');
  assert.is(at(document, 'paths', '/v1/system/version', 'get', 'description'), 'Needs no token.');
  assert.is(at(document, 'paths', '/v1/things', 'post', 'description'), 'Needs the operation Create on thing.');
  assert.is(
    at(document, 'paths', '/v1/things', 'put', 'description'),
    'Needs the operation EditAll on thing. New ones need Create.',
  );
});

test('checks unknown to the converter are omitted and not refused', () => {
  const schema = titled(
    'Odd',
    v.object({
      custom: v.custom<string>(() => true),
      settings: v.pipe(
        v.custom<object>(() => true),
        v.check(() => true),
        v.metadata({ freeForm: 'object' }),
      ),
      checked: v.pipe(
        v.string(),
        v.check(() => true),
        v.toLowerCase(),
      ),
      flagged: v.pipe(v.string(), v.regex(/^a$/i)),
      whole: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    }),
  );
  const odd = route('GET', '/v1/odd', () => ok(1), { responses: { 200: schema } });
  const members = at(buildOpenApiDocument([odd], { version: '1' }), 'components', 'schemas', 'Odd', 'properties');
  assert.equal(members, {
    custom: {},
    settings: { type: 'object' },
    checked: { type: 'string' },
    flagged: { type: 'string' },
    whole: { type: 'integer', minimum: 0 },
  });
});

test('two schemas with one title get different names', () => {
  const one = titled('Same', v.object({ anything: v.string(), else: v.string() }));
  const two = titled('Same', v.object({ anything: v.number(), else: v.string() }));
  const same = route('GET', '/v1/same', () => ok(1), { responses: { 200: one, 201: two } });
  const schemas = at(buildOpenApiDocument([same], { version: '1' }), 'components', 'schemas') as JsonObject;
  assert.equal(Object.keys(schemas), ['Same', 'Same2', 'ErrorBody']);
});

const served = (built: () => void = () => undefined) => {
  const all = [...routes];
  const own = openApiRoute(
    () => {
      built();
      return all;
    },
    { version: '1.2.3' },
  );
  return appOf([...all, own]).app;
};

test('the document is built once, when somebody first asks', async () => {
  let built = 0;
  const app = served(() => {
    built += 1;
  });
  assert.is(built, 0, 'nothing is built before somebody asks');
  const [first, second] = await Promise.all([app.request('/openapi.json'), app.request('/openapi.json')]);
  assert.equal(await first?.json(), document);
  assert.equal([second?.headers.get('content-type'), built], ['application/json', 1]);
});

test('the document is compressed as the caller accepts it', async () => {
  const app = served();
  const ask = (accepted: string) => app.request('/openapi.json', { headers: { 'accept-encoding': accepted } });
  const plain = await (await app.request('/openapi.json')).text();
  const unpackers = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
  ] as const) {
    const response = await ask(accepted);
    assert.equal(
      [response.headers.get('content-encoding'), response.headers.get('vary')],
      [encoding, 'Accept-Encoding'],
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.is(Number(response.headers.get('content-length')), bytes.length);
    assert.ok(bytes.length < plain.length / 2, `${encoding} takes ${bytes.length} of ${plain.length} bytes`);
    assert.is(unpackers[encoding](bytes).toString(), plain);
  }
  for (const accepted of ['identity', 'gzip;q=0', '*;q=0', '']) {
    const response = await ask(accepted);
    assert.equal([response.headers.get('content-encoding'), await response.text()], [null, plain], accepted);
  }
});

test('a caller who has the document gets 304', async () => {
  const app = served();
  const etag = (await app.request('/openapi.json')).headers.get('etag') ?? '';
  assert.match(etag, /^W\/"[0-9a-f]+"$/);
  const ask = (tag: string) => app.request('/openapi.json', { headers: { 'if-none-match': tag } });
  for (const tag of [etag, `"other", ${etag}`, '*', etag.slice(2)]) {
    const response = await ask(tag);
    assert.equal([response.status, await response.text(), response.headers.get('etag')], [304, '', etag], tag);
  }
  assert.is((await ask('"other"')).status, 200);
});

test.run();
