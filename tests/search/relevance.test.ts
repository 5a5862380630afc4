import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { queryAt } from './schema-fixture.ts';

/** Shows that the asset that users expect comes first, in the catalog of a small shop. */

const test = suite('search: relevance');

let service: Service;
let admin: Client;
/** All records lie in a domain of their own, so that nothing of other suites is found. */
let domain: string;

type Made = { readonly id: string; readonly fullyQualifiedName: string };

const label = (tagFQN: string) => ({ tagFQN, source: 'Classification' });

const columns = (...names: readonly string[]) =>
  names.map((text) => {
    const [name = '', description] = text.split(': ');
    return { name, dataType: 'VARCHAR', dataLength: 64, ...(description ? { description } : {}) };
  });

type Popular = { readonly usage?: number; readonly votes?: number };

type TableWish = readonly [name: string, more: object, popular?: Popular];

const TABLES: readonly TableWish[] = [
  ['dim_customer', { description: 'One row for everybody who ever bought', columns: columns('customer_id', 'email') }],
  ['customer', { description: 'Raw feed of the till', columns: columns('id', 'loyalty_card') }],
  ['customer_orders', { description: 'Orders with who placed them', columns: columns('order_id', 'customer_id') }],
  ['fct_sales', { description: 'Every sale to a customer, by day', columns: columns('customer_id', 'net_amount') }],
  ['raw_customers_2019', { description: 'Old feed, not loaded any more', columns: columns('id') }],
  ['stg_customer_address', { description: 'Where parcels go', columns: columns('street', 'postcode') }],
  ['dim_product', { displayName: 'Product catalogue', columns: columns('sku: What stands on the label') }],
  ['dim_store', { description: 'All shops with their opening hours', columns: columns('store_id', 'opening_hours') }],
  ['inventory_snapshot', { description: 'What lies on the shelves at midnight', columns: columns('sku', 'quantity') }],
  ['web_sessions', { description: 'Clicks of visitors', columns: columns('session_id', 'user_agent') }],
  ['payments', { displayName: 'Payments received', tags: [label('PII.Sensitive')], columns: columns('iban') }],
  ['refunds', { description: 'Payments given back', columns: columns('refund_id') }],
  ['fx_rates', { displayName: 'Exchange rates', columns: columns('currency', 'rate') }],
  ['monthly_revenue', { description: 'Revenue by month, closed', columns: columns('month', 'revenue') }],
  ['revenue_forecast', { description: 'What may come', columns: columns('month', 'expected') }],
  ['churn_scores', { description: 'How likely somebody leaves', columns: columns('customer_id', 'score') }],
  ['shipments_eu', { description: 'Parcels on their way', columns: columns('parcel_id') }, { usage: 2 }],
  ['shipments_us', { description: 'Parcels on their way', columns: columns('parcel_id') }, { usage: 900 }],
  ['returns_north', { description: 'Parcels that came back', columns: columns('parcel_id') }],
  ['returns_south', { description: 'Parcels that came back', columns: columns('parcel_id') }, { votes: 1 }],
  ['ledger_a', { description: 'Books', columns: columns('entry') }],
  ['ledger_b', { description: 'Books', columns: columns('entry'), tags: [label('Tier.Tier1')] }],
  ['audit_x', { description: 'Traces', columns: columns('entry'), tags: [label('Tier.Tier3')] }],
  ['audit_y', { description: 'Traces', columns: columns('entry'), tags: [label('Tier.Tier1')] }],
  ['GeoRegion', { description: 'Where on the map', columns: columns('polygon') }],
  ['ipAddressBlocklist', { description: 'Who is kept out', columns: columns('ip_address') }],
  ['kpi_daily', { displayName: 'Daily key figures', columns: columns('figure') }],
  ["it's 100% done!", { description: 'A name typed by a person', columns: columns('x') }],
  ['a/b:c', { description: 'Another of those', columns: columns('x') }],
  ['[draft] plan', { description: 'And another', columns: columns('x') }],
];

const popular = async (id: string, { usage, votes }: Popular): Promise<void> => {
  if (usage !== undefined) {
    const date = new Date().toISOString().slice(0, 10);
    ok(await admin.put(`/v1/usage/table/${id}`, { date, count: usage }));
  }
  if (votes !== undefined) ok(await admin.put(`/v1/tables/${id}/vote`, { updatedVoteType: 'votedUp' }));
};

const make = async (path: string, body: object): Promise<Made> =>
  ok(await admin.post(`/v1/${path}`, { domains: [domain], ...body }), 201);

const makeTables = async (root: string): Promise<void> => {
  const { fullyQualifiedName: database } = await make('databases', { name: 'shop', service: root });
  const schema = await make('databaseSchemas', { name: 'core', displayName: 'Core tables', database });
  for (const [name, more, wish = {}] of TABLES) {
    const { id } = await make('tables', { name, databaseSchema: schema.fullyQualifiedName, ...more });
    await popular(id, wish);
  }
};

test.before(async () => {
  service = await openService();
  admin = service.admin;
  const root = uniqueName('shop');
  domain = uniqueName('judged');
  ok(await admin.post('/v1/domains', { name: domain, description: 'x', domainType: 'Aggregate' }), 201);
  const serve = (path: string, serviceType: string) => make(`services/${path}`, { name: root, serviceType });
  await serve('databaseServices', 'Mysql');
  await serve('messagingServices', 'Kafka');
  await serve('dashboardServices', 'Looker');
  await serve('pipelineServices', 'Airflow');
  await serve('mlmodelServices', 'Mlflow');
  await serve('storageServices', 'S3');
  await makeTables(root);
  await make('topics', {
    name: 'order-events',
    description: 'Each order as it is placed',
    service: root,
    partitions: 3,
    messageSchema: { schemaType: 'JSON', schemaFields: [{ name: 'basket_total', dataType: 'INT' }] },
  });
  const chart = await make('charts', { name: 'sales_by_region', displayName: 'Sales by region', service: root });
  await make('dashboards', {
    name: 'exec_overview',
    displayName: 'Executive overview',
    service: root,
    charts: [chart.fullyQualifiedName],
  });
  await make('pipelines', {
    name: 'nightly_load',
    displayName: 'Nightly load',
    service: root,
    tasks: [{ name: 'dedupe_visitors', description: 'Throws out robots' }],
  });
  await make('mlmodels', { name: 'churn_predictor', description: 'Who will leave', algorithm: 'trees', service: root });
  await make('containers', { name: 'landing-zone', description: 'Files as they arrive', service: root });
  const glossary = uniqueName('words');
  await make('glossaries', { name: glossary, description: 'What we mean' });
  await make('glossaryTerms', {
    name: 'gross_margin',
    displayName: 'Gross margin',
    description: 'What is left of revenue',
    glossary,
  });
});

const FIRST: readonly (readonly [query: string, first: string, why: string, index?: string])[] = [
  ['dim_customer', 'dim_customer', 'its name'],
  ['DimCustomer', 'dim_customer', 'its name in another style'],
  ['dimcustomer', 'dim_customer', 'its name run together'],
  ['dim customer', 'dim_customer', 'the words of its name'],
  ['customer dim', 'dim_customer', 'the words of its name in another order'],
  ['customer', 'customer', 'exactly its name'],
  ['CUSTOMER', 'customer', 'its name in capitals'],
  ['custmer', 'customer', 'its name but for one letter'],
  ['dim_custmer', 'dim_customer', 'its name but for one letter'],
  ['customer_ord', 'customer_orders', 'its name unfinished'],
  ['customer orders', 'customer_orders', 'both words, in the name'],
  ['customer address', 'stg_customer_address', 'both words in one name'],
  ['Product catalogue', 'dim_product', 'exactly its display name'],
  ['catalogue', 'dim_product', 'a word of its display name'],
  ['product', 'dim_product', 'a word of its names'],
  ['exchange rates', 'fx_rates', 'its display name'],
  ['exchagne rates', 'fx_rates', 'its display name but for two letters'],
  ['revenue month', 'monthly_revenue', 'words of name and description'],
  ['revenue forecast', 'revenue_forecast', 'its name'],
  ['forecast', 'revenue_forecast', 'a word of its name'],
  ['payments', 'payments', 'its name before the description of another'],
  ['payments given back', 'refunds', 'its description'],
  ['opening hours', 'dim_store', 'words of a description and a column'],
  ['loyalty', 'customer', 'a word of a column'],
  ['loyalty_card', 'customer', 'a column'],
  ['user_agent', 'web_sessions', 'a column'],
  ['PII.Sensitive', 'payments', 'a tag'],
  ['sensitive', 'payments', 'a word of a tag'],
  ['shipments', 'shipments_us', 'alike, but one is used'],
  ['parcels on their way', 'shipments_us', 'alike, but one is used'],
  ['returns', 'returns_south', 'alike, but somebody voted for one'],
  ['ledger', 'ledger_b', 'alike, but one has a tier'],
  ['audit', 'audit_y', 'alike, but of a better tier'],
  ['geo region', 'GeoRegion', 'its name in words'],
  ['georegion', 'GeoRegion', 'its name in small letters'],
  ['blocklist', 'ipAddressBlocklist', 'the last part of its name'],
  ['ip_address_blocklist', 'ipAddressBlocklist', 'its name in another style'],
  ['inventry snapshot', 'inventory_snapshot', 'its name but for a letter'],
  ['kpi', 'kpi_daily', 'the first word of its name'],
  ['key figures', 'kpi_daily', 'words of its display name'],
  ['name:customer AND description:bought', 'dim_customer', 'both fields'],
  ['"who placed them"', 'customer_orders', 'a row of words'],
  ['churn*', 'churn_scores', 'how its name begins'],
  ["it's 100% done!", "it's 100% done!", 'its name as it is'],
  ['a/b:c', 'a/b:c', 'its name as it is'],
  ['"[draft] plan"', '[draft] plan', 'its name in quotes'],
  ['inv', 'inventory_snapshot', 'how its name begins'],
  ['cust', 'customer', 'how its name begins, which ends with that word'],
  ['dim_pr', 'dim_product', 'how its name begins'],
  ['chur', 'churn_scores', 'how its name begins, not how another is spelled'],
  ['revenue', 'revenue_forecast', 'how its name begins, before a name that holds the word'],
  ['raw customers', 'raw_customers_2019', 'words of its name'],
  ['customers 2019', 'raw_customers_2019', 'words of its name with a number'],
  ['products', 'dim_product', 'a word of its names in the plural'],
  ['orders', 'customer_orders', 'a word of its name'],
  ['cutsomer', 'customer', 'its name with two letters turned round'],
  ['paymnets', 'payments', 'its name with two letters turned round'],
  ['web sesions', 'web_sessions', 'its name but for a letter'],
  ['refunds', 'refunds', 'its name, although another that is nearly so is popular'],
  ['shipments_eu', 'shipments_eu', 'its name, although another is used'],
  ['customer email', 'dim_customer', 'a word of its name and a column'],
  ['net amount', 'fct_sales', 'a column in words'],
  ['postcode', 'stg_customer_address', 'a column'],
  ['shops opening', 'dim_store', 'words of its description'],
  ['monthly_revenue OR nothingelse', 'monthly_revenue', 'one of two'],
  ['dim_customer zzzzzz', 'dim_customer', 'what there is of the words'],
  ['order', 'order-events', 'the first word of its name', 'all'],
  ['robots', 'nightly_load', 'what one of its tasks does', 'all'],
  ['files arrive', 'landing-zone', 'words of its description', 'all'],
  ['churn', 'churn_scores', 'the first word of its name', 'table'],
  ['margn', 'gross_margin', 'a word of its name but for a letter', 'all'],
  ['order events', 'order-events', 'its name', 'all'],
  ['order-events', 'order-events', 'its name as it is', 'all'],
  ['basket_total', 'order-events', 'a field of its messages', 'all'],
  ['executive', 'exec_overview', 'a word of its display name', 'all'],
  ['sales by region', 'sales_by_region', 'its name, before the dashboard that has it', 'all'],
  ['nightly', 'nightly_load', 'a word of its name', 'all'],
  ['dedupe visitors', 'nightly_load', 'one of its tasks', 'all'],
  ['churn predictor', 'churn_predictor', 'its name', 'all'],
  ['landing zone', 'landing-zone', 'its name', 'all'],
  ['gross margin', 'gross_margin', 'its name', 'all'],
  ['gross_margin', 'gross_margin', 'its name', 'all'],
  ['customer', 'customer', 'exactly its name, of all kinds', 'all'],
  ['core tables', 'core', 'its display name', 'all'],
];

const found = async (q: string, index = 'table'): Promise<readonly string[]> => {
  const query_filter = JSON.stringify({ query: { term: { 'domains.fullyQualifiedName': domain } } });
  const { hits } = ok(await admin.get(queryAt('query', { q, index, query_filter, size: '5' })));
  return hits.hits.map(({ _source }: { readonly _source: { readonly name: string } }) => _source.name);
};

for (const [query, first, why, index] of FIRST) {
  test(`«${query}»${index ? ` of ${index}` : ''} finds ${first} first: ${why}`, async () => {
    const names = await found(query, index);
    assert.is(names[0], first, `found ${names.join(', ')}`);
  });
}

test('the closer a query is to the name, the better the name ranks', async () => {
  const placeOf = async (query: string): Promise<number> => (await found(query)).indexOf('dim_customer');
  assert.equal(await Promise.all(['dim_customer', 'DimCustomer'].map(placeOf)), [0, 0]);
  for (const query of ['customer', 'custmer']) assert.ok((await placeOf(query)) > 0, query);
});

test.run();
