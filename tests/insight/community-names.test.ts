import * as assert from 'uvu/assert';
import { countDomains } from '../../src/insight/communities/asset-domains.ts';
import { createTopicCounter, suggestTopic, type TopicCounts } from '../../src/insight/communities/common-words.ts';
import { judgeDomain } from '../../src/insight/communities/community-domain.ts';
import type { NetworkAsset } from '../../src/insight/graph/network.ts';
import { suite } from '../support/suite.ts';
import { assetsOf } from './random-graphs.ts';

/** Shows what communities are called, and which domain they have. */

const test = suite('insight: names of communities');

const named = (...names: readonly string[]): NetworkAsset[] =>
  assetsOf(names.length, [], (at) => ({ id: names[at] ?? '', fullyQualifiedName: names[at] ?? '' }));

const countTopics = createTopicCounter();

const suggest = (assets: readonly NetworkAsset[], everywhere: TopicCounts) =>
  suggestTopic(assets, countTopics(assets), everywhere);

const ORDERS = named('dwh.db.public.raw_orders', 'dwh.db.public.stgOrders', 'dwh.db.public.ORDERS_DAILY', 'bi.Orders');
const REST = named('dwh.db.public.raw_users', 'dwh.db.public.stg_users', 'dwh.db.public.daily_visits', 'bi.Visits');

test('a community is called by what most members and few others have in their names', () => {
  const everywhere = countTopics([...ORDERS, ...REST]);
  assert.is(suggest(ORDERS, everywhere).text, 'Orders');
});

test('what contains most members counts as a whole', () => {
  const members = named('dwh.db.customer_care.tickets', 'dwh.db.customer_care.calls', 'dwh.db.customer_care.x1');
  assert.is(suggest(members, countTopics([...members, ...REST, ...ORDERS])).text, 'Customer care');
});

test('members that have nothing in common are called by the first', () => {
  const members = named('a.b.c.first_one', 'd.e.f.second', 'g.h.i.third');
  assert.is(suggest(members, countTopics(members)).text, 'First one');
  assert.is(suggest(named('a."1.2"'), new Map()).text, '1.2');
});

test('names in other scripts have words as well', () => {
  const members = named('s.заказы_2024', 's.Заказы2025', 's."注文.1"');
  assert.is(suggest(members, countTopics([...members, ...named('s.x', 's.y', 's.z', 's.u')])).text, 'Заказы');
});

const domain = (id: string) => ({ id, name: id, fullyQualifiedName: id, displayName: `The ${id}` });

const domainsWith = (assets: readonly NetworkAsset[], of: Readonly<Record<string, readonly string[]>>) => {
  const domainsOf = ({ id }: NetworkAsset) => of[id] ?? [];
  const domains = new Map(['Care', 'Sales'].map((id) => [id, domain(id)]));
  return { domains, domainsOf, sizes: countDomains(assets, domainsOf) };
};

const judge = (of: Readonly<Record<string, readonly string[]>>, sees = (_: string) => true) => {
  const all = [...ORDERS, ...REST];
  const topic = suggest(ORDERS, countTopics(all));
  return judgeDomain({ members: ORDERS, topic }, domainsWith(all, of), sees);
};

const ids = ORDERS.map(({ id }) => id);

test('the domain is that of most members, and gives its name when it tells them from the rest as well', () => {
  const all = Object.fromEntries(ids.map((id) => [id, ['Sales']]));
  assert.equal(judge(all), { domain: domain('Sales'), agreement: 1, suggestedName: 'The Sales' });
  const wide = { ...all, ...Object.fromEntries(REST.map(({ id }) => [id, ['Sales']])) };
  assert.is(judge(wide).suggestedName, 'Orders');
  const [one = '', other = '', third = ''] = ids;
  const mixed = judge({ [one]: ['Sales'], [other]: ['Care', 'Sales'], [third]: ['Care'] });
  assert.equal([mixed.domain?.id, mixed.agreement], ['Care', 0.5], 'the first of two by name');
  assert.equal(judge({}), { domain: undefined, agreement: 0, suggestedName: 'Orders' });
});

test('a domain that a caller may not see does not count', () => {
  const all = Object.fromEntries(ids.map((id, at) => [id, at === 0 ? ['Sales', 'Care'] : ['Sales']]));
  const { domain: found, agreement } = judge(all, (id) => id !== 'Sales');
  assert.equal([found?.id, agreement], ['Care', 0.25]);
  assert.is(judge(all, () => false).domain, undefined);
});

test.run();
