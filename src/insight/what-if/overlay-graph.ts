import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import type { Graph } from '../../graph/client.ts';
import type { BoundStatement, Statement } from '../../graph/statement.ts';
import { listEdgesBetween, listEdgesViaPipeline, listRecordContracts } from '../../lineage/queries.ts';
import {
  findLineageColumns,
  type LineageColumnRow,
  listJoinedColumns,
  listNextColumns,
  listNextSteps,
  listNextStepsWithoutColumns,
  type NextStepsRow,
  type ReachedColumn,
} from '../../lineage/read/graph/queries.ts';
import type { LineageDirection } from '../../lineage/read/walk-edges.ts';
import { groupBy } from '../../model/group-by.ts';
import { listEdgeStatements, listEnteringPairs, listLeavingPairs, readOwnedColumns } from '../columns/queries.ts';
import { listLabelSources } from '../propagation/queries.ts';
import type { Overlay, ReadStored } from './overlay.ts';
import { correctColumnKeys, correctLabelSources, correctOwnedColumns, correctStatements } from './overlay-columns.ts';
import type { OverlayIndex, OverlayPair, PresentEdge } from './overlay-index.ts';

/**
 * The one place where reads of lineage meet an overlay: each statement that reads edges or mappings is asked of the
 * database, what the changes touch is left out of its rows, and what they make is added. All walks work on such rows, so
 * none of them knows of overlays.
 */

type Correction = (read: ReadStored, params: object) => Promise<object[]>;

const correct = <P extends object, R extends object>(
  statement: BoundStatement<P, R>,
  correction: (read: ReadStored, params: P) => Promise<R[]>,
): readonly [Statement, Correction] => [statement, correction as unknown as Correction];

const endsOf = ({ edge }: PresentEdge, direction: LineageDirection) =>
  direction === 'downstream' ? ([edge.from.node, edge.to.node] as const) : ([edge.to.node, edge.from.node] as const);

const correctSteps = (
  index: OverlayIndex,
  direction: LineageDirection,
  statement: (typeof listNextSteps)[LineageDirection],
  counts: (edge: PresentEdge) => boolean,
) =>
  correct(statement, async (read, { ids, limit }): Promise<NextStepsRow[]> => {
    const rows = await read(statement, { ids, limit: limit + index.replaced });
    const hops = rows.flatMap((row) => row.hops.filter(([from, to]) => !index.isTouched(from, to)));
    const added = ids
      .flatMap((id) => index.edgesAt(direction, id))
      .filter((one) => counts(one) && endsOf(one, direction)[1].deleted !== true);
    const nodes = [...rows.flatMap((row) => row.nodes), ...added.map((one) => endsOf(one, direction)[1])];
    return [
      {
        hops: [...hops, ...added.map(({ tuple: [from, to] }) => [from, to] as const)],
        nodes: [...new Map(nodes.map((node) => [node.id, node])).values()],
      },
    ];
  });

const farOf = (pair: OverlayPair, direction: LineageDirection) =>
  direction === 'downstream'
    ? { near: pair.from, far: pair.to, name: pair.toName, node: pair.toNode }
    : { near: pair.to, far: pair.from, name: pair.fromName, node: pair.fromNode };

/** Lists each far column once, with the columns it was reached from. */
const toReachedColumns = (pairs: readonly OverlayPair[], direction: LineageDirection): ReachedColumn[] => {
  const steps = pairs.map((pair) => farOf(pair, direction));
  return [...groupBy(steps, ({ far, node }) => `${far} ${node.id}`).values()].flatMap((same): ReachedColumn[] => {
    const [first] = same;
    if (!first) return [];
    return [{ reachedFrom: same.map(({ near }) => near), far: first.far, name: first.name, node: first.node }];
  });
};

const correctNextColumns = (index: OverlayIndex, direction: LineageDirection) => {
  const statement = listNextColumns[direction];
  return correct(statement, async (read, { ids, limit }) => {
    const rows = await read(statement, { ids, limit: limit + index.replaced });
    const left = rows.flatMap((row): ReachedColumn[] => {
      const reachedFrom = row.reachedFrom.filter((near) => !index.isTouchedPair(direction, near, row.node.id));
      return reachedFrom.length === 0 ? [] : [{ ...row, reachedFrom }];
    });
    const added = ids.flatMap((id) => index.pairsAt(direction, id));
    return [...left, ...toReachedColumns(added, direction)];
  });
};

const correctEdges = (index: OverlayIndex) => [
  correct(listEdgesBetween, async (read, params) => {
    const rows = await read(listEdgesBetween, { ...params, limit: params.limit + index.replaced });
    const targets = new Set(params.ids);
    const added = params.near
      .flatMap((id) => index.edgesAt('downstream', id))
      .filter(({ tuple }) => targets.has(tuple[1]));
    return [
      ...rows.filter(({ edge: [from, to] }) => !index.isTouched(from, to)),
      ...added.map(({ tuple }) => ({ edge: tuple })),
    ];
  }),
  correct(listEdgesViaPipeline, async (read, { id, limit }) => {
    const rows = await read(listEdgesViaPipeline, { id, limit: limit + index.replaced });
    const added = index.edges.filter(({ tuple }) => tuple[2] === id);
    return [
      ...rows.filter(({ edge: [from, to] }) => !index.isTouched(from, to)),
      ...added.map(({ edge, tuple }) => ({ edge: tuple, nodes: [edge.from.node, edge.to.node] as [RefNode, RefNode] })),
    ];
  }),
];

const correctPairs = (index: OverlayIndex) => [
  correct(listLeavingPairs, async (read, { keys, limit }) => {
    const rows = await read(listLeavingPairs, { keys, limit: limit + index.replaced });
    const added = keys.flatMap((key) => {
      const pairs = index.pairsAt('downstream', key).map(({ to, edgeId }) => [to, edgeId] as const);
      return pairs.length > 0 ? [{ from: key, pairs }] : [];
    });
    return [
      ...rows.map((row) => ({ ...row, pairs: row.pairs.filter(([, id]) => !index.isTouchedEdge(id)) })),
      ...added,
    ];
  }),
  correct(listEnteringPairs, async (read, { keys, limit }) => {
    const rows = await read(listEnteringPairs, { keys, limit: limit + index.replaced });
    const added = keys.flatMap((key) => {
      const pairs = index.pairsAt('upstream', key).map(({ from, edgeId }) => [from, edgeId] as const);
      return pairs.length > 0 ? [{ to: key, pairs }] : [];
    });
    return [
      ...rows.map((row) => ({ ...row, pairs: row.pairs.filter(([, id]) => !index.isTouchedEdge(id)) })),
      ...added,
    ];
  }),
];

/** The number of mappings of one asset's columns that are looked at. */
const MAX_PAIRS = 200_000;

/** Leaves out the stored columns that no stored mapping joins any more. */
const keepJoined = async (read: ReadStored, index: OverlayIndex, rows: readonly LineageColumnRow[]) => {
  const keys = rows.map(({ key }) => key);
  const [leaving, entering] = await Promise.all([
    read(listLeavingPairs, { keys, limit: MAX_PAIRS }),
    read(listEnteringPairs, { keys, limit: MAX_PAIRS }),
  ]);
  const isLeft = ({ pairs }: { readonly pairs: readonly (readonly [string, string])[] }) =>
    pairs.some(([, edgeId]) => !index.isTouchedEdge(edgeId));
  const joined = new Set([
    ...leaving.filter(isLeft).map(({ from }) => from),
    ...entering.filter(isLeft).map(({ to }) => to),
  ]);
  return rows.filter(({ key }) => joined.has(key));
};

const correctJoinedColumns = (index: OverlayIndex) =>
  correct(listJoinedColumns, async (read, params) => {
    const { id } = params;
    const rows = await read(listJoinedColumns, params);
    if (index.edgesOf(id).length === 0) return rows;
    const left = rows.length === 0 ? rows : await keepJoined(read, index, rows);
    const added = [
      ...index.edgesAt('downstream', id).flatMap(({ edge }) => index.pairsOfEdge(edge.id)),
      ...index.edgesAt('upstream', id).flatMap(({ edge }) => index.pairsOfEdge(edge.id)),
    ].map(({ from, fromName, fromNode, to, toName }) =>
      fromNode.id === id ? { key: from, name: fromName } : { key: to, name: toName },
    );
    return [...new Map([...left, ...added].map((row) => [row.key, row])).values()];
  });

const correctContracts = ({ contracts }: Overlay) =>
  correct(listRecordContracts, async (read, { ids }) => {
    const rows = await read(listRecordContracts, { ids: ids.filter((id) => !contracts.has(id)) });
    const proposed = ids.flatMap((id) => {
      const one = contracts.get(id);
      return one ? [{ id, contract: { ...one.node, latestJson: null, annotationsJson: null } }] : [];
    });
    return [...rows, ...proposed];
  });

const createCorrections = (overlay: Overlay, index: OverlayIndex, store: Engine['store']) =>
  new Map<Statement, Correction>([
    ...(['upstream', 'downstream'] as const).flatMap((direction) => [
      correctSteps(index, direction, listNextSteps[direction], () => true),
      correctSteps(index, direction, listNextStepsWithoutColumns[direction], ({ hasColumns }) => !hasColumns),
      correctNextColumns(index, direction),
    ]),
    ...correctEdges(index),
    ...correctPairs(index),
    correctJoinedColumns(index),
    correct(findLineageColumns, correctColumnKeys(overlay)),
    correct(readOwnedColumns, correctOwnedColumns(overlay, index)),
    correct(listEdgeStatements, correctStatements(index)),
    correct(listLabelSources, correctLabelSources(overlay, index, store)),
    correctContracts(overlay),
  ]);

/** Returns the graph as it would be after the changes, as far as lineage is read from it. */
export const createOverlayGraph = (overlay: Overlay, index: OverlayIndex, { graph, store }: Engine): Graph => {
  const corrections = createCorrections(overlay, index, store);
  const read: Graph['read'] = async (statement, params, options) => {
    const ask: ReadStored = (one, its) => graph.read(one, its, options);
    const correction = corrections.get(statement);
    return correction ? ((await correction(ask, params)) as never) : ask(statement, params);
  };
  return { ...graph, read };
};
