import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { CONTRACTS, createOdcsExchange, type OdcsExchange, odcsJson } from '../support/odcs-exchange.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that exported contracts name the server that holds their record, and to whom. */

const test = suite('contracts: servers of exported documents');

let service: Service;
let exchange: OdcsExchange;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  exchange = createOdcsExchange(service);
  rights = createRightsFactory(service);
});
test.after(() => rights.clear());

const SECRET = 'hush-9f';

const make = async (path: string, body: JsonObject): Promise<CreatedRecord> =>
  ok(await service.admin.put(`/v1/${path}`, body), 201);

type Shop = Readonly<Record<'holder' | 'database' | 'schema' | 'table', CreatedRecord>>;

/** A table in a service of its own. */
const makeShop = async (connection: JsonObject | null = {}): Promise<Shop> => {
  const name = uniqueName('shop');
  const config = {
    type: 'Postgres',
    hostPort: `postgresql://reader:${SECRET}@db.example.com:6543`,
    username: 'reader',
    authType: { password: SECRET },
    ...connection,
  };
  const holder = await make('services/databaseServices', {
    name,
    serviceType: 'Postgres',
    ...(connection ? { connection: { config } } : {}),
  });
  const database = await make('databases', { name: 'sales', service: name });
  const schema = await make('databaseSchemas', { name: 'public', database: `${name}.sales` });
  const columns = [{ name: 'id', dataType: 'INT' }];
  const table = await make('tables', { name: 'orders', databaseSchema: `${name}.sales.public`, columns });
  return { holder, database, schema, table };
};

const makeContract = async (about: CreatedRecord, type = 'table'): Promise<CreatedRecord> =>
  ok(await service.admin.post(CONTRACTS, { name: uniqueName('c'), entity: { id: about.id, type } }), 201);

const serverOf = ({ holder }: Shop): JsonObject => ({
  server: holder.name,
  type: 'postgres',
  host: 'db.example.com',
  port: 6543,
  database: 'sales',
  schema: 'public',
});

const exportAs = async (client: Pick<Person, 'get'>, { id }: CreatedRecord, query = ''): Promise<JsonObject> =>
  ok(await client.get(`${CONTRACTS}/${id}/odcs${query}`));

const denying = (resource: string): Promise<Person> =>
  rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: [resource] }]);

test('an export names the server in every version, and never a secret', async () => {
  const shop = await makeShop();
  const contract = await makeContract(shop.table);
  assert.equal((await exchange.exported(contract)).servers, [serverOf(shop)]);
  assert.equal((await exchange.exported(contract, { fields: 'sla' })).servers, [serverOf(shop)]);
  for (const odcsVersion of ['v3.0.0', 'v3.0.1', 'v3.0.2', 'v3.1.0', 'v3.2.0'])
    assert.equal((await exchange.exported(contract, { odcsVersion })).servers, [serverOf(shop)], odcsVersion);
  for (const odcsVersion of ['v2.2.0', 'v2.2.1', 'v2.2.2']) {
    const { server, database, datasetName, sourceSystem, ...rest } = await exchange.exported(contract, { odcsVersion });
    assert.equal([server, database, datasetName, sourceSystem], ['db.example.com', 'sales', 'public', 'postgres']);
    assert.not.match(JSON.stringify(rest), new RegExp(SECRET));
  }
  for (const path of ['odcs', 'odcs/yaml']) {
    const { text } = await service.admin.get(`${CONTRACTS}/${contract.id}/${path}`);
    assert.match(text, /db\.example\.com/);
    // The administrator may see the connection with its secrets, and a document still has none.
    assert.not.match(text, /hush|reader|\*{9}/);
  }
});

test('a record without a service, and a service without a connection, have no server', async () => {
  const shop = await makeShop(null);
  assert.is((await exchange.exported(await makeContract(shop.table))).servers, undefined);
  const domain = await make('domains', { name: uniqueName('dom'), domainType: 'Aggregate', description: '' });
  const product = await make('dataProducts', {
    name: uniqueName('product'),
    description: '',
    domains: [domain.fullyQualifiedName],
  });
  assert.is((await exchange.exported(await makeContract(product, 'dataProduct'))).servers, undefined);
});

test('a contract of a schema or a database has a server that says what is known', async () => {
  const shop = await makeShop();
  const { schema: _, ...whole } = serverOf(shop);
  assert.equal((await exchange.exported(await makeContract(shop.schema, 'databaseSchema'))).servers, [serverOf(shop)]);
  assert.equal((await exchange.exported(await makeContract(shop.database, 'database'))).servers, [
    { ...whole, type: 'custom', customProperties: [{ property: 'serviceType', value: 'Postgres' }] },
  ]);
});

test('a caller who may not see the service or a place on the way gets no server', async () => {
  const shop = await makeShop();
  const contract = await makeContract(shop.table);
  const plain = await rights.person();
  assert.equal((await exportAs(plain, contract))['servers'], [serverOf(shop)]);
  expectRefused(await (await denying('table')).get(`${CONTRACTS}/${contract.id}/odcs`), 403);
  for (const hidden of ['databaseService', 'database', 'databaseSchema']) {
    const person = await denying(hidden);
    for (const version of ['v3.2.0', 'v3.1.0', 'v3.0.0', 'v2.2.2']) {
      const document = await exportAs(person, contract, `?odcsVersion=${version}`);
      assert.is(document['servers'], undefined, hidden);
      assert.not.match(JSON.stringify(document), /db\.example\.com|6543|postgres/, `${hidden} ${version}`);
    }
  }
});

test('importing an export changes nothing, and the server keeps following the service', async () => {
  const shop = await makeShop();
  const contract = await makeContract(shop.table);
  for (const odcsVersion of ['v3.2.0', 'v3.1.0', 'v3.0.2']) {
    const document = await exchange.exported(contract, { odcsVersion });
    const before = ok(await service.admin.get(`${CONTRACTS}/${contract.id}`));
    const after = await exchange.put(shop.table, document);
    assert.equal([after.version, after.updatedAt], [before.version, before.updatedAt], odcsVersion);
    assert.equal(await exchange.exported(contract, { odcsVersion }), document, odcsVersion);
  }
  const blind = await denying('databaseService');
  assert.is((await exportAs(blind, contract))['servers'], undefined);
  const moved = { type: 'Postgres', hostPort: 'new.example.com:1', username: 'reader' };
  ok(
    await service.admin.put('/v1/services/databaseServices', {
      name: shop.holder.name,
      serviceType: 'Postgres',
      connection: { config: moved },
    }),
  );
  assert.equal((await exchange.exported(contract)).servers, [{ ...serverOf(shop), host: 'new.example.com', port: 1 }]);
});

test('servers of an imported document stay as they were written', async () => {
  const shop = await makeShop();
  const own = [
    { server: 'lake', type: 's3', location: 's3://lake/orders', environment: 'prod' },
    { server: 'copy', type: 'duckdb', database: 'orders.duckdb' },
  ];
  const contract = await exchange.imported(shop.table, odcsJson({ servers: own }));
  assert.equal((await exchange.exported(contract)).servers, own);
  // The server of the service is a change like any other once the document has servers.
  await exchange.put(shop.table, odcsJson({ servers: [serverOf(shop)] }), { mode: 'replace' });
  assert.equal((await exchange.exported(contract)).servers, [serverOf(shop)]);
  const empty = await exchange.imported((await makeShop()).table, odcsJson({ servers: [] }));
  assert.equal((await exchange.exported(empty)).servers, []);
});

test('a document without servers is exported with the server of the service and otherwise as it came', async () => {
  const shop = await makeShop();
  const document = odcsJson({ tags: ['a'], strange: { b: 1 } });
  const contract = await exchange.imported(shop.table, document);
  const { servers, ...rest } = await exchange.exported(contract);
  assert.equal([servers, rest], [[serverOf(shop)], document]);
});

test.run();
