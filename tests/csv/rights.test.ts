import * as assert from 'uvu/assert';
import { createDatabaseTree, exportFile, filePathOf, formatFile, importFile, parseRows } from '../support/csv-files.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a CSV file neither shows nor changes what the caller may not view or edit (csv.md 1). */

const test = suite('csv: rights');

let service: Service;
let admin: Client;
let rights: RightsFactory;

test.before(async () => {
  service = await openService();
  ({ admin } = service);
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

const rule = (effect: 'allow' | 'deny', operation: string, resource: string, condition?: string): RuleOptions => ({
  effect,
  operations: [operation],
  resources: [resource],
  ...(condition === undefined ? {} : { condition }),
});

const SENSITIVE = "matchAnyTag('PII.Sensitive')";

/** A schema with a table that is labelled as sensitive beside one that is not. */
const plantSecret = async () => {
  const tree = await createDatabaseTree(admin);
  const body = { databaseSchema: tree.schema, columns: [{ name: 'c', dataType: 'INT' }] };
  ok(await admin.post('/v1/tables', { ...body, name: 'secret', tags: [{ tagFQN: 'PII.Sensitive' }] }), 201);
  return { ...tree, secret: `${tree.schema}.secret` };
};

const linesOf = (text: string): string[] =>
  parseRows(text).map(({ entityType, name }) => `${entityType ?? ''} ${name}`);

test('rows of hidden records are omitted, with their columns', async () => {
  const { schema, database, service: name } = await plantSecret();
  const caller = await rights.person([rule('deny', 'ViewAll', 'table', SENSITIVE)]);
  const whole = linesOf(await exportFile(admin, 'databaseSchema', schema, '?recursive=true'));
  const seen = linesOf(await exportFile(caller, 'databaseSchema', schema, '?recursive=true'));
  assert.ok(whole.includes('table secret') && whole.includes('column c'));
  assert.equal(
    seen,
    whole.filter((line) => line !== 'table secret' && line !== 'column c'),
  );
  assert.equal(linesOf(await exportFile(caller, 'databaseSchema', schema)), [' orders']);
  const blind = await rights.person([rule('deny', 'ViewAll', 'databaseSchema')]);
  assert.equal(linesOf(await exportFile(blind, 'databaseService', name)), ['database db']);
  expectRefused(await blind.get(filePathOf('databaseSchema', schema, 'export')), 403);
  expectRefused(await blind.get(filePathOf('databaseSchema', schema, 'exportAsync')), 403);
  assert.equal(linesOf(await exportFile(blind, 'database', database)), []);
});

test('rows that the caller may not apply fail, in a dry run as well, and the others pass', async () => {
  const { schema, secret } = await plantSecret();
  const caller = await rights.person([
    rule('allow', 'EditAll', 'all'),
    rule('deny', 'EditAll', 'table', SENSITIVE),
    rule('deny', 'Create', 'storedProcedure'),
    rule('allow', 'Create', 'table'),
  ]);
  const file = formatFile('recursive', [
    { name: 'orders', entityType: 'table', fullyQualifiedName: `${schema}.orders`, description: 'mine' },
    { name: 'secret', entityType: 'table', fullyQualifiedName: secret, description: 'mine' },
    { name: 'fresh', entityType: 'table', fullyQualifiedName: `${schema}.fresh` },
    { name: 'p', entityType: 'storedProcedure', fullyQualifiedName: `${schema}.p` },
  ]);
  for (const query of ['', '?dryRun=false']) {
    const { details } = await importFile(caller, 'databaseSchema', schema, file, query);
    const forbidden = /^failure: #INVALID_FIELD: Field 14 error - Principal: .* not allowed/;
    assert.equal([details[0], details[2]], ['success: Entity updated', 'success: Entity created']);
    assert.match(details[1], forbidden);
    assert.match(details[3], forbidden);
  }
  assert.is(ok(await admin.get(`/v1/tables/name/${secret}`)).description, undefined);
  expectRefused(await admin.get(`/v1/storedProcedures/name/${schema}.p`), 404);
});

test('an import requires the right to edit the imported record, whatever its rows change', async () => {
  const { database, schema } = await createDatabaseTree(admin);
  const caller = await rights.person([rule('allow', 'EditAll', 'databaseSchema'), rule('allow', 'EditAll', 'table')]);
  const file = formatFile('children', [{ name: 'sc', description: 'mine' }]);
  const put = (operation: string) =>
    caller.raw('PUT', filePathOf('database', database, operation), file, { 'content-type': 'text/plain' });
  for (const query of ['', '?dryRun=true', '?dryRun=false']) {
    expectRefused(await put(`import${query}`), 403);
    expectRefused(await put(`importAsync${query}`), 403);
  }
  assert.is(ok(await admin.get(`/v1/databaseSchemas/name/${schema}`)).description, 'A schema');
});

test.run();
