import * as assert from 'uvu/assert';
import type { Principal } from '../../src/access/principal.ts';
import type { Engine } from '../../src/catalog/engine.ts';
import { CatalogError } from '../../src/errors.ts';
import { buildColumnOverlay, type TracedTree, withFormerColumns } from '../../src/insight/what-if/column-overlay.ts';
import { findDbtTables } from '../../src/insight/what-if/find-dbt-tables.ts';
import { createOverlay, edgesCarriedBy, type OverlayEdge, setEdge } from '../../src/insight/what-if/overlay.ts';
import { correctLabelSources } from '../../src/insight/what-if/overlay-columns.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { countCallsOf, expectLinearCalls } from '../support/count-calls.ts';
import { suite } from '../support/suite.ts';

/** Shows that the work for changes of a question grows with their size, and with what they touch. */

const test = suite('insight: work for changes');

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const columns = (count: number, from = 0): JsonObject[] =>
  times(count, (at) => ({ name: `C${from + at}`, dataType: 'INT' }));
const fold = (name: string): string => name.toLowerCase();

test('columns are matched with those before by name', () => {
  expectLinearCalls(
    250,
    (size) => ({ before: columns(size), after: columns(size, size / 2) }),
    ({ before, after }) => withFormerColumns(before, after, fold),
  );
  const names = withFormerColumns(columns(3), [{ name: 'c2' }, { name: 'x' }], fold).map(({ name }) => name);
  assert.equal(names, ['C2', 'x', 'C0', 'C1']);
});

const overlayOf = (): ReturnType<typeof createOverlay> =>
  createOverlay({ graph: { observer: { queueDepth: () => {} } } } as unknown as Engine, {} as Principal, false);

const TREE = ['columns', { nameKey: fold }] as unknown as TracedTree;

test('columns with a label are found among those of the changes by their keys', async () => {
  const index = { pairs: [], byEdgeId: new Map() } as unknown as Parameters<typeof correctLabelSources>[1];
  const workOf = async (size: number): Promise<number> => {
    const overlay = overlayOf();
    const asset = { id: 'a', fullyQualifiedName: 's.d.x.a' };
    const own = buildColumnOverlay(asset, TREE, { stored: columns(size), columns: columns(size) }, (key) => key);
    overlay.columns.set('a', own);
    const rows = [...own.byKey.keys()].map((key) => ({ key }));
    const find = correctLabelSources(overlay, index, {} as Engine['store']);
    const read = (() => Promise.resolve(rows)) as unknown as Parameters<typeof find>[0];
    return countCallsOf(/overlay-columns/, async () => {
      assert.equal(await find(read, { tagId: 't', limit: size }), rows);
    });
  };
  await workOf(10);
  const [few, many] = [await workOf(200), await workOf(800)];
  assert.ok(many < few * 6, `${many} calls for four times as many columns as those with ${few}`);
});

const edgeVia = (at: number, pipelineId: string | undefined): OverlayEdge =>
  ({
    id: `e${at}`,
    from: { id: `f${at}` },
    to: { id: `t${at}` },
    before: undefined,
    after: { assertions: [{ content: { mappings: [], pipelineId } }] },
  }) as unknown as OverlayEdge;

test('the edges through a pipeline are known without looking at all', () => {
  const overlay = overlayOf();
  for (const at of times(10, (place) => place)) setEdge(overlay, edgeVia(at, at % 2 === 0 ? 'p' : undefined));
  setEdge(overlay, edgeVia(0, undefined));
  assert.equal(
    edgesCarriedBy(overlay, 'p').map(({ id }) => id),
    ['e0', 'e2', 'e4', 'e6', 'e8'],
  );
  assert.equal(edgesCarriedBy(overlay, 'q'), []);
});

test('the databases of a project are not looked for in every service when that is too much', async () => {
  const services = times(1000, (at) => ({ node: { id: `s${at}`, fullyQualifiedName: `s${at}` } }));
  let reads = 0;
  const read = () => {
    reads += 1;
    return Promise.resolve(services);
  };
  const authorizer = { isAllowedEverywhere: () => true };
  const tools = { engine: { graph: { read }, authorizer }, overlay: overlayOf() } as unknown as Parameters<
    typeof findDbtTables
  >[0];
  const relations = times(101, (at) => ({ database: `d${at}`, fqn: `d${at}.x.t` }));
  const failure = await findDbtTables(
    tools,
    relations as unknown as Parameters<typeof findDbtTables>[1],
    undefined,
  ).then(
    () => assert.unreachable('it was looked for') as never,
    (reason: unknown) => reason,
  );
  assert.ok(failure instanceof CatalogError && failure.status === 400, String(failure));
  assert.match((failure as CatalogError).message, /^service must be given/);
  assert.is(reads, 1);
});

test.run();
