import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { countCallsOf } from '../support/count-calls.ts';
import { ok } from '../support/expect.ts';
import { CONTRACTS, createOdcsExchange, type OdcsExchange, odcsPath, odcsRoot } from '../support/odcs-exchange.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { openSecondProcess } from '../support/second-process.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that concurrent imports of documents are all stored. */

const test = suite('contracts: concurrent imports');

let service: Service;
let testing: QualityTests;
let exchange: OdcsExchange;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  exchange = createOdcsExchange(service);
});

const COLUMNS = [{ name: 'id', dataType: 'INT' }];

const ROUNDS = [1, 2, 3];

test('concurrent imports by two processes are all stored', async () => {
  const twin = await openSecondProcess(service);
  const clients = [service.admin, twin];
  const put = (about: { id: string }, text: string, at: number, query = {}) =>
    exchange.send('PUT', odcsPath(about, query), text, 'text/yaml', clients[at % 2]);
  const many = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const round of ROUNDS) {
    const table = await testing.table(COLUMNS);
    // In the first round they make the contract as well.
    if (round > 1) await exchange.imported(table, odcsRoot('name: both\n'));
    const says = (letter: string) =>
      odcsRoot(
        `name: both\nx-${letter}: 1\n${round === 3 ? '' : `customProperties: [{property: ${letter}, value: 1}]\n`}`,
      );
    const replies = await Promise.all(many.map((letter, at) => put(table, says(letter), at)));
    const ids = new Set(replies.map((reply) => (reply.status === 201 ? ok(reply, 201) : ok(reply)).id));
    assert.is(ids.size, 1);
    const [id = ''] = ids;
    const left = await exchange.exported({ id });
    assert.equal(
      many.filter((letter) => left[`x-${letter}`] !== 1),
      [],
      `round ${round}: these were lost`,
    );
  }
});

test('the stored document is the one that the contract was created from', async () => {
  const twin = await openSecondProcess(service);
  const table = await testing.table(COLUMNS);
  const made = await exchange.imported(table, odcsRoot('name: one\n'));
  const clients = [service.admin, twin];
  for (const round of ROUNDS) {
    const replies = await Promise.all(
      [1, 2, 3, 4].map((at) => {
        // Half of them change nothing but the document.
        const value = at > 2 ? round * 10 : round * 10 + at;
        const text = odcsRoot(`name: one\nx-n: ${value}\ncustomProperties: [{property: n, value: ${value}}]\n`);
        return exchange.send('PUT', odcsPath(table, { mode: 'replace' }), text, 'text/yaml', clients[at % 2]);
      }),
    );
    for (const reply of replies) ok(reply);
    const record = ok(await service.admin.get(`${CONTRACTS}/${made.id}?fields=extension`));
    const left = await exchange.exported(made);
    assert.is(left['x-n'], record.extension.n, `round ${round}`);
    assert.equal(left.customProperties, [{ property: 'n', value: record.extension.n }]);
  }
});

const HOSTILE: readonly (readonly [method: string, path: string, text: string, status: number])[] = [
  ['POST', `${CONTRACTS}/odcs/parse/yaml`, odcsRoot(`x: [${'a,'.repeat(700_000)}]\n`), 400],
  ['POST', 'odcs', odcsRoot(`x: ${'{a: '.repeat(200_000)}`), 400],
  ['PUT', 'odcs', odcsRoot(`x: {${Array.from({ length: 30_000 }, (_, at) => `k${at}: v`).join(', ')}}\n`), 201],
  ['POST', `${CONTRACTS}/validate/yaml`, `name: x\nentity: [${'1,'.repeat(600_000)}]\n`, 400],
];

/** What parses texts. */
const PARSING = /\/node_modules\/yaml\/|\/contracts\/odcs\/texts\/(?:yaml|json-text)\./;

test('hostile documents are parsed outside the event loop', async () => {
  const table = await testing.table(COLUMNS);
  const calls = await countCallsOf(PARSING, async () => {
    const replies = await Promise.all(
      HOSTILE.map(([method, path, text]) => exchange.send(method, path === 'odcs' ? odcsPath(table) : path, text)),
    );
    assert.equal(
      replies.map(({ status }) => status),
      HOSTILE.map(([, , , status]) => status),
    );
  });
  assert.is(calls, 0);
});

test('a large accepted document is exported in both formats', async () => {
  const table = await testing.table(COLUMNS);
  const list = Array.from({ length: 20_000 }, (_, at): JsonObject => ({ n: at, text: `row ${at}` }));
  const document = {
    apiVersion: 'v3.1.0',
    kind: 'DataContract',
    id: 'large',
    version: '1.0.0',
    status: 'active',
    'x-list': list as unknown as JsonObject,
  };
  const made = await exchange.imported(table, document);
  assert.equal(await exchange.exported(made), document);
  const out = await service.admin.get(`${CONTRACTS}/${made.id}/odcs/yaml`);
  assert.is(out.status, 200);
  const said = ok(await exchange.send('PUT', odcsPath(table), out.text));
  assert.is(said.version, made.version);
  assert.equal(await exchange.exported(made), document);
});

test.run();
