import * as assert from 'uvu/assert';
import { upgradeDocument } from '../../src/contracts/odcs/versions/convert.ts';
import { ODCS_VERSIONS, type OdcsVersion } from '../../src/contracts/odcs/versions/version.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { odcsDocument } from '../support/odcs-documents.ts';
import { CONTRACTS, createOdcsExchange, type OdcsExchange } from '../support/odcs-exchange.ts';
import { imported, tableOf } from '../support/odcs-mapping.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { manyOr } from '../support/representatives.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that random documents survive import and export. */

const test = suite('contracts: random documents');

let service: Service;
let testing: QualityTests;
let exchange: OdcsExchange;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  exchange = createOdcsExchange(service);
});

const SEEDS = [1, 2, 3, 4].slice(0, manyOr(2, 4));

const KIND_OF_COLUMN = ['name', 'dataType', 'arrayDataType', 'dataLength', 'precision', 'scale'];

/** The columns of a contract as those of a table. */
const asColumns = (columns: readonly JsonObject[]): readonly JsonObject[] =>
  columns.map((column) => ({
    ...Object.fromEntries(KIND_OF_COLUMN.flatMap((name) => (name in column ? [[name, column[name] ?? null]] : []))),
    ...(column['dataType'] === 'VARCHAR' && !('dataLength' in column) ? { dataLength: 1 } : {}),
    ...('children' in column ? { children: asColumns(column['children'] as readonly JsonObject[]) } : {}),
  }));

/** A table that a document is right about, and the object by which the document knows it. */
const tableFor = async (document: JsonObject, version: OdcsVersion) => {
  const shape = upgradeDocument(document, version).document;
  const { contract, objectName } = imported(shape, { target: tableOf('nobody', []) });
  const columns = asColumns((contract['schema'] ?? []) as readonly JsonObject[]);
  const table = await testing.table(columns.length > 0 ? columns : [{ name: 'id', dataType: 'INT' }]);
  return { table, query: objectName === undefined ? {} : { objectName } };
};

type Body = (document: JsonObject, version: OdcsVersion, seed: number) => Promise<void>;

/** Runs the body for documents of every version, and says which one it was that failed. */
const everyDocument = async (body: Body): Promise<void> => {
  for (const version of ODCS_VERSIONS) {
    for (const seed of SEEDS) {
      try {
        await body(odcsDocument(version, seed), version, seed);
      } catch (error) {
        throw new Error(`${version}, seed ${seed}: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      }
    }
  }
};

/** A version that spells its own name one way only. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('an imported document is exported unchanged in every version', async () => {
  await everyDocument(async (document, version, seed) => {
    const { table, query } = await tableFor(document, version);
    const made = await exchange.imported(table, document, { ...query, createTestCases: String(seed % 2 === 0) });
    assert.equal(plain(await exchange.exported(made, { odcsVersion: version })), plain(document));
    const again = await exchange.put(table, document, { ...query, createTestCases: String(seed % 2 === 0) });
    assert.is(again.version, made.version, 'the same document once more changes nothing');
  });
});

test('merge keeps what the document does not contain', async () => {
  await everyDocument(async (document, version) => {
    const { table, query } = await tableFor(document, version);
    const made = await exchange.imported(table, document, query);
    const before = await exchange.exported(made, { odcsVersion: 'v3.1.0' });
    const { status } = before;
    const said = {
      apiVersion: 'v3.1.0',
      kind: 'DataContract',
      id: before.id,
      version: '7.0.0',
      status,
      tenant: 'merged',
    };
    const merged = await exchange.put(table, said);
    assert.is(merged.id, made.id);
    const members = ({
      version: _v,
      updatedAt: _a,
      changeDescription: _c,
      incrementalChangeDescription: _i,
      ...rest
    }: JsonObject) => rest;
    assert.equal(members(merged), members(made));
    const after = await exchange.exported(made, { odcsVersion: 'v3.1.0' });
    assert.equal(plain(after), plain({ ...before, version: '7.0.0', tenant: 'merged' }));
  });
});

/** What a contract is, however often it is replaced. */
const IDENTITY = new Set(
  'id name fullyQualifiedName version updatedAt updatedBy href entity entityStatus deleted createdAt createdBy testSuite latestResult'
    .concat(' changeDescription incrementalChangeDescription provider')
    .split(' '),
);

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

test('replace leaves nothing of the former contract', async () => {
  await everyDocument(async (document, version, seed) => {
    const { table, query } = await tableFor(document, version);
    const made = await exchange.imported(table, document, { ...query, createTestCases: 'true' });
    const said = { apiVersion: 'v3.1.0', kind: 'DataContract', id: `other${seed}`, version: '1.0.0', status: 'active' };
    const replaced = await exchange.put(table, said, { mode: 'replace' });
    assert.is(replaced.id, made.id);
    const left = Object.keys(replaced).filter((name) => !IDENTITY.has(name) && !isEmpty(replaced[name]));
    assert.equal(left, []);
    assert.equal(await exchange.exported(made), said);
    assert.is(ok(await service.admin.get(`${CONTRACTS}/${made.id}`)).name, made.name);
  });
});

test.run();
