import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok, route } from '../http/fixture.ts';
import { suite } from '../support/suite.ts';
import { callOf, openWith, post } from './fixture.ts';

/** Shows what tools tell when the service itself could not look at everything. */

const test = suite('mcp: what the service could not read');

const TABLE = { id: '11111111-1111-4111-8111-111111111111', fullyQualifiedName: 's.d.p.orders' };
const CUT = { 'x-lineage-truncated': 'edges' };

/** Asks a tool of a service whose API answers one path, as if there were too much to read. */
const ask = async (path: string, json: JsonObject, name: string, given: JsonObject) => {
  const method = ['what_if', 'check_change'].includes(name) ? 'POST' : 'GET';
  const api = [
    route('GET', '/v1/tables/name/{fqn}', () => ok(TABLE)),
    route(method, path, () => ({ ...ok(json), headers: CUT })),
  ];
  const { json: answer, text } = await post(openWith(api).app, callOf(name, given));
  return answer.result?.structuredContent ?? assert.unreachable(text);
};

const ORDERS = { fqn: TABLE.fullyQualifiedName, type: 'table' };

const WITH_NOTE: readonly (readonly [tool: string, path: string, json: JsonObject, given: JsonObject, says: RegExp])[] =
  [
    ['impact', '/v1/lineage/impact', { root: {}, affected: [] }, ORDERS, /did not read all .*: ask for one column/],
    ['check_change', '/v1/dataContracts/check', {}, { ...ORDERS, proposal: '[]' }, /check a smaller change/],
    ['what_if', '/v1/lineage/what-if', { contracts: { affected: {} } }, { changes: '[]' }, /ask about fewer changes/],
    ['root_cause', '/v1/lineage/root-cause', { truncated: true }, ORDERS, /name a column, or a shorter window/],
  ];

for (const [tool, path, json, given, says] of WITH_NOTE) {
  test(`${tool} says that not all was read, and how to ask for less`, async () => {
    const { truncated, note } = await ask(path, json, tool, given);
    assert.is(truncated, true);
    assert.match(note, says);
  });
}

const UNCOUNTED = { data: [], paging: { truncated: true, after: 'abc' } };

const PAGED: readonly (readonly [tool: string, path: string, json: JsonObject, given: JsonObject])[] = [
  ['inherited_labels', '/v1/lineage/propagation', { summary: {} }, { tag: 'a.b' }],
  ['label_flows', '/v1/lineage/flows', { summary: {} }, { tag: 'a.b' }],
  ['important_assets', '/v1/insight/importance', {}, {}],
  ['single_points', '/v1/insight/single-points', { bridges: [] }, {}],
  ['communities', '/v1/insight/communities', {}, {}],
  ['promises', '/v1/insight/promises', { summary: {} }, ORDERS],
  ['lineage_agreement', '/v1/lineage/agreement', { summary: {} }, {}],
];

for (const [tool, path, json, given] of PAGED) {
  test(`${tool} says that not all was looked at, and that there is a next page of unknown length`, async () => {
    const { incomplete, omitted } = await ask(path, { ...UNCOUNTED, ...json }, tool, given);
    assert.match(incomplete, /^The service did not look at everything: (?:name a|ask for)/);
    assert.equal([omitted.length, omitted[0].count, omitted[0].more], [1, undefined, 'after=abc']);
  });
}

test('lineage says how many of the nearest assets were read', async () => {
  const node = { ...TABLE, type: 'table', depth: 0 };
  const graph = { nodes: [node], edges: [], columnEdges: [], truncated: true, hiddenCounts: {} };
  const { truncated, note } = await ask('/v1/lineage/graph', graph, 'lineage', ORDERS);
  assert.is(truncated, true);
  assert.match(note, /Only the 1 nearest assets were read: ask in one direction/);
});

test('the last page of resources says how many assets lie behind it', async () => {
  const sources = Array.from({ length: 250 }, () => ({ _source: { ...TABLE, entityType: 'table' } }));
  const listPage = async (cursor: string, total: number) => {
    const found = route('GET', '/v1/search/query', () => ok({ hits: { hits: sources, total: { value: total } } }));
    const message = { jsonrpc: '2.0', id: 1, method: 'resources/list', params: { cursor } };
    return (await post(openWith([found]).app, message)).json.result;
  };
  const { nextCursor, _meta } = await listPage('9750', 12_000);
  assert.is(nextCursor, undefined);
  assert.equal(_meta, { 'tributary/omitted': '2000 more assets, which the tool search finds' });
  assert.is((await listPage('9500', 12_000)).nextCursor, '9750');
  assert.is((await listPage('9750', 10_000))._meta, undefined);
});

test('paths says that not every way was followed', async () => {
  const from = `<#E::table::${TABLE.fullyQualifiedName}>`;
  const { note } = await ask('/v1/lineage/paths', { paths: [], truncated: true }, 'paths', { from, to: from });
  assert.match(note, /Not every way was followed/);
});

test.run();
