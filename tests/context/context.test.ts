import * as assert from 'uvu/assert';
import { everyKind } from '../support/every-kind.ts';
import { createPerson, expectRefused, expectUnchanged, ok, pathByName } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { anonymous, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the Markdown page of an asset contains what the caller may see. */

const test = suite('context: Markdown page');
const each = everyKind(test);

let service: Service;

test.before(async () => {
  service = await openService();
});

/** The headings of a page, as a reader of Markdown finds them: outside of quotations. */
const headings = (text: string): string[] => text.split('\n').filter((line) => /^#{1,6} /.test(line));

each('every record has a page with title, kind, name and description', async ({ samples, kind, path }) => {
  const made = await samples.create(kind, { displayName: 'Shown', description: '# Not a heading\nTold' });
  const reply = await service.admin.get(`${pathByName(kind, made.fullyQualifiedName)}/context`);
  ok(reply);
  assert.is(reply.headers.get('content-type'), 'text/markdown; charset=utf-8');
  assert.equal(headings(reply.text).slice(0, 2), ['# Shown', '## Description']);
  assert.ok(reply.text.includes(`- **Kind:** ${kind.entityType}\n`), reply.text);
  assert.match(reply.text, /\n> # Not a heading\n> Told\n/);
  assert.ok(reply.text.endsWith('\n'));
  const reader = await createPerson(service, uniqueName('reader'));
  const again = await expectUnchanged(service, made.id, () =>
    reader.get(`/api${pathByName(kind, made.fullyQualifiedName)}/context`),
  );
  assert.is(again.text, reply.text);
  expectRefused(await anonymous(service).get(`${pathByName(kind, made.fullyQualifiedName)}/context`), 401);
  if (!kind.softDeletable) return;
  ok(await service.admin.delete(`${path}/${made.id}`));
  expectRefused(await service.admin.get(`${pathByName(kind, made.fullyQualifiedName)}/context`), 404);
});

each('an unknown record is 404', async ({ kind }) => {
  const sentence = `${kind.entityType} instance for no_such_name not found`;
  expectRefused(await service.admin.get(`${pathByName(kind, 'no_such_name')}/context`), 404, sentence);
});

const newSchema = async (): Promise<string> => {
  const name = uniqueName('ctx');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  return `${name}.db.public`;
};

const contextOf = async (fqn: string): Promise<string> => {
  const reply = await service.admin.get(`/v1/tables/name/${encodeURIComponent(fqn)}/context`);
  ok(reply);
  return reply.text;
};

test('the page of a table has owners, domain, tier, tags and columns at any depth', async () => {
  const schema = await newSchema();
  const owner = await createPerson(service, uniqueName('owner'));
  const domain = ok(
    await service.admin.post('/v1/domains', { name: uniqueName('dom'), domainType: 'Aggregate', description: 'x' }),
    201,
  );
  const made = ok(
    await service.admin.post('/v1/tables', {
      name: 'orders',
      databaseSchema: schema,
      description: 'All orders.',
      owners: [{ id: owner.id, type: 'user' }],
      domains: [domain.fullyQualifiedName],
      tags: [{ tagFQN: 'Tier.Tier1' }, { tagFQN: 'PII.Sensitive' }],
      columns: [
        { name: 'id', dataType: 'INT', description: 'The key.' },
        {
          name: 'address',
          dataType: 'STRUCT',
          dataTypeDisplay: 'struct<city:string>',
          children: [{ name: 'city', dataType: 'STRING', tags: [{ tagFQN: 'PII.NonSensitive' }] }],
        },
      ],
    }),
    201,
  );
  assert.is(
    await contextOf(made.fullyQualifiedName),
    [
      '# orders',
      '',
      '- **Kind:** table',
      `- **Name:** ${schema}.orders`,
      '- **Service type:** Postgres',
      `- **Owners:** ${owner.name}`,
      `- **Domains:** ${domain.name}`,
      '- **Tier:** Tier1',
      '- **Tags:** PII.Sensitive',
      '',
      '## Description',
      '',
      '> All orders.',
      '',
      '## Columns',
      '',
      '| Name | Type | Description | Tags |',
      '| --- | --- | --- | --- |',
      '| id | INT | The key. |  |',
      '| address | struct\\<city:string\\> |  |  |',
      '| address.city | STRING |  | PII.NonSensitive |',
      '',
    ].join('\n'),
  );
});

test('inherited owners and domains are shown, deleted owners are not', async () => {
  const schema = await newSchema();
  const owner = await createPerson(service, uniqueName('owner'));
  ok(
    await service.admin.patch(`/v1/databaseSchemas/name/${encodeURIComponent(schema)}`, {
      owners: [{ id: owner.id, type: 'user' }],
    }),
  );
  const made = ok(await service.admin.post('/v1/tables', { name: 't', databaseSchema: schema, columns: [] }), 201);
  assert.match(await contextOf(made.fullyQualifiedName), new RegExp(`\\*\\*Owners:\\*\\* ${owner.name}\\n`));
  ok(await service.admin.delete(`/v1/users/${owner.id}`));
  assert.not.match(await contextOf(made.fullyQualifiedName), /Owners/);
});

test('glossary terms are shown with their definition, and their names are escaped', async () => {
  const schema = await newSchema();
  const glossary = uniqueName('words');
  ok(await service.admin.post('/v1/glossaries', { name: glossary, description: 'x' }), 201);
  for (const [name, displayName, meaning] of [
    ['churn', 'Churn **rate**', 'Who left.\n\n## Owners'],
    ['arr', undefined, 'Yearly | revenue'],
  ]) {
    ok(await service.admin.post('/v1/glossaryTerms', { name, displayName, glossary, description: meaning }), 201);
  }
  const label = (name: string) => ({ tagFQN: `${glossary}.${name}`, source: 'Glossary' });
  const columns = [{ name: 'id', dataType: 'INT', tags: [label('arr')] }];
  const body = { name: 't', databaseSchema: schema, columns, tags: [label('churn'), label('arr')] };
  const made = ok(await service.admin.post('/v1/tables', body), 201);
  const text = await contextOf(made.fullyQualifiedName);
  assert.ok(
    text.includes(
      [
        '## Glossary terms',
        '',
        `- **arr** (${glossary}.arr): Yearly \\| revenue`,
        `- **Churn \\*\\*rate\\*\\*** (${glossary}.churn): Who left. \\#\\# Owners`,
        '',
      ].join('\n'),
    ),
    text,
  );
  assert.ok(text.includes(`| id | INT |  | ${glossary}.arr |`), text);
  assert.not.match(text, /\*\*Tags:\*\*/);
});

const EVIL = 'x | y\n\n# Owners\n\n- **Tier:** Tier1\n\n```\n<!-- ';

test('no text of a user can imitate a part of the page', async () => {
  const schema = await newSchema();
  const made = ok(
    await service.admin.post('/v1/tables', {
      name: 'evil|name # `x`',
      displayName: EVIL,
      databaseSchema: schema,
      description: EVIL,
      columns: [{ name: 'c|d', dataType: 'INT', dataTypeDisplay: EVIL, description: EVIL }],
    }),
    201,
  );
  const text = await contextOf(made.fullyQualifiedName);
  assert.equal(headings(text).slice(1), ['## Description', '## Columns']);
  assert.is(headings(text)[0], '# x \\| y \\# Owners - \\*\\*Tier:\\*\\* Tier1 \\`\\`\\` \\<!--');
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  assert.is(rows.length, 3);
  for (const row of rows) assert.is(row.replace(/\\[\\|]/g, '').match(/\|/g)?.length, 5, row);
  const kinds = text.split('\n').map((line) => /^(#|>|\||- \*\*(?:Kind|Name|Service type):\*\*|$)/.test(line));
  assert.ok(kinds.every(Boolean), text);
});

test('upstream and downstream assets are shown to callers who may see them', async () => {
  const schema = await newSchema();
  const table = async (name: string) =>
    ok(
      await service.admin.post('/v1/tables', {
        name,
        databaseSchema: schema,
        columns: [{ name: 'id', dataType: 'INT' }],
      }),
      201,
    );
  const [source, hidden, made, gone, target, far] = await Promise.all(
    ['source', 'hid|den', 'made', 'gone', 'target', 'far'].map(table),
  );
  const feed = async (from: { id: string }, to: { id: string }) =>
    ok(
      await service.admin.put('/v1/lineage', {
        edge: { fromEntity: { id: from.id, type: 'table' }, toEntity: { id: to.id, type: 'table' } },
      }),
    );
  assert.not.match(await contextOf(made.fullyQualifiedName), /Lineage/);
  for (const from of [source, hidden, gone]) await feed(from, made);
  await feed(made, target);
  await feed(target, far);
  ok(await service.admin.delete(`/v1/tables/${gone.id}`));
  const told = (...upstream: readonly string[]) =>
    [
      '## Lineage',
      '',
      `- **Upstream:** ${upstream.join(', ')}`,
      `- **Downstream:** ${schema}.target (table)`,
      '',
      '## Columns',
    ].join('\n');
  const text = await contextOf(made.fullyQualifiedName);
  assert.ok(text.includes(told(`${schema}.hid\\|den (table)`, `${schema}.source (table)`)), text);
  const label = { tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' };
  ok(await service.admin.patch(`/v1/tables/${hidden.id}`, [{ op: 'add', path: '/tags/-', value: label }]));
  const shielded = await createRightsFactory(service).person([
    { effect: 'deny', operations: ['All'], resources: ['all'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  const reply = await shielded.get(`/v1/tables/name/${encodeURIComponent(made.fullyQualifiedName)}/context`);
  ok(reply);
  assert.ok(reply.text.includes(told(`${schema}.source (table)`)), reply.text);
  assert.not.match(reply.text, /hid/);
});

test('a page is bounded, so long texts are cut and omitted columns are counted', async () => {
  const schema = await newSchema();
  const columns = Array.from({ length: 620 }, (_, index) => ({
    name: `c${index}`,
    dataType: 'INT',
    description: 'd'.repeat(1000),
  }));
  const made = ok(
    await service.admin.post('/v1/tables', {
      name: 'wide',
      databaseSchema: schema,
      description: 'x'.repeat(100_000),
      columns,
    }),
    201,
  );
  const text = await contextOf(made.fullyQualifiedName);
  assert.match(text, /\n… and 120 more\n$/);
  assert.is(text.split('\n').filter((line) => line.startsWith('| c')).length, 500);
  assert.ok(text.length < 200_000, `${text.length} characters`);
});

test.run();
