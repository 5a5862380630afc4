import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { CONTRACTS } from '../support/odcs-exchange.ts';
import { CASES, createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that an evaluation checks every part of a contract and ends with the right outcome (data-contracts.md 8). */

const test = suite('contracts: outcomes of evaluations');

let service: Service;
let testing: QualityTests;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  rights = createRightsFactory(service);
});

test.after(() => rights.clear());

const contract = async (record: Pick<CreatedRecord, 'id'>, more: JsonObject, type = 'table') =>
  ok(
    await service.admin.post(CONTRACTS, {
      name: uniqueName('contract'),
      entity: { id: record.id, type },
      ...more,
    }),
    201,
  );

const judge = async ({ id }: JsonObject) => ok(await service.admin.post(`${CONTRACTS}/${id}/validate`, {}));

const rule = (name: string, expression: unknown, more: JsonObject = {}): JsonObject => ({
  name,
  description: `${name} must hold`,
  rule: typeof expression === 'string' ? expression : JSON.stringify(expression),
  enabled: true,
  ...more,
});

const HOLDS = rule('holds', { '==': [1, 1] });
const FAILS = rule('fails', { '==': [1, 2] });
const COLUMN = { name: 'id', dataType: 'INT' };
const DAILY = { refreshFrequency: { interval: 1, unit: 'day' } };
const DAY = 86_400_000;
const HOUR = DAY / 24;

const update = async ({ id }: Pick<CreatedRecord, 'id'>, timestamp: number) =>
  ok(await service.admin.patch(`/v1/tables/${id}`, { lifeCycle: { updated: { timestamp } } }));

test('failed and passed sections decide the status together', async () => {
  const cases: readonly (readonly [JsonObject, string, string])[] = [
    [{ semantics: [HOLDS] }, 'Success', 'All validations passed'],
    [{ semantics: [FAILS] }, 'Failed', 'Semantics: 1 of 1 rule failed'],
    [{ semantics: [HOLDS, FAILS] }, 'Failed', 'Semantics: 1 of 2 rules failed'],
    [{ schema: [COLUMN], semantics: [FAILS] }, 'PartialSuccess', 'Semantics: 1 of 1 rule failed'],
    [{ semantics: [HOLDS], sla: DAILY }, 'PartialSuccess', 'SLA: refresh frequency missed'],
    [{ semantics: [FAILS], sla: DAILY }, 'Failed', 'Semantics: 1 of 1 rule failed; SLA: refresh frequency missed'],
    [{ sla: { retention: { period: 1, unit: 'day' } } }, 'Success', 'No validation defined'],
  ];
  for (const [more, status, text] of cases) {
    const table = await testing.table();
    await update(table, Date.now() - 3 * DAY);
    const result = await judge(await contract(table, more));
    assert.equal([result.contractExecutionStatus, result.result], [status, text]);
  }
});

test('tests without results keep an evaluation waiting: queued if nothing else counts, else running', async () => {
  const table = await testing.table();
  const [one, two] = [await testing.test(table), await testing.test(table)];
  const qualityExpectations = [one, two].map(({ id }) => ({ id, type: 'testCase' }));
  const run = async ({ fullyQualifiedName }: JsonObject, testCaseStatus: string) =>
    ok(
      await service.admin.post(`${CASES}/testCaseResults/${encodeURIComponent(String(fullyQualifiedName))}`, {
        timestamp: Date.now(),
        testCaseStatus,
      }),
      201,
    );
  const made = await contract(table, { qualityExpectations });
  assert.is((await judge(made)).contractExecutionStatus, 'Queued');
  const path = `${CONTRACTS}/${made.id}`;
  ok(await service.admin.patch(path, { semantics: [HOLDS] }));
  const running = await judge(made);
  assert.is(running.contractExecutionStatus, 'Running');
  assert.is(running.result, 'Quality: 2 of 2 tests pending');
  assert.equal(running.qualityValidation, { passed: 0, failed: 0, total: 2 });
  ok(await service.admin.patch(path, { semantics: [FAILS] }));
  assert.is((await judge(made)).contractExecutionStatus, 'Failed', 'what failed does not wait');
  ok(await service.admin.patch(path, { semantics: [HOLDS] }));
  const last = await judge(made);
  await run(one, 'Success');
  assert.is(ok(await service.admin.get(`${path}/results/latest`)).contractExecutionStatus, 'Running');
  await run(two, 'Aborted');
  const ended = ok(await service.admin.get(`${path}/results/latest`));
  assert.equal([ended.id, ended.contractExecutionStatus], [last.id, 'PartialSuccess']);
  assert.equal(ended.qualityValidation, { passed: 1, failed: 1, total: 2, qualityScore: 50 });
  await run(two, 'Queued');
  assert.is((await judge(made)).contractExecutionStatus, 'Running');
  ok(await service.admin.delete(`${CASES}/${two.id}`));
  assert.equal((await judge(made)).qualityValidation, { passed: 1, failed: 0, total: 1, qualityScore: 100 });
  const { data } = ok(await service.admin.get(`${path}/results?limit=100`));
  const waiting = data.filter((each: JsonObject) => /Running|Queued/.test(String(each['contractExecutionStatus'])));
  assert.equal(waiting, [], 'no judgement waits once another has begun');
});

test('an evaluation ends when its asset is deleted', async () => {
  const table = await testing.table();
  const made = await contract(table, { schema: [COLUMN] });
  // As when the table is being removed together with very much else: it goes first, its contract a while later.
  await service.graph.query('MATCH (t:Entity {id: $id}) SET t.deleted = true REMOVE t:LiveTable', { id: table.id });
  try {
    const result = await judge(made);
    assert.is(result.contractExecutionStatus, 'Aborted');
    assert.match(result.result, `table instance for ${table.id} not found`);
    assert.equal(result.slaValidation, {});
    const latest = ok(await service.admin.get(`${CONTRACTS}/${made.id}/results/latest`));
    assert.equal([latest.id, latest.contractExecutionStatus], [result.id, 'Aborted']);
    const about = `?entityId=${table.id}&entityType=table`;
    expectRefused(await service.admin.post(`${CONTRACTS}/entity/validate${about}`, {}), 404);
  } finally {
    await service.graph.query('MATCH (t:Entity {id: $id}) SET t.deleted = false SET t:LiveTable', { id: table.id });
  }
  assert.is((await judge(made)).contractExecutionStatus, 'Success');
});

test('every operator is evaluated against the current asset', async () => {
  const samples = testing.samples;
  const team = await rights.team();
  const member = await rights.person([], { teams: [team.id] });
  const stranger = await rights.person();
  const glossary = await samples.create('glossary');
  const term = await samples.create('glossaryTerm', { glossary: glossary.fullyQualifiedName });
  const table = await testing.table([
    { name: 'id', dataType: 'INT', tags: [{ tagFQN: 'PII.None' }] },
    { name: 'amount', dataType: 'DOUBLE', description: 'in euro' },
    { name: 'note', dataType: 'STRUCT', children: [{ name: 'text', dataType: 'STRING' }] },
  ]);
  ok(
    await service.admin.patch(`/v1/tables/${table.id}`, {
      owners: [{ id: team.id, type: 'team' }],
      tags: [{ tagFQN: 'Tier.Tier1' }, { tagFQN: term.fullyQualifiedName, source: 'Glossary' }],
    }),
  );
  ok(await service.admin.patch(`/v1/tables/${table.id}`, { description: 'Sales' }));
  const name = { var: 'name' };
  const columns = { var: 'columns' };
  const now = Date.now();
  const rules: Readonly<Record<string, unknown>> = {
    var: { '==': [name, table.name] },
    'var with a default': { '==': [{ var: ['nothing', 'else'] }, 'else'] },
    missing: { '==': [{ missing: ['name', 'nothing'] }, ['nothing']] },
    missing_some: { '==': [{ length: { missing_some: [1, ['name', 'nothing']] } }, 0] },
    if: { if: [{ '!!': name }, true, false] },
    '?:': { '?:': [{ '!': name }, false, true] },
    '==': { '==': [1, '1'] },
    '===': { '===': [name, table.name] },
    '!=': { '!=': [name, 'x'] },
    '!==': { '!==': [1, '1'] },
    '!': { '!': { var: 'nothing' } },
    '!!': { '!!': { var: 'description' } },
    and: { and: [{ '!!': name }, { '==': [1, 1] }] },
    or: { or: [{ '!': name }, { '==': [1, 1] }] },
    '<': { '<': [1, 2, 3] },
    '<=': { '<=': [1, 1] },
    '>': { '>': [2, 1] },
    '>=': { '>=': [2, 2] },
    max: { '==': [{ max: [1, 3, 2] }, 3] },
    min: { '==': [{ min: [1, 3, 2] }, 1] },
    '+': { '==': [{ '+': [1, 2] }, 3] },
    '-': { '==': [{ '-': [3, 2] }, 1] },
    '*': { '==': [{ '*': [3, 2] }, 6] },
    '/': { '==': [{ '/': [6, 2] }, 3] },
    '%': { '==': [{ '%': [7, 4] }, 3] },
    map: { in: ['amount', { map: [columns, { var: 'name' }] }] },
    filter: { '==': [{ length: { filter: [columns, { '==': [{ var: 'dataType' }, 'INT'] }] } }, 1] },
    reduce: { '==': [{ reduce: [columns, { '+': [{ var: 'accumulator' }, 1] }, 0] }, 3] },
    all: { all: [columns, { '!!': { var: 'name' } }] },
    some: { some: [columns, { '==': [{ var: 'description' }, 'in euro'] }] },
    none: { none: [columns, { '==': [{ var: 'dataType' }, 'BLOB'] }] },
    merge: { '==': [{ length: { merge: [[1], [2, 3]] } }, 3] },
    in: { in: ['ale', { var: 'description' }] },
    cat: { '==': [{ cat: ['a', 1] }, 'a1'] },
    substr: { '==': [{ substr: [{ var: 'description' }, 0, 2] }, 'Sa'] },
    log: { '==': [{ log: 'a' }, 'a'] },
    length: { '==': [{ length: columns }, 3] },
    isOwner: { isOwner: member.name },
    'isOwner of somebody else': { '!': { isOwner: stranger.name } },
    isChanged: { isChanged: ['description'] },
    'isChanged of something else': { '!': { isChanged: ['owners', 'columns'] } },
    isUpdatedBefore: { isUpdatedBefore: now + HOUR },
    isUpdatedAfter: { isUpdatedAfter: now - HOUR },
    multipleUsersOrSingleTeamOwnership: { multipleUsersOrSingleTeamOwnership: { var: 'owners' } },
    filterReferenceByType: { '==': [{ length: { filterReferenceByType: [{ var: 'owners' }, 'team'] } }, 1] },
    filterTagsBySource: {
      '==': [
        { map: [{ filterTagsBySource: [{ var: 'tags' }, 'Glossary'] }, { var: 'tagFQN' }] },
        [term.fullyQualifiedName],
      ],
    },
    tableColumnValues: { in: ['PII.None', { tableColumnValues: 'columns.tags.tagFQN' }] },
    contains: { contains: ['Tier.Tier1', { map: [{ var: 'tags' }, { var: 'tagFQN' }] }] },
  };
  const kept = Object.entries(rules).map(([operator, expression]) => rule(operator, expression));
  const lost = Object.entries(rules).map(([operator, expression]) => rule(`not ${operator}`, { '!': expression }));
  const made = await contract(table, {
    semantics: [...kept, ...lost, rule('twice a text', JSON.stringify(JSON.stringify({ '==': [1, 1] })))],
  });
  const { semanticsValidation: found } = await judge(made);
  assert.equal(
    (found.failedRules ?? []).map(({ ruleName }: JsonObject) => ruleName),
    lost.map((each) => each['name']),
  );
  assert.equal([found.passed, found.failed, found.total], [kept.length + 1, lost.length, kept.length * 2 + 1]);
});

test('reviewers are known where an asset has some, and a rule that is not true fails', async () => {
  const domain = await testing.samples.create('domain');
  const team = await rights.team();
  const [direct, member] = [await rights.person(), await rights.person([], { teams: [team.id] })];
  const product = await testing.samples.create('dataProduct', {
    domains: [domain.fullyQualifiedName],
    reviewers: [
      { id: direct.id, type: 'user' },
      { id: team.id, type: 'team' },
    ],
  });
  const made = await contract(
    product,
    {
      semantics: [
        rule('direct', { isReviewer: direct.name }),
        rule('by team', { isReviewer: member.name }),
        rule('nobody', { isReviewer: uniqueName('nobody') }),
        rule('a number', { '+': [1, 1] }),
        rule('a text', { var: 'name' }),
        rule('unknown', { eval: ['1'] }),
        rule('no JSON', '{'),
        rule('off', '{', { enabled: false }),
        rule('of tables', '{', { entityType: 'table' }),
        rule('not of products', '{', { ignoredEntities: ['dataProduct'] }),
      ],
    },
    'dataProduct',
  );
  const { semanticsValidation: found } = await judge(made);
  assert.equal(
    found.failedRules.map(({ ruleName }: JsonObject) => ruleName),
    ['nobody', 'a number', 'a text', 'unknown', 'no JSON'],
  );
  assert.is(found.failedRules[1].reason, 'a number must hold');
  assert.is.not(found.failedRules[3].reason, 'unknown must hold', 'what cannot be evaluated says why');
  assert.equal([found.passed, found.failed, found.total], [5, 5, 10]);
});

const STAMPED = [
  { name: 'id', dataType: 'INT' },
  { name: 'stamp', dataType: 'TIMESTAMP' },
] as const;

const measure = async ({ id }: Pick<CreatedRecord, 'id'>, timestamp: number, max: string | number) =>
  ok(
    await service.admin.put(`/v1/tables/${id}/tableProfile`, {
      tableProfile: { timestamp },
      columnProfile: [{ name: 'stamp', timestamp, max }],
    }),
  );

const write = async ({ id }: Pick<CreatedRecord, 'id'>, operations: readonly (readonly [string, number])[]) =>
  ok(
    await service.admin.put(`/v1/tables/${id}/tableProfile`, {
      tableProfile: { timestamp: Date.now() },
      systemProfile: operations.map(([operation, timestamp]) => ({ operation, timestamp, rowsAffected: 1 })),
    }),
  );

test('the greatest value of a column is the first source of freshness and the only one of latency', async () => {
  const table = await testing.table(STAMPED);
  const now = Date.now();
  const sla = { ...DAILY, maxLatency: { value: 2, unit: 'hour' }, columnName: 'stamp' };
  const made = await contract(table, { sla });
  await update(table, now - 5 * DAY);
  assert.equal((await judge(made)).slaValidation, { refreshFrequencyMet: false }, 'nothing was measured yet');
  await measure(table, now - HOUR, new Date(now - 4 * HOUR).toISOString());
  const late = await judge(made);
  assert.equal(late.slaValidation, { refreshFrequencyMet: true, latencyMet: false, actualLatency: 3 * HOUR });
  assert.equal([late.contractExecutionStatus, late.result], ['Failed', 'SLA: latency missed']);
  await measure(table, now - 1000, new Date(now - HOUR).toISOString());
  assert.equal((await judge(made)).slaValidation, {
    refreshFrequencyMet: true,
    latencyMet: true,
    actualLatency: HOUR - 1000,
  });
  ok(
    await service.admin.patch(`${CONTRACTS}/${made.id}`, { sla: { columnName: `${table.fullyQualifiedName}.stamp` } }),
  );
  assert.is((await judge(made)).slaValidation.latencyMet, true, 'a column may be named in full');
  ok(await service.admin.patch(`${CONTRACTS}/${made.id}`, { sla: { columnName: 'id' } }));
  assert.equal((await judge(made)).slaValidation, { refreshFrequencyMet: false }, 'nothing is known of that column');
});

test('the last write to a table is the next source, and other changes and profiles are no refresh', async () => {
  const table = await testing.table(STAMPED);
  const now = Date.now();
  const made = await contract(table, { sla: { ...DAILY, maxLatency: { value: 1, unit: 'minute' } } });
  await write(table, [['DELETE', now - 1000]]);
  const nothing = await judge(made);
  assert.equal([nothing.slaValidation, nothing.contractExecutionStatus], [{}, 'Success']);
  await update(table, now);
  await write(table, [['UPDATE', now - 2 * DAY]]);
  assert.equal((await judge(made)).slaValidation, { refreshFrequencyMet: false }, 'writes hide the life cycle');
  for (const operation of ['WRITE', 'INSERT', 'UPDATE']) {
    const fresh = await testing.table(STAMPED);
    await write(fresh, [[operation, now - 1000]]);
    const judged = await judge(await contract(fresh, { sla: DAILY }));
    assert.equal(judged.slaValidation, { refreshFrequencyMet: true }, operation);
  }
  const topic = await testing.samples.create('topic');
  assert.equal((await judge(await contract(topic, { sla: DAILY }, 'topic'))).slaValidation, {});
});

const KOLKATA = 5.5 * HOUR;

test('availability looks for a refresh before its time of day, however much came later', async () => {
  const passed = Math.floor((Date.now() - 2 * HOUR) / 60_000) * 60_000;
  const startOfDay = Math.floor((passed + KOLKATA) / DAY) * DAY - KOLKATA;
  const availabilityTime = new Date(passed + KOLKATA).toISOString().slice(11, 16);
  const sla = { availabilityTime, timezone: 'GMT+05:30 (Asia/Kolkata)' };
  const later = Array.from({ length: 1200 }, (_, at) => ['INSERT', passed + 1 + at] as const);
  const judged = async (...first: readonly number[]) => {
    const table = await testing.table(STAMPED);
    await write(table, [...first.map((moment) => ['INSERT', moment] as const), ...later]);
    return judge(await contract(table, { sla }));
  };
  assert.is((await judged(Math.max(startOfDay, passed - 60_000))).slaValidation.availabilityMet, true);
  const missed = await judged(startOfDay - 3 * DAY, startOfDay - 1);
  assert.equal([missed.slaValidation.availabilityMet, missed.result], [false, 'SLA: availability missed']);
  assert.equal((await judged()).slaValidation, {}, 'nobody looked before that time');
  const odd = await contract(await testing.table(STAMPED), { sla: { availabilityTime: 'at noon' } });
  assert.equal((await judge(odd)).slaValidation, {});
});

test('availability of a column uses profiles measured before its time of day', async () => {
  const passed = Math.floor((Date.now() - 2 * HOUR) / 60_000) * 60_000;
  const startOfDay = Math.floor((passed + KOLKATA) / DAY) * DAY - KOLKATA;
  const availabilityTime = new Date(passed + KOLKATA).toISOString().slice(11, 16);
  const sla = { availabilityTime, timezone: 'GMT+05:30 (Asia/Kolkata)', columnName: 'STAMP' };
  const table = await testing.table(STAMPED);
  const made = await contract(table, { sla });
  await measure(table, passed - 1, new Date(startOfDay - 1000).toISOString());
  await measure(table, passed + HOUR, new Date(passed + HOUR).toISOString());
  assert.equal((await judge(made)).slaValidation, { availabilityMet: false });
  await measure(table, passed, new Date(startOfDay + KOLKATA).toISOString().slice(0, 10));
  assert.equal(
    (await judge(made)).slaValidation,
    { availabilityMet: true },
    'a day is its beginning, where the SLA is',
  );
});

test.run();
