import * as assert from 'uvu/assert';
import { changeChoice, filterQuery, readChoice, toggleColumn, writeChoice } from '../../src/explorer/lineage/choice.ts';
import { goOn, mostNodes, readStep, withinLimits } from '../../src/explorer/lineage/graph-query.ts';
import { suite } from '../support/suite.ts';

/** Shows that the address of a lineage page holds the whole view, and that no address breaks it. */

const test = suite('explorer: view in the address');

const throughAddress = (text: string): string => writeChoice(readChoice(new URLSearchParams(text))).toString();

test('a view is the same after its address was shared', () => {
  const text =
    'up=3&down=0&column=a.b.c&of=r&open=x%2Cy&more=upstream%3Ax&with=p%2Cq&asOf=2026-01-31T23%3A59%3A59Z&types=table&group=service&unfold=50%3Aservice%3Ds%2Fschema%3Ds.d.a&alone=x';
  assert.is(throughAddress(text), text);
});

test('filters, panels and the list are part of a view', () => {
  const text =
    'types=table%2Ctopic&services=shop&domains=Sales.EU&tags=PII.Sensitive&view=list&edge=a+b&asset=a&reached=c&failing=true&pick=downstream%3Ax';
  assert.is(throughAddress(text), text);
});

test('a change of the view leaves what else the address says', () => {
  const former = new URLSearchParams('from=table%3Aa&up=3&edge=a+b&tags=x');
  const next = changeChoice(former, { edge: undefined, tags: [], isList: true });
  assert.is(next.toString(), 'up=3&view=list&from=table%3Aa');
});

test('a lit column is of its record, and another one is of another record', () => {
  const former = new URLSearchParams('column=a.b&of=x');
  assert.is(changeChoice(former, { isList: true }).toString(), 'column=a.b&of=x&view=list');
  assert.is(changeChoice(former, toggleColumn({ column: 'a.b' }, 'a.c', 'y')).toString(), 'column=a.c&of=y');
  assert.is(changeChoice(former, toggleColumn({ column: 'a.b' }, 'a.b', 'x')).toString(), '');
  assert.is(changeChoice(former, { column: 'c.d' }).toString(), 'column=c.d');
});

test('what is shown beside the graph takes the place of a list to pick from', () => {
  const former = new URLSearchParams('with=p&pick=upstream%3Ax');
  assert.is(changeChoice(former, { picked: ['p', 'q'] }).toString(), 'with=p%2Cq&pick=upstream%3Ax');
  assert.is(changeChoice(former, { asset: 'p', edge: undefined }).toString(), 'with=p&asset=p');
  assert.is(changeChoice(former, { edge: 'p q' }).toString(), 'with=p&edge=p+q');
  const again = changeChoice(new URLSearchParams('asset=p'), goOn({ more: [] }, 'upstream', 'p', 26));
  assert.is(again.toString(), 'pick=upstream%3Ap');
});

test('one goes on to few neighbours at once, and picks among many', () => {
  const more = ['upstream:a'];
  assert.equal(goOn({ more }, 'upstream', 'b', 25), { more: [...more, 'upstream:b'] });
  assert.equal(goOn({ more }, 'upstream', 'a', 1), {}, 'a step is taken once');
  const picking = { picking: 'downstream:b', asset: undefined, edge: undefined };
  assert.equal(goOn({ more }, 'downstream', 'b', 26), picking);
  assert.equal(readStep('downstream:b'), { direction: 'downstream', id: 'b' });
});

test('an address never compares a time with a later one', () => {
  const text = 'asOf=2026-01-01T00%3A00%3A00Z&since=2026-02-01T00%3A00%3A00Z';
  assert.is(throughAddress(text), 'asOf=2026-02-01T00%3A00%3A00Z&since=2026-01-01T00%3A00%3A00Z');
});

test('filters are asked for as lists', () => {
  const choice = readChoice(new URLSearchParams('types=table,topic&tags=a'));
  assert.equal(filterQuery(choice), { types: 'table,topic', services: '', domains: '', tags: 'a' });
});

test('the usual view has an address without parameters', () => {
  assert.is(throughAddress('up=2&down=2&open=&more='), '');
});

test('a graph is asked for within the limits of the service', () => {
  const limits = { lineageNodes: 200, lineageDepth: 7 };
  const query = { id: 'x', maxNodes: 10_000, upstreamDepth: 40, downstreamDepth: 2 };
  assert.equal(withinLimits(query, limits), { id: 'x', maxNodes: 200, upstreamDepth: 7, downstreamDepth: 2 });
  assert.equal(withinLimits({ id: 'x' }, limits), { id: 'x' });
  assert.equal([limits, { ...limits, lineageNodes: 1_000_000 }].map(mostNodes), [200, 10_000]);
});

test('what no page would have written is left out', () => {
  assert.is(throughAddress('up=-1&down=1e99&other=1&failing=1&view=map'), '');
  assert.is(throughAddress('up=x&down=1.5&group=owner'), '');
});

test.run();
