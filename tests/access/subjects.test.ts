import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { expectRefused, listQueryFor, ok } from '../support/expect.ts';
import { CASES, createQualityTests, entityLinkOf, type QualityTests, SUITES } from '../support/quality-tests.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that what is about a record is visible only to whom the record is: contracts, tests, suites, results and queries. */

const test = suite('access: what belongs to hidden records');

const CONTRACTS = '/v1/dataContracts';
const QUERIES = '/v1/queries';

/** What the names and descriptions of everything about the hidden table begin with. */
const marker = `zqs${randomUUID().slice(0, 8)}`;

let service: Service;
let rights: RightsFactory;
let quality: QualityTests;
/** May do everything, but sees no table with the tag. */
let blind: Person;
let seeing: Person;
let secret: CreatedRecord;
let open: CreatedRecord;
type Named = Readonly<Record<'contract' | 'testCase' | 'suite' | 'query', CreatedRecord>>;
let about: Named;
let shared: CreatedRecord;

const ref = ({ id }: CreatedRecord, type: string) => ({ id, type });
const described = { description: `${marker} described` };

const makeQuery = async (tables: readonly CreatedRecord[], name: string): Promise<CreatedRecord> =>
  ok(
    await service.admin.post(QUERIES, {
      name,
      ...described,
      query: `select 1 from ${name}`,
      service: secret.fullyQualifiedName.split('.')[0] ?? '',
      queryUsedIn: tables.map((table) => ref(table, 'table')),
    }),
    201,
  );

test.before(async () => {
  service = await openService();
  const { admin } = service;
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
  quality = createQualityTests(service);
  const classification = await rights.make('classifications', 'hiding', { description: 'hides' });
  const tag = await rights.make('tags', 'hide', {
    classification: classification.fullyQualifiedName,
    description: 'x',
  });
  const tags = [{ tagFQN: tag.fullyQualifiedName, source: 'Classification' }];
  open = await quality.table();
  secret = await quality.table(undefined, { name: `${marker}table`, ...described, tags });
  const contract = ok(
    await admin.post(CONTRACTS, { name: `${marker}contract`, ...described, entity: ref(secret, 'table') }),
    201,
  );
  const testCase = await quality.test(secret, 'amount', { name: `${marker}case`, ...described });
  const executable = { name: 'suite', basicEntityReference: secret.fullyQualifiedName };
  const made = ok(await admin.put(`${SUITES}/executable`, executable));
  const query = await makeQuery([secret], `${marker}query`);
  shared = await makeQuery([secret, open], `${marker}shared`);
  about = { contract, testCase, suite: made, query };
  const result = { timestamp: Date.now(), testCaseStatus: 'Failed', result: `${marker} failed` };
  ok(await admin.post(`${CASES}/testCaseResults/${encodeURIComponent(testCase.fullyQualifiedName)}`, result), 201);
  const doing = { operations: ['All'] };
  const hiding = {
    operations: ['ViewAll'],
    resources: ['table'],
    condition: `matchAnyTag('${tag.fullyQualifiedName}')`,
  };
  blind = await rights.person([doing, { effect: 'deny', ...hiding }]);
  seeing = await rights.person([doing]);
  await waitForSequencing(service);
});

const caseFqn = (): string => encodeURIComponent(about.testCase.fullyQualifiedName);

const READS: readonly (() => string)[] = [
  () => `${CONTRACTS}/${about.contract.id}`,
  () => `${CONTRACTS}/name/${encodeURIComponent(about.contract.fullyQualifiedName)}`,
  () => `${CONTRACTS}/${about.contract.id}/versions`,
  () => `${CONTRACTS}/${about.contract.id}/versions/0.1`,
  () => `${CONTRACTS}/${about.contract.id}/odcs`,
  () => `${CONTRACTS}/${about.contract.id}/odcs/yaml`,
  () => `${CONTRACTS}/${about.contract.id}/results`,
  () => `${CONTRACTS}/entity?entityId=${secret.id}&entityType=table`,
  () => `${CASES}/${about.testCase.id}`,
  () => `${CASES}/name/${caseFqn()}`,
  () => `${CASES}/${about.testCase.id}/versions`,
  () => `${CASES}/testCaseResults/${caseFqn()}?startTs=0&endTs=${Date.now() + 1000}`,
  () => `${SUITES}/${about.suite.id}`,
  () => `${SUITES}/${about.suite.id}/versions`,
  () => `${QUERIES}/${about.query.id}`,
  () => `${QUERIES}/${about.query.id}/versions`,
];

test('what is about a hidden record is refused as the record is', async () => {
  for (const path of READS.map((read) => read())) {
    ok(await seeing.get(path));
    const reply = await blind.get(path);
    assert.is(reply.status, 403, `${path}: ${reply.text.slice(0, 200)}`);
    assert.match(reply.text, 'operations [ViewBasic] not allowed');
    assert.not.match(reply.text, `${marker} `);
  }
});

test('lists and their totals leave it out', async () => {
  const lists: readonly (readonly [string, string])[] = [
    [CONTRACTS, about.contract.name],
    [CASES, about.testCase.name],
    [QUERIES, about.query.name],
  ];
  for (const [path, name] of lists) {
    assert.is(ok(await seeing.get(`${path}?${listQueryFor(name)}`)).data[0].name, name);
    assert.not.match(JSON.stringify(ok(await blind.get(`${path}?${listQueryFor(name)}`)).data), `"${name}"`);
  }
  const ofTable = `${CASES}?entityLink=${encodeURIComponent(entityLinkOf(secret, 'amount'))}`;
  assert.is(ok(await seeing.get(ofTable)).paging.total, 1);
  const none = await blind.get(ofTable);
  assert.not.match(none.text, about.testCase.id);
  if (none.status === 200) assert.is(none.json.paging.total, 0);
});

test('search, suggestions and facets leave it out', async () => {
  const search = `/v1/search/query?q=${marker}*&index=all&size=50`;
  const found = ok(await seeing.get(search)).hits.hits.map(({ _source }: { _source: { id: string } }) => _source.id);
  assert.ok(found.includes(about.testCase.id), 'whoever sees the table finds the test');
  const { text } = await blind.get(search);
  for (const { id } of [secret, ...Object.values(about)]) assert.not.match(text, id);
});

test('a query that reads several tables stays, without the hidden ones', async () => {
  const left = ok(await blind.get(`${QUERIES}/${shared.id}?fields=queryUsedIn`));
  assert.equal(
    left.queryUsedIn.map(({ id }: CreatedRecord) => id),
    [open.id],
  );
});

test('events and the history tell nothing of it', async () => {
  const since = `timestamp=${Date.now() - 600_000}&limit=1000`;
  const types = 'dataContract,testCase,testSuite,query';
  const events = `/v1/events?entityCreated=${types}&entityUpdated=${types}&${since}`;
  const ids = Object.values(about).map(({ id }) => id);
  const told = (text: string) => ids.filter((id) => text.includes(id)).length;
  assert.is(told((await seeing.get(events)).text), ids.length);
  assert.is(told((await blind.get(events)).text), 0);
});

test('nothing is made about a record that the caller does not see, and nothing about it is changed', async () => {
  const body = { name: uniqueName('c'), entity: ref(secret, 'table') };
  expectRefused(await blind.post(CONTRACTS, body), 403, /operations \[ViewBasic\] not allowed/);
  expectRefused(await blind.post(CASES, quality.body(secret, 'id')), 403, /operations \[ViewBasic\] not allowed/);
  const change = [{ op: 'test', path: '/description', value: `${marker} described` }];
  for (const [path, { id }] of [
    [CONTRACTS, about.contract],
    [CASES, about.testCase],
    [QUERIES, about.query],
  ] as const)
    expectRefused(await blind.patch(`${path}/${id}`, change), 403, /operations \[ViewBasic\] not allowed/);
  const run = { timestamp: Date.now(), testCaseStatus: 'Success' };
  expectRefused(await blind.post(`${CASES}/testCaseResults/${caseFqn()}`, run), 403);
  expectRefused(await blind.delete(`${SUITES}/executable/${about.suite.id}?hardDelete=true`), 403);
});

test.run();
