import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { EXAMPLE_PARAMETERS, REQUEST_EXAMPLES } from '../../src/reference/examples/bodies.ts';
import { ok } from '../support/expect.ts';
import { anonymous, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Sends every example of the API document to the service. */

const test = suite('reference: examples');

let service: Service;

test.before(async () => {
  service = await openService();
});

const COLLECTIONS = [
  'services/databaseServices',
  'services/pipelineServices',
  'services/messagingServices',
  'services/dashboardServices',
  'domains',
  'classifications',
  'glossaries',
];

/** Nothing of the examples stays: others count what there is. */
test.after(async () => {
  await service.admin.delete(`/v1/graph/queries/${EXAMPLE_PARAMETERS['name']}`);
  const names = COLLECTIONS.map((path) => [path, (REQUEST_EXAMPLES[`POST /v1/${path}`] as JsonObject)['name']]);
  for (const [path, name] of names) {
    await service.admin.delete(`/v1/${path}/name/${name}?hardDelete=true&recursive=true`);
  }
});

const placeOf = (example: string) => {
  const [method = '', path = ''] = example.split(' ');
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(EXAMPLE_PARAMETERS[name] ?? ''));
  return { method, path, filled };
};

for (const [example, body] of Object.entries(REQUEST_EXAMPLES)) {
  test(`the example of ${example} does what it shows`, async () => {
    const { method, filled } = placeOf(example);
    const reply = await service.admin.raw(method, filled, JSON.stringify(body));
    assert.ok([200, 201].includes(reply.status), `${reply.status}: ${reply.text.slice(0, 500)}`);
    assert.equal(reply.json.failedRequest ?? [], []);
    for (const row of reply.json.data ?? []) assert.is(row.status ?? 200, 200, reply.text);
  });
}

test('every example is shown with its operation', async () => {
  const { paths } = ok(await anonymous(service).get('/openapi.json'));
  for (const [example, body] of Object.entries(REQUEST_EXAMPLES)) {
    const { method, path } = placeOf(example);
    const operation = paths[path]?.[method.toLowerCase()];
    assert.equal(operation?.requestBody?.content?.['application/json']?.example, body, example);
  }
});

test.run();
