import * as assert from 'uvu/assert';
import { groupBy } from '../../src/model/group-by.ts';
import type { Json } from '../../src/model/json.ts';
import { EXAMPLE_PARAMETERS, REQUEST_EXAMPLES, SAVED_QUERY } from '../../src/reference/examples/bodies.ts';
import { exampleIdOf, RECORD_EXAMPLES } from '../../src/reference/examples/records.ts';
import { ok } from '../support/expect.ts';
import { chooseForTitles } from '../support/representatives.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Sends every example of the API document to the service. */

const test = suite('reference: examples');

type Example = { readonly operation: string; readonly body: Json };

type Made = { readonly id: string; readonly name: string; readonly fullyQualifiedName: string };

let service: Service;
let client: Client;
/** The record that the example of each collection has created. */
const made = new Map<string, Made>();
/** The IDs in the answers of the other operations. */
const answered = new Map<string, string>();
let shown: readonly Example[] = [];
let missing: readonly string[] = [];

const METHODS = ['post', 'put', 'patch', 'delete'];

const readDocument = async (): Promise<void> => {
  const { paths } = ok(await anonymous(service).get('/openapi.json'));
  const examples: Example[] = [];
  const without: string[] = [];
  for (const [path, operations] of Object.entries<Record<string, { requestBody?: { content: object } }>>(paths)) {
    for (const method of METHODS) {
      const content = operations[method]?.requestBody?.content;
      if (!content) continue;
      const operation = `${method.toUpperCase()} ${path}`;
      const body = Object.values(content).find((one: { example?: Json }) => one.example !== undefined)?.example;
      if (body === undefined) without.push(operation);
      else examples.push({ operation, body });
    }
  }
  [shown, missing] = [examples, without];
};

/** People may sign up with it, and it has a mail server to name. */
const SETTINGS = { AUTH_SELF_SIGNUP: 'true', SMTP_URL: 'smtp://127.0.0.1:1', SMTP_FROM: 'catalog@example.org' };

test.before(async () => {
  service = await openService();
  ({ client } = await openSecondProcessWith(service, {}, { env: SETTINGS }));
  await readDocument();
  await endMails();
});

/** A person has few mail subscriptions, and other tests make some for the same one. */
const endMails = async (): Promise<void> => {
  const mine = ok(await client.get('/v1/notifications/subscriptions')).data;
  for (const { id } of mine) await client.delete(`/v1/notifications/subscriptions/${id}`);
};

/** Nothing of the examples stays: others count what there is. */
test.after(async () => {
  await client.delete(`/v1/graph/queries/${SAVED_QUERY}`);
  for (const [collection, { id }] of [...made].reverse()) {
    await client.delete(`/v1/${collection}/${id}?hardDelete=true&recursive=true`);
  }
  await client.delete('/v1/users/name/example_sam?hardDelete=true');
  await client.put('/v1/users/security/token/revoke?removeAll=true', { tokenIds: [] });
  await endMails();
});

for (const [collection, record] of Object.entries(RECORD_EXAMPLES)) {
  test(`the example of ${collection} is created`, async () => {
    const { json, status, text } = await client.post(`/v1/${collection}`, record);
    assert.is(status, 201, text.slice(0, 500));
    made.set(collection, json);
  });
}

/** The collection below whose path an operation is. */
const collectionOf = (path: string): string | undefined =>
  Object.keys(RECORD_EXAMPLES)
    .filter((collection) => path.startsWith(`/v1/${collection}/`) || path === `/v1/${collection}`)
    .toSorted((a, b) => b.length - a.length)[0];

const USAGE_TYPES: Readonly<Record<string, string>> = {
  chart: 'charts',
  dashboard: 'dashboards',
  database: 'databases',
  databaseSchema: 'databaseSchemas',
  directory: 'drives/directories',
  file: 'drives/files',
  mlmodel: 'mlmodels',
  pipeline: 'pipelines',
  table: 'tables',
};

const recordOf = (path: string): Made | undefined => {
  const [, type = ''] = /^\/v1\/usage\/(\w+)\//.exec(path) ?? [];
  return made.get(USAGE_TYPES[type] ?? collectionOf(path) ?? '');
};

const fill = (path: string): string => {
  const record = recordOf(path);
  const values: Readonly<Record<string, string | undefined>> = {
    ...EXAMPLE_PARAMETERS,
    id: record?.id ?? answered.get(`POST ${path.replace(/\/\{id\}.*/, '')}`),
    fromId: made.get('tables')?.id,
    toId: answered.get('PUT /v1/tables'),
    fqn: record?.fullyQualifiedName,
    name: path.startsWith('/v1/graph/queries/') ? SAVED_QUERY : record?.fullyQualifiedName,
  };
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? `no ${name}`));
};

/** The body with the IDs of the records in the place of those that stand for them. */
const withIds = (body: Json): string => {
  let text = JSON.stringify(body);
  for (const [collection, { id }] of made) text = text.replaceAll(exampleIdOf(collection), id);
  return text;
};

/** What some operations need in their query: the table to which a contract belongs. */
const queryOf = (operation: string): string =>
  /^(POST|PUT) .*\/odcs(\/(validate\/)?yaml)?$/.test(operation)
    ? `?entityId=${answered.get('PUT /v1/tables')}&entityType=table`
    : '';

const send = async ({ operation, body }: Example): Promise<string | undefined> => {
  const [method = '', path = ''] = operation.split(' ');
  if (path.endsWith('/restore'))
    ok(await client.delete(`/v1/${collectionOf(path)}/${recordOf(path)?.id}?recursive=true`));
  // A page of the service opens the session of a browser.
  const headers = path.endsWith('/session') ? { 'sec-fetch-site': 'same-origin' } : {};
  const { status, text, json } = await client.raw(method, `${fill(path)}${queryOf(operation)}`, withIds(body), headers);
  if (typeof json?.id === 'string') answered.set(operation, json.id);
  const failed = [
    ...(json?.failedRequest ?? []),
    ...(json?.data ?? []).filter((row: { status?: number }) => (row.status ?? 200) > 201),
  ];
  const isDone = [200, 201, 202, 204].includes(status) && failed.length === 0;
  return isDone ? undefined : `${operation}: ${status} ${text.slice(0, 300)}`;
};

for (const operation of Object.keys(REQUEST_EXAMPLES)) {
  test(`the example of ${operation} does what it shows`, async () => {
    const example = shown.find((one) => one.operation === operation);
    assert.equal(example?.body, REQUEST_EXAMPLES[operation], 'it is shown');
    if (example) assert.is(await send(example), undefined);
  });
}

const KINDS_PER_LINE = 2;

/** What an operation is called whatever the kind. */
const lineOf = (operation: string): string => {
  const [method = '', path = ''] = operation.split(' ');
  const own = path.startsWith('/v1/usage/') ? /^\/v1\/usage\/\w+/.exec(path)?.[0] : `/v1/${collectionOf(path)}`;
  return `${method} ${path.slice(own?.length)}`;
};

const isCreation = (operation: string): boolean => operation.replace('POST /v1/', '') in RECORD_EXAMPLES;

test('the examples that many kinds share do what they show', async () => {
  const shared = shown.filter(({ operation }) => !(operation in REQUEST_EXAMPLES) && !isCreation(operation));
  assert.ok(shared.length > 300, String(shared.length));
  const operations = shared.map(({ operation }) => operation);
  const chosen = chooseForTitles(groupBy(operations, lineOf), KINDS_PER_LINE);
  const failures: string[] = [];
  for (const example of shared.filter(({ operation }) => chosen.get(lineOf(operation))?.has(operation))) {
    const failure = await send(example);
    if (failure !== undefined) failures.push(failure);
  }
  assert.equal(failures, []);
});

/** The operations that have no example, by the reason. */
const WITHOUT: Readonly<Record<string, RegExp>> = {
  'their records are below no other, so that none is missing from a scope': /^DELETE .*\/deleteStale$/,
  'the body is a token or an ID that only its owner has':
    /^(POST .*\/(refresh|logout|backchannel-logout)|PUT .*\/(token\/revoke|notifications\/\{id\}\/read))$/,
  'the body is a text': /\/(inspectionQuery|import|importAsync)$/,
  'it names types by IDs': /^PUT .*\/metadata\/types\/\{id\}$/,
  'it is another name of an operation that has one':
    /^POST .*\/(testSuites\/executable|odcs\/yaml|apps\/trigger\/\{name\})$/,
  'the whole ranking of a search is its body': /\/search\/preview$/,
};

test('only a few operations have no example', () => {
  const reasons = Object.values(WITHOUT);
  assert.equal(
    missing.filter((operation) => !reasons.some((reason) => reason.test(operation))),
    [],
  );
  for (const [why, reason] of Object.entries(WITHOUT))
    assert.ok(
      missing.some((operation) => reason.test(operation)),
      why,
    );
});

test.run();
