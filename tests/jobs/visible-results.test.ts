/** Shows that the result of a job is hidden from callers who may see less than its creator. */

import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('jobs: visible results');

let service: Service;
let rights: RightsFactory;
let root: string;

const PII = [{ tagFQN: 'PII.Sensitive', source: 'Classification' }];

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

test.beforeEach(async () => {
  const { admin } = service;
  root = uniqueName('res');
  ok(await admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Postgres' }), 201);
  ok(await admin.post('/v1/databases', { name: 'open', service: root }), 201);
  ok(await admin.post('/v1/databases', { name: 'covert', service: root, tags: PII }), 201);
});

const EDITOR: RuleOptions = { operations: ['ViewAll', 'EditAll', 'Create'] };

const HIDING: RuleOptions = {
  effect: 'deny',
  operations: ['ViewAll'],
  resources: ['database'],
  condition: "matchAnyTag('PII.Sensitive')",
};

const HIDING_SERVICES: RuleOptions = { effect: 'deny', operations: ['ViewAll'], resources: ['databaseService'] };

/** Gives somebody one more role of these rules. */
const restrict = async (who: Person, ...rules: RuleOptions[]): Promise<void> => {
  const { id } = await rights.role(...rules);
  ok(await service.admin.patch(`/v1/users/${who.id}`, [{ op: 'add', path: '/roles/-', value: { id, type: 'role' } }]));
};

const EXPORTS = {
  csv: () => `/v1/services/databaseServices/name/${root}/exportAsync?recursive=true`,
  search: () => `/v1/search/export/async?q=${root}&index=database_search_index`,
};

const exported = async (who: Client, path: string): Promise<string> => {
  const { jobId } = ok(await who.get(path), 202);
  assert.is((await waitForJobEnd(service.admin, jobId)).status, 'COMPLETED');
  return jobId;
};

const BASES = ['/v1/jobs', '/v1/csvAsyncJobs'];

for (const [what, path] of Object.entries(EXPORTS)) {
  test(`a ${what} file is not shown to a creator who lost the rights`, async () => {
    const creator = await rights.person([EDITOR]);
    const jobId = await exported(creator, path());
    for (const base of BASES) assert.match((await creator.get(`${base}/${jobId}/result`)).text, 'open');
    await restrict(creator, HIDING);
    for (const base of BASES) {
      const reply = await creator.get(`${base}/${jobId}/result`);
      expectRefused(reply, 403, /allowed to see when it was made/);
      assert.not.match(reply.text, 'covert');
      ok(await creator.get(`${base}/${jobId}`));
    }
    // A file that was made by the rights of now is shown, and holds no more than they let the creator see.
    const again = await creator.get(`/v1/jobs/${await exported(creator, path())}/result`);
    assert.is(again.status, 200);
    assert.match(again.text, what === 'csv' ? 'open' : root);
    assert.not.match(again.text, 'covert');
  });

  test(`a ${what} file of another user is shown only to callers who see every record`, async () => {
    const jobId = await exported(service.admin, path());
    const watcher: RuleOptions = { operations: ['ViewAll'], resources: ['job'] };
    const [all, some] = [await rights.person([watcher]), await rights.person([watcher, HIDING])];
    for (const base of BASES) {
      assert.match((await all.get(`${base}/${jobId}/result`)).text, 'covert');
      const reply = await some.get(`${base}/${jobId}/result`);
      expectRefused(reply, 403, /allowed to see when it was made/);
      const job = ok(await some.get(`${base}/${jobId}`));
      assert.equal([job.status, job.logs, 'message' in job], ['COMPLETED', [], false]);
    }
  });
}

test('a job does not name a hidden target', async () => {
  const creator = await rights.person([EDITOR]);
  const jobId = await exported(creator, EXPORTS.csv());
  const { name } = creator;
  assert.is(ok(await creator.get(`/v1/jobs/${jobId}`)).targetFqn, root);
  await restrict(creator, HIDING_SERVICES);
  const paths = [...BASES, ...BASES.map((base) => `${base}/${jobId}`), `/v1/jobs/${jobId}/events`];
  for (const path of paths) {
    const { status, text } = await creator.get(path);
    assert.is(status, 200, `${name} ${path}`);
    assert.match(text, jobId);
    assert.not.match(text, root);
  }
  assert.is(ok(await service.admin.get(`/v1/jobs/${jobId}`)).targetFqn, root);
});

test('rows of a bulk result are omitted when its creator lost the rights', async () => {
  const creator = await rights.person([EDITOR]);
  const rows = [{ name: 'fresh', service: root, tags: PII }];
  const started = await creator.put('/v1/databases/bulk?async=true', rows);
  const jobId = started.headers.get('x-job-id') ?? '';
  assert.is((await waitForJobEnd(creator, jobId)).status, 'COMPLETED');
  assert.is(ok(await creator.get(`/v1/jobs/${jobId}`)).result.successRequest.length, 1);
  await restrict(creator, HIDING);
  for (const path of [`/v1/jobs/${jobId}`, `/v1/jobs/${jobId}/result`, `/v1/csvAsyncJobs/${jobId}`]) {
    const { status, text } = await creator.get(path);
    assert.is(status, 200, path);
    assert.match(text, 'numberOfRowsPassed');
    assert.not.match(text, 'fresh');
  }
  assert.is(ok(await service.admin.get(`/v1/jobs/${jobId}/result`)).successRequest.length, 1);
});

test.run();
