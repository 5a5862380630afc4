import * as assert from 'uvu/assert';
import { groupBy } from '../../src/model/group-by.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { anonymous, openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that the API document of the whole service can be read by people: every operation, parameter and member says
 * what it is, and no two things have the same name.
 */

const test = suite('reference: API document');

type Operation = JsonObject & {
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly JsonObject[];
  readonly responses: Readonly<Record<string, JsonObject>>;
};

let document: JsonObject;
let operations: readonly { readonly place: string; readonly operation: Operation }[];

test.before(async () => {
  document = ok(await anonymous(await openService()).get('/openapi.json'));
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ place: `${method.toUpperCase()} ${path}`, operation })),
  );
});

const components = (part: string): Readonly<Record<string, JsonObject>> =>
  (document['components'] as JsonObject)[part] as Readonly<Record<string, JsonObject>>;

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value.trim() !== '';

/** The groups that have the same key, as texts. */
const alike = (pairs: readonly (readonly [key: string, place: string])[]): string[] => {
  const groups = groupBy(pairs, ([key]) => key);
  return [...groups]
    .filter(([, group]) => group.length > 1)
    .map(([key, group]) => `${key}: ${group.map(([, place]) => place).join(', ')}`);
};

test('every operation has a summary of its own', () => {
  assert.ok(operations.length > 1000);
  assert.equal(
    operations.filter(({ operation }) => !isText(operation.summary)),
    [],
  );
  assert.equal(alike(operations.map(({ place, operation }) => [operation.summary, place])), []);
});

test('every operation says what it does, and not only who may call it', () => {
  const silent = operations.filter(({ operation }) => {
    const [what = ''] = operation.description.split(/Needs (?:a|no|the) /);
    return what.trim().length < 20;
  });
  const places = silent.map(({ place }) => place);
  assert.equal(places, [], 'describe them in src/reference/operations/');
});

test('every tag is described, and lineage comes first', () => {
  const tags = document['tags'] as readonly JsonObject[];
  assert.is(tags[0]?.['name'], 'Lineage');
  assert.equal(
    tags.filter(({ description }) => !isText(description)),
    [],
  );
});

test('OpenAPI 3.2 has every tag in a group, and tells what every stream consists of', async () => {
  const client = anonymous(await openService());
  const newer = ok(await client.get('/openapi.json?version=3.2'));
  const tags: readonly JsonObject[] = newer.tags;
  const groups = tags.filter(({ kind }) => kind === 'nav').map(({ name }) => name);
  assert.is(groups[0], 'Lineage and insight');
  const loose = tags.filter(({ name, parent }) => !groups.includes(name ?? '') && !groups.includes(parent ?? ''));
  assert.equal(loose, [], 'add them to a group in src/reference/tags.ts');
  assert.equal(
    tags.filter(({ description }) => !isText(description)),
    [],
  );
  const streams = operations.filter(({ operation: { responses } }) =>
    Object.keys((responses['200']?.['content'] as JsonObject) ?? {}).some((type) => /event-stream|ndjson/.test(type)),
  );
  assert.ok(streams.length >= 3);
  for (const { place } of streams) {
    const [method = '', path = ''] = place.split(' ');
    const { content } = newer.paths[path][method.toLowerCase()].responses['200'];
    for (const one of Object.values<JsonObject>(content)) assert.ok(one['itemSchema'], place);
  }
  expectRefused(await client.get('/openapi.json?version=4'), 400, /version must be one of 3.1, 3.2/);
});

test('every parameter and header is described', () => {
  const shared = components('parameters');
  const resolve = (parameter: JsonObject): JsonObject =>
    typeof parameter['$ref'] === 'string' ? (shared[parameter['$ref'].split('/').at(-1) ?? ''] ?? {}) : parameter;
  const silent = operations.flatMap(({ place, operation }) =>
    operation.parameters
      .map(resolve)
      .filter(({ description }) => !isText(description))
      .map(({ name }) => `${place}: ${name}`),
  );
  assert.equal(silent, []);
  const headers = Object.entries(components('headers'));
  assert.ok(headers.length > 10);
  assert.equal(
    headers.filter(([, { description }]) => !isText(description)),
    [],
    'describe them in src/reference/headers.ts',
  );
});

/** Every schema that has members, wherever it stands, with the name of the place. */
const shapesIn = (value: Json, place: string): (readonly [string, JsonObject])[] => {
  if (isArray(value)) return value.flatMap((item) => shapesIn(item, place));
  if (!isObject(value)) return [];
  const members = value['properties'];
  const inner = Object.entries(value).flatMap(([name, part]) =>
    name === 'properties' && isObject(part)
      ? Object.entries(part).flatMap(([member, schema]) => shapesIn(schema, `${place}.${member}`))
      : shapesIn(part, place),
  );
  return isObject(members) ? [[place, members], ...inner] : inner;
};

test('every member of every schema is described', () => {
  const shapes = [
    ...Object.entries(components('schemas')).flatMap(([name, schema]) => shapesIn(schema, name)),
    ...operations.flatMap(({ place, operation }) => shapesIn(operation, place)),
  ];
  const members = shapes.flatMap(([place, shape]) =>
    Object.entries(shape).map(([name, schema]) => [`${place}.${name}`, schema] as const),
  );
  assert.ok(members.length > 3000);
  const silent = members.filter(([, schema]) => !isObject(schema) || !isText(schema['description']));
  const places = silent.map(([place]) => place);
  assert.equal(places, [], 'describe them in src/reference/members/');
});

test('no two paths differ only in the names of their parameters', () => {
  const paths = Object.keys(document['paths'] as JsonObject);
  assert.equal(alike(paths.map((path) => [path.replace(/\{[^}]*\}/g, '{}'), path])), []);
});

test('no two schemas have the same title', () => {
  const named = Object.entries(components('schemas'));
  const titles = named.flatMap(([name, { title }]) => (typeof title === 'string' ? [[title, name] as const] : []));
  assert.ok(titles.length > 300);
  assert.equal(alike(titles), []);
});

test('every operation names the errors that its callers get', () => {
  for (const { place, operation } of operations) {
    const statuses = Object.keys(operation.responses);
    assert.ok(statuses.includes('400') && statuses.includes('default'), place);
    const isPublic = Array.isArray(operation['security']);
    if (!isPublic) assert.ok(statuses.includes('401') && statuses.includes('403'), place);
    if (place.includes('{') && !isPublic) assert.ok(statuses.includes('404'), place);
    if ('requestBody' in operation) assert.ok(statuses.includes('413') && statuses.includes('415'), place);
  }
});

test.run();
