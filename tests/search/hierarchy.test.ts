import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { label } from './domain-fixture.ts';
import { type Query, queryAt } from './schema-fixture.ts';

/** Shows that glossary terms and domains can be returned as a tree, without what is hidden (search.md 3.5). */

const test = suite('search: trees');

let service: Service;
let admin: Client;
let rights: RightsFactory;
/** Somebody who sees nothing that is labelled as sensitive. */
let outsider: Client;
let glossary: string;
let domain: string;

const HIDDEN = [label('PII.Sensitive')];

const make = async (path: string, body: object): Promise<void> => {
  ok(await admin.post(`/v1/${path}`, { description: 'Branch', ...body }), 201);
};

const term = (way: string, more: object = {}): Promise<void> => {
  const steps = way.split('.');
  const parent = steps.length > 1 ? { parent: [glossary, ...steps.slice(0, -1)].join('.') } : {};
  return make('glossaryTerms', { name: steps.at(-1), glossary, ...parent, ...more });
};

const subdomain = (way: string, more: object = {}): Promise<void> => {
  const steps = [domain, ...way.split('.')];
  const parent = steps.slice(0, -1).join('.');
  return make('domains', { name: steps.at(-1), parent, domainType: 'Aggregate', ...more });
};

const makeTerms = async (): Promise<void> => {
  glossary = uniqueName('words');
  await make('glossaries', { name: glossary, displayName: 'Our words' });
  await term('money');
  await term('money.margin', { displayName: 'Gross margin' });
  await term('money.margin.net');
  await term('secret', { tags: HIDDEN, description: 'Not for everybody' });
  await term('secret.plan');
  await term('secret.plan.b');
  await term('open');
  await term('open.closed', { tags: HIDDEN, description: 'Not for everybody' });
  await term('open.closed.inner');
};

const makeDomains = async (): Promise<void> => {
  domain = uniqueName('realm');
  await make('domains', { name: domain, domainType: 'Aggregate' });
  await subdomain('north');
  await subdomain('north.coast', { displayName: 'The coast' });
  await subdomain('south', { tags: HIDDEN, description: 'Not for everybody' });
  await subdomain('south.delta');
  await make('dataProducts', { name: uniqueName('goods'), domains: [`${domain}.north`] });
};

test.before(async () => {
  service = await openService();
  admin = service.admin;
  await makeTerms();
  await makeDomains();
  rights = createRightsFactory(service);
  outsider = await rights.person([
    {
      effect: 'deny',
      operations: ['ViewAll'],
      resources: ['glossary', 'glossaryTerm', 'domain'],
      condition: "matchAnyTag('PII.Sensitive')",
    },
  ]);
});

test.after(() => rights.clear());

type Branch = {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly fullyQualifiedName: string;
  readonly children: readonly Branch[];
};

const treeOf = async (parameters: Query, client = admin): Promise<readonly Branch[]> => {
  const asked = { getHierarchy: 'true', size: '100', sort_field: 'fullyQualifiedName', sort_order: 'asc' };
  return ok(await client.get(queryAt('query', { ...asked, ...parameters })));
};

/** A tree of names, with what lies below one in brackets behind it. */
const drawn = (branches: readonly Branch[]): string =>
  branches.map(({ name, children }) => (children.length > 0 ? `${name}(${drawn(children)})` : name)).join(' ');

const allTerms = () => ({ index: 'glossary_term_search_index', q: `fullyQualifiedName:${glossary}.*` });
const allDomains = () => ({ index: 'domain_search_index', q: `fullyQualifiedName:${domain}*` });
const exactly = (index: string, fqn: string) => ({ index, q: `fullyQualifiedName:${fqn}` });

test('terms stand below their parents, and glossaries at the root', async () => {
  const whole = 'money(margin(net)) open(closed(inner)) secret(plan(b))';
  assert.is(drawn(await treeOf(allTerms())), `${glossary}(${whole})`);
  assert.is(drawn(await treeOf({ ...allTerms(), index: 'glossaryTerm' })), `${glossary}(${whole})`, 'by the alias');
  const both = { index: 'glossary', q: `fullyQualifiedName:${glossary}*` };
  assert.is(drawn(await treeOf(both)), `${glossary}(${whole})`, 'a glossary that is found itself stands there once');
});

test('domains stand below their parents, and data products are not in the tree', async () => {
  const whole = `${domain}(north(coast) south(delta))`;
  assert.is(drawn(await treeOf(allDomains())), whole);
  assert.is(drawn(await treeOf({ ...allDomains(), index: 'domain' })), whole);
});

test('ancestors of a hit are in the tree though they do not match, and its siblings are not', async () => {
  const net = exactly('glossaryTerm', `${glossary}.money.margin.net`);
  assert.is(drawn(await treeOf(net)), `${glossary}(money(margin(net)))`);
  assert.is(drawn(await treeOf(exactly('domain', `${domain}.north.coast`))), `${domain}(north(coast))`);
});

const SHOWN = ['children', 'description', 'displayName', 'fullyQualifiedName', 'id', 'name'];

test('each node says whether it matches or is an ancestor of a match', async () => {
  const [root] = await treeOf(exactly('glossaryTerm', `${glossary}.money.margin.net`));
  const way: Branch[] = [];
  for (let at = root; at; at = at.children[0]) way.push(at);
  for (const branch of way) assert.equal(Object.keys(branch).sort(), SHOWN);
  assert.equal(
    way.map(({ displayName }) => displayName),
    ['Our words', 'money', 'Gross margin', 'net'],
  );
  assert.equal(
    way.map(({ fullyQualifiedName }) => fullyQualifiedName),
    [glossary, `${glossary}.money`, `${glossary}.money.margin`, `${glossary}.money.margin.net`],
  );
  for (const { id, description } of way) {
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.is(description, 'Branch');
  }
});

test('no hits yield no tree', async () => {
  for (const index of ['glossary_term_search_index', 'domain_search_index']) {
    assert.equal(await treeOf({ index, q: 'name:nothinglikethis' }), []);
  }
});

test('unapproved terms are in no tree', async () => {
  const reviewers = [{ id: ok(await admin.get('/v1/users/loggedInUser')).id, type: 'user' }];
  await term('draft', { reviewers });
  const { hits } = ok(await admin.get(queryAt('query', exactly('glossaryTerm', `${glossary}.draft`))));
  assert.is(hits.total.value, 1, 'it is found');
  assert.equal(await treeOf(exactly('glossaryTerm', `${glossary}.draft`)), [], 'but not in a tree');
});

test('hits of other indexes are listed as usual', async () => {
  for (const index of ['table', 'all', 'glossaryTerm,table', 'user', 'data_product_search_index']) {
    const answer = ok(await admin.get(queryAt('query', { index, getHierarchy: 'true', q: 'name:nothinglikethis' })));
    assert.equal(answer.hits.hits, [], index);
  }
  const flat = ok(await admin.get(queryAt('query', { ...allDomains(), getHierarchy: 'false' })));
  assert.is(flat.hits.total.value, 5);
});

/** Everything that is said of the branches of a tree. */
const told = (branches: readonly Branch[]): string => JSON.stringify(branches);

test('a hidden term is not shown, and its children stand below the nearest visible ancestor', async () => {
  const tree = await treeOf(allTerms(), outsider);
  assert.is(drawn(tree), `${glossary}(money(margin(net)) open(inner) plan(b))`);
  assert.not.match(told(tree), /Not for everybody/);
});

test('children of a hidden term are found with their visible ancestors', async () => {
  const found = async (way: string) => drawn(await treeOf(exactly('glossaryTerm', `${glossary}.${way}`), outsider));
  assert.is(await found('secret.plan.b'), `${glossary}(plan(b))`);
  assert.is(await found('open.closed.inner'), `${glossary}(open(inner))`);
  assert.is(await found('secret'), '', 'the hidden one is not found');
});

test('a hidden domain is not shown, and its sub-domains are', async () => {
  const tree = await treeOf(allDomains(), outsider);
  assert.is(drawn(tree), `${domain}(north(coast) delta)`);
  assert.not.match(told(tree), /Not for everybody/);
  assert.is(drawn(await treeOf(exactly('domain', `${domain}.south.delta`), outsider)), `${domain}(delta)`);
  assert.is(drawn(await treeOf(exactly('domain', `${domain}.south.delta`))), `${domain}(south(delta))`);
});

test('terms of a hidden glossary are roots', async () => {
  const closed = uniqueName('closed');
  await make('glossaries', { name: closed, tags: HIDDEN, description: 'Not for everybody' });
  await make('glossaryTerms', { name: 'leaf', glossary: closed });
  await make('glossaryTerms', { name: 'vein', glossary: closed, parent: `${closed}.leaf` });
  const terms = { index: 'glossary_term_search_index', q: `fullyQualifiedName:${closed}.*` };
  assert.is(drawn(await treeOf(terms)), `${closed}(leaf(vein))`);
  const tree = await treeOf(terms, outsider);
  assert.is(drawn(tree), 'leaf(vein)');
  assert.not.match(told(tree), /Not for everybody/);
});

test('deleted records are in no tree', async () => {
  const gone = uniqueName('gone');
  await make('glossaries', { name: gone });
  await make('glossaryTerms', { name: 'kept', glossary: gone });
  await make('glossaryTerms', { name: 'lost', glossary: gone });
  const { id } = ok(await admin.get(`/v1/glossaryTerms/name/${gone}.lost`));
  ok(await admin.delete(`/v1/glossaryTerms/${id}`));
  assert.is(drawn(await treeOf({ index: 'glossaryTerm', q: `fullyQualifiedName:${gone}.*` })), `${gone}(kept)`);
});

test('two glossaries have two trees', async () => {
  const other = uniqueName('zwords');
  await make('glossaries', { name: other });
  await make('glossaryTerms', { name: 'net', glossary: other });
  const q = `name.keyword:net AND fullyQualifiedName:(${glossary}.* OR ${other}.*)`;
  assert.is(drawn(await treeOf({ index: 'glossaryTerm', q })), `${glossary}(money(margin(net))) ${other}(net)`);
});

test.run();
