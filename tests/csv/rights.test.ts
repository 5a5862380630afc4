/** Files and policies: nobody sees or changes by a file what he may not see or change otherwise (csv.md 1). */
import * as assert from 'uvu/assert';
import { ok, refused } from '../support/expect.ts';
import { exported, fileOf, imported, pathOf, plantTree, rowsOf } from '../support/files.ts';
import { createRightsMaker, type RightsMaker, type RuleWish } from '../support/rights.ts';
import { type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('csv: rights');

let service: Service;
let admin: Client;
let rights: RightsMaker;

test.before(async () => {
  service = await openService();
  ({ admin } = service);
  rights = createRightsMaker(service);
  test.after(() => rights.clear());
});

const rule = (effect: 'allow' | 'deny', operation: string, resource: string, condition?: string): RuleWish => ({
  effect,
  operations: [operation],
  resources: [resource],
  ...(condition === undefined ? {} : { condition }),
});

const SENSITIVE = "matchAnyTag('PII.Sensitive')";

/** A schema with a table that is labelled as sensitive beside one that is not. */
const plantSecret = async () => {
  const tree = await plantTree(admin);
  const body = { databaseSchema: tree.schema, columns: [{ name: 'c', dataType: 'INT' }] };
  ok(await admin.post('/v1/tables', { ...body, name: 'secret', tags: [{ tagFQN: 'PII.Sensitive' }] }), 201);
  return { ...tree, secret: `${tree.schema}.secret` };
};

const linesOf = (text: string): string[] => rowsOf(text).map(({ entityType, name }) => `${entityType ?? ''} ${name}`);

test('rows of what a policy hides are left out, with their columns', async () => {
  const { schema, database, service: name } = await plantSecret();
  const caller = await rights.person([rule('deny', 'ViewAll', 'table', SENSITIVE)]);
  const whole = linesOf(await exported(admin, 'databaseSchema', schema, '?recursive=true'));
  const seen = linesOf(await exported(caller, 'databaseSchema', schema, '?recursive=true'));
  assert.ok(whole.includes('table secret') && whole.includes('column c'));
  assert.equal(
    seen,
    whole.filter((line) => line !== 'table secret' && line !== 'column c'),
  );
  assert.equal(linesOf(await exported(caller, 'databaseSchema', schema)), [' orders']);
  const blind = await rights.person([rule('deny', 'ViewAll', 'databaseSchema')]);
  assert.equal(linesOf(await exported(blind, 'databaseService', name)), ['database db']);
  refused(await blind.get(pathOf('databaseSchema', schema, 'export')), 403);
  refused(await blind.get(pathOf('databaseSchema', schema, 'exportAsync')), 403);
  assert.equal(linesOf(await exported(blind, 'database', database)), []);
});

test('rows that the caller may not apply fail, in a dry run as well, and the others pass', async () => {
  const { schema, secret } = await plantSecret();
  const caller = await rights.person([
    rule('allow', 'EditAll', 'all'),
    rule('deny', 'EditAll', 'table', SENSITIVE),
    rule('deny', 'Create', 'storedProcedure'),
    rule('allow', 'Create', 'table'),
  ]);
  const file = fileOf('recursive', [
    { name: 'orders', entityType: 'table', fullyQualifiedName: `${schema}.orders`, description: 'mine' },
    { name: 'secret', entityType: 'table', fullyQualifiedName: secret, description: 'mine' },
    { name: 'fresh', entityType: 'table', fullyQualifiedName: `${schema}.fresh` },
    { name: 'p', entityType: 'storedProcedure', fullyQualifiedName: `${schema}.p` },
  ]);
  for (const query of ['', '?dryRun=false']) {
    const { details } = await imported(caller, 'databaseSchema', schema, file, query);
    const forbidden = /^failure: #INVALID_FIELD: Field 14 error - Principal: .* not allowed/;
    assert.equal([details[0], details[2]], ['success: Entity updated', 'success: Entity created']);
    assert.match(details[1], forbidden);
    assert.match(details[3], forbidden);
  }
  assert.is(ok(await admin.get(`/v1/tables/name/${secret}`)).description, undefined);
  refused(await admin.get(`/v1/storedProcedures/name/${schema}.p`), 404);
});

test('an import needs the right to edit the record itself, whatever its rows are about', async () => {
  const { database, schema } = await plantTree(admin);
  const caller = await rights.person([rule('allow', 'EditAll', 'databaseSchema'), rule('allow', 'EditAll', 'table')]);
  const file = fileOf('children', [{ name: 'sc', description: 'mine' }]);
  const put = (operation: string) =>
    caller.raw('PUT', pathOf('database', database, operation), file, { 'content-type': 'text/plain' });
  for (const query of ['', '?dryRun=true', '?dryRun=false']) {
    refused(await put(`import${query}`), 403);
    refused(await put(`importAsync${query}`), 403);
  }
  assert.is(ok(await admin.get(`/v1/databaseSchemas/name/${schema}`)).description, 'A schema');
});

test.run();
