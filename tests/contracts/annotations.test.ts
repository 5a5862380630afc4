import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { callTool, connectMcp, toolAnswer } from '../support/mcp-client.ts';
import { CONTRACTS, createOdcsExchange, type OdcsExchange, odcsJson } from '../support/odcs-exchange.ts';
import { createQualityTests, type QualityTests } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that what documents of 3.2.0 say besides the schema reaches searches, checks, impact and assistants. */

const test = suite('contracts: annotations of documents');

let service: Service;
let testing: QualityTests;
let exchange: OdcsExchange;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  exchange = createOdcsExchange(service);
  rights = createRightsFactory(service);
});
test.after(() => rights.clear());

const COLUMNS = [
  { name: 'state', dataType: 'STRING' },
  { name: 'labels', dataType: 'MAP' },
  { name: 'embedding', dataType: 'ARRAY', arrayDataType: 'FLOAT' },
];

const STATE = { name: 'state', logicalType: 'string' };
const labels = (value: string) => ({
  name: 'labels',
  logicalType: 'map',
  map: { key: { logicalType: 'string' }, value: { logicalType: value } },
});
const embedding = (dimensions: number) => ({
  name: 'embedding',
  logicalType: 'vector',
  logicalTypeOptions: { dimensions },
});
const values = (...all: readonly (string | number | null)[]) => ({ enum: all.map((value) => ({ value })) });

const document = (properties: readonly JsonObject[], more: JsonObject = {}, root: JsonObject = {}): JsonObject =>
  odcsJson({
    apiVersion: 'v3.2.0',
    schema: [{ name: 'orders', logicalType: 'object', ...more, properties: [...properties] }],
    ...root,
  });

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
type Answer = any;

const promised = async (source: JsonObject): Promise<{ readonly table: Answer; readonly contract: Answer }> => {
  const table = await testing.table(COLUMNS);
  return { table, contract: await exchange.imported(table, source) };
};

const check = async ({ id }: Answer, source: JsonObject, client: Client = service.admin): Promise<Answer> =>
  ok(
    await client.post(`${CONTRACTS}/check`, {
      entity: { id, type: 'table' },
      proposed: { odcs: JSON.stringify(source) },
    }),
  );

const blindTo = () => rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['dataContract'] }]);

test('annotations are answered only to whom asks for them', async () => {
  const { contract } = await promised(
    document(
      [{ ...STATE, ...values('new', 2, null), synonyms: [{ synonym: 'status' }], semanticType: 'dimension' }],
      { deprecated: true, context: 'One row for each order.', synonyms: [{ synonym: 'purchases' }] },
      { context: { constraints: [{ constraint: 'No names.' }], verifiedStatements: [{ question: 'Who?' }] } },
    ),
  );
  assert.is(contract.odcsAnnotations, undefined);
  assert.is(ok(await service.admin.get(`${CONTRACTS}/${contract.id}?fields=*`)).odcsAnnotations, undefined);
  const { odcsAnnotations } = ok(await service.admin.get(`${CONTRACTS}/${contract.id}?fields=odcsAnnotations`));
  assert.equal(odcsAnnotations, {
    contexts: [
      { verifiedStatements: [{ question: 'Who?' }], constraints: ['No names.'] },
      { instructions: 'One row for each order.' },
    ],
    synonyms: ['purchases'],
    deprecated: true,
    columns: [{ column: 'state', semanticType: 'dimension', enum: ['new', '2', 'null'], synonyms: ['status'] }],
  });
});

test('annotations follow the document and outlive a change of the contract', async () => {
  const { table, contract } = await promised(document([STATE], { synonyms: [{ synonym: 'purchases' }] }));
  const read = async () =>
    ok(await service.admin.get(`${CONTRACTS}/${contract.id}?fields=odcsAnnotations`)).odcsAnnotations;
  ok(await service.admin.patch(`${CONTRACTS}/${contract.id}`, { description: 'Told.', odcsAnnotations: {} }));
  assert.equal(await read(), { synonyms: ['purchases'] });
  await exchange.put(table, document([STATE], { synonyms: [{ synonym: 'sales' }] }));
  assert.equal(await read(), { synonyms: ['sales'] });
  await exchange.put(table, document([STATE]));
  assert.is(await read(), undefined);
});

test('synonyms find the contract, of its asset and of columns and measures', async () => {
  const [asset, column, measure] = [uniqueName('purchases'), uniqueName('condition'), uniqueName('turnover')];
  const { table, contract } = await promised(
    document(
      [
        { ...STATE, synonyms: [{ synonym: column }] },
        { name: 'revenue', logicalType: 'number', semanticType: 'measure', synonyms: [{ synonym: measure }] },
      ],
      { synonyms: [{ synonym: asset, locale: 'en' }] },
    ),
  );
  const found = async (word: string) => {
    const { hits } = ok(await service.admin.get(`/v1/search/query?q="${word}"&index=all,dataContract`));
    return hits.hits.map(({ _source }: Answer) => [_source.id, _source.entity.id]);
  };
  for (const word of [asset, column, measure]) assert.equal(await found(word), [[contract.id, table.id]], word);
  const later = uniqueName('later');
  await exchange.put(table, document([STATE], { synonyms: [{ synonym: later }] }));
  assert.equal(await found(asset), []);
  assert.equal(await found(later), [[contract.id, table.id]]);
  const blind = await blindTo();
  const { hits } = ok(await blind.get(`/v1/search/query?q="${later}"&index=all,dataContract`));
  assert.is(hits.total.value, 0);
});

test('more allowed values break a contract, and fewer do not', async () => {
  const { table } = await promised(document([{ ...STATE, ...values('new', 'paid') }]));
  const judged = async (more: JsonObject) => {
    const { verdict, changes, breaks } = await check(
      table,
      document([{ ...STATE, ...more }, labels('string'), embedding(1)]),
    );
    return [
      verdict,
      changes.map(({ before, after }: Answer) => [before, after]),
      breaks.map(({ reason }: Answer) => reason),
    ];
  };
  const before = '["new","paid"]';
  assert.equal(await judged(values('paid', 'new')), ['ok', [], []]);
  assert.equal(await judged(values('new')), ['ok', [[before, '["new"]']], []]);
  assert.equal(await judged(values('new', 'paid', 'sent')), [
    'breaks',
    [[before, '["new","paid","sent"]']],
    ['column state may be sent and the contract allows new, paid'],
  ]);
  assert.equal(await judged({}), [
    'breaks',
    [[before, undefined]],
    ['column state may have any value and the contract allows new, paid'],
  ]);
  const dropped = await check(table, document([labels('string')]));
  assert.equal(
    dropped.changes.filter(({ column }: Answer) => column === 'state').map(({ change }: Answer) => change),
    ['dropped'],
  );
});

test('values that a contract did not restrict may be restricted', async () => {
  const { table } = await promised(document([STATE]));
  const restricted = [{ ...STATE, ...values('new') }, labels('string'), embedding(1)];
  const { verdict, changes } = await check(table, document(restricted));
  assert.equal([verdict, changes.at(-1)], ['ok', { column: 'state', change: 'enum', after: '["new"]' }]);
});

test('types within maps and vectors are judged', async () => {
  const { table } = await promised(document([labels('integer'), embedding(384)]));
  const judged = async (...properties: readonly JsonObject[]) => {
    const { breaks } = await check(table, document([STATE, ...properties]));
    return breaks.map(({ clause, reason }: Answer) => [clause, reason]);
  };
  assert.equal(await judged(labels('integer'), embedding(384)), []);
  assert.equal(await judged(labels('string'), embedding(768)), [
    ['schema.labels', 'column labels changes from map<string,integer> to map<string,string>'],
    ['schema.embedding', 'column embedding changes from vector<float32>(384) to vector<float32>(768)'],
  ]);
});

test('a check tells nothing of the values of a contract that the caller may not see', async () => {
  const { table } = await promised(document([{ ...STATE, ...values('hush') }]));
  const { verdict, changes } = await check(table, document([STATE, labels('string'), embedding(1)]), await blindTo());
  assert.equal([verdict, changes], ['ok', []]);
});

test('impact says what a contract deprecates', async () => {
  const { table } = await promised(document([{ ...STATE, deprecated: true }, labels('string')], { deprecated: true }));
  const impact = async (client: Client) =>
    ok(await client.get(`/v1/lineage/impact?type=table&fqn=${encodeURIComponent(table.fullyQualifiedName)}`));
  const [{ deprecated, deprecatedColumns }] = (await impact(service.admin)).root.contracts;
  assert.equal([deprecated, deprecatedColumns], [true, ['state']]);
  assert.is((await impact(await blindTo())).root.contracts, undefined);
  const other = await promised(document([STATE], { context: 'It says "deprecated":true.' }));
  const { root } = ok(
    await service.admin.get(`/v1/lineage/impact?type=table&fqn=${encodeURIComponent(other.table.fullyQualifiedName)}`),
  );
  assert.equal([root.contracts[0].deprecated, root.contracts[0].deprecatedColumns], [undefined, undefined]);
});

test('the page of an asset has what its contract tells assistants', async () => {
  const { table } = await promised(
    document(
      [{ ...STATE, ...values('new', 'paid'), deprecated: true, synonyms: [{ synonym: 'status' }] }],
      { deprecated: true, synonyms: [{ synonym: 'purchases' }], context: '# Count rows.\nOne for each order.' },
      {
        context: {
          instructions: 'Amounts are in euros.',
          verifiedStatements: [{ question: 'What sold best?', answer: 'select article from orders' }],
          constraints: [{ constraint: 'Never show names.' }],
        },
      },
    ),
  );
  const page = async (client: Client) => {
    const reply = await client.get(`/v1/tables/name/${encodeURIComponent(table.fullyQualifiedName)}/context`);
    ok(reply);
    return reply.text;
  };
  assert.match(
    await page(service.admin),
    [
      '## Contract',
      '- **Deprecated**\n- **Also called:** purchases\n- Column state: **Deprecated**; **Also called:** status; **Allowed values:** new, paid',
      '> Amounts are in euros.',
      '- **Constraint:** Never show names.\n- **Verified:** What sold best?: select article from orders',
      '> # Count rows.\n> One for each order.',
    ].join('\n\n'),
  );
  assert.not.match(await page(await blindTo()), '## Contract');
});

test('assistants find an asset by its synonyms and read what its contract says', async () => {
  const word = uniqueName('purchases');
  const { table, contract } = await promised(
    document([{ ...STATE, deprecated: true }], { synonyms: [{ synonym: word }], context: 'Amounts are in euros.' }),
  );
  const client = await connectMcp(service, await service.token('admin'), {});
  try {
    const { hits } = await toolAnswer(client, 'search', { query: `"${word}"` });
    assert.equal(
      hits.map(({ type, fqn }: Answer) => [type, fqn]),
      [['dataContract', contract.fullyQualifiedName]],
    );
    const { text } = await callTool(client, 'get_asset', { fqn: table.fullyQualifiedName });
    assert.match(text, word);
    assert.match(text, '> Amounts are in euros.');
    const impact = await toolAnswer(client, 'impact', { fqn: table.fullyQualifiedName, change: 'drop' });
    assert.equal(impact.contracts[0].deprecatedColumns, ['state']);
  } finally {
    await client.close();
  }
});

test.run();
