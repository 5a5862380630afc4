import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { LabelNode, RefNode } from '../../catalog/queries.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { isColumnKey } from '../../lineage/column-mappings.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { columnPathBelow } from '../../lineage/read/graph/change-certainty.ts';
import type { LineageDirection } from '../../lineage/read/walk-edges.ts';
import { chunk } from '../../model/chunk.ts';
import { groupBy } from '../../model/group-by.ts';
import { fqnPart } from '../../model/name.ts';
import { createTrustLookup, isBetterTrust, type MappingTrust, type TrustRules } from './mapping-trust.ts';
import {
  listEdgeStatements,
  listEnteringPairs,
  listLeavingPairs,
  type OwnedColumnsRow,
  readOwnedColumns,
} from './queries.ts';

/**
 * Reads the columns that are made from some columns, or that those are made from, with the mappings between them, as far
 * as the caller may see.
 */

/** A column that lineage joins, or a chart that represents one of its dashboard. */
export type TracedColumn = {
  readonly key: string;
  readonly fullyQualifiedName: string;
  readonly name: string;
  readonly owner: RefNode;
  readonly labels: readonly LabelNode[];
};

/** A column that another is made from, with what its mappings say of how. */
export type ColumnStep = MappingTrust & { readonly from: TracedColumn; readonly to: TracedColumn };

export type ColumnGraph = {
  readonly columns: ReadonlyMap<string, TracedColumn>;
  readonly steps: readonly ColumnStep[];
  readonly cut: 'edges' | undefined;
};

export type ColumnGraphRequest = {
  /** The keys of the columns where the walk begins. */
  readonly starts: readonly string[];
  readonly direction: LineageDirection;
  /** The names of tags and classifications: labels with them or below them are read. */
  readonly tagNames: readonly string[];
  /** Whether labels with glossary terms are read as well. */
  readonly withTerms: boolean;
  readonly maxDepth: number;
  /** The maximum number of mappings to follow. */
  readonly maxSteps: number;
};

type Pair = { readonly from: string; readonly to: string; readonly edgeId: string };

/** So many keys go into one statement, and so many statements run at once. */
const BATCH = 1000;
/** Statements bring the SQL of edges along, so that fewer of them are read at once. */
const STATEMENT_BATCH = 250;
const CONCURRENCY = 2;

/** The ID of the record that stores a column: its owner, or what represents the column. */
export const recordIdOf = (key: string): string => key.split(':', 1)[0] ?? key;

const inBatches = async <R>(
  keys: readonly string[],
  read: (keys: readonly string[]) => Promise<readonly R[]>,
): Promise<R[]> => {
  return (await mapConcurrently(chunk(keys, BATCH), CONCURRENCY, read)).flat();
};

/** Lists the mappings next to some columns. */
type PairReader = (keys: readonly string[], limit: number) => Promise<readonly Pair[]>;

const pairReader = ({ graph }: Engine, direction: LineageDirection): PairReader =>
  direction === 'downstream'
    ? async (batch, limit) => {
        const rows = await inBatches(batch, (keys) => graph.read(listLeavingPairs, { keys, limit }));
        return rows.flatMap(({ from, pairs }) => pairs.map(([to, edgeId]) => ({ from, to, edgeId })));
      }
    : async (batch, limit) => {
        const rows = await inBatches(batch, (keys) => graph.read(listEnteringPairs, { keys, limit }));
        return rows.flatMap(({ to, pairs }) => pairs.map(([from, edgeId]) => ({ from, to, edgeId })));
      };

const walkPairs = async (
  engine: Engine,
  { starts, direction, maxDepth, maxSteps }: ColumnGraphRequest,
): Promise<{ readonly pairs: readonly Pair[]; readonly isCut: boolean }> => {
  const readPairs = pairReader(engine, direction);
  const reached = new Set(starts);
  const pairs: Pair[] = [];
  let frontier: readonly string[] = [...reached];
  for (let depth = 0; depth < maxDepth && frontier.length > 0; depth += 1) {
    const found = await readPairs(frontier, maxSteps - pairs.length + 1);
    for (const pair of found) pairs.push(pair);
    if (pairs.length > maxSteps) return { pairs: pairs.slice(0, maxSteps), isCut: true };
    const fresh: string[] = [];
    for (const { from, to } of found) {
      const key = direction === 'downstream' ? to : from;
      if (reached.has(key)) continue;
      reached.add(key);
      fresh.push(key);
    }
    frontier = fresh;
  }
  return { pairs, isCut: false };
};

const toColumns = ({ owner, columns }: OwnedColumnsRow): readonly TracedColumn[] =>
  columns.map(([key, name, fullyQualifiedName, labels]) => ({
    key,
    fullyQualifiedName: fullyQualifiedName ?? `${owner.fullyQualifiedName}.${fqnPart(name)}`,
    name,
    owner,
    labels,
  }));

/** The columns by key that are living and that the caller may see. */
const readVisibleColumns = async (
  engine: Engine,
  principal: Principal,
  pairs: readonly Pair[],
  { starts, tagNames, withTerms }: ColumnGraphRequest,
): Promise<ReadonlyMap<string, TracedColumn>> => {
  const ends = pairs.flatMap(({ from, to, edgeId }) => [from, to].map((key) => ({ key, edgeId })));
  const keys = [...new Set([...starts, ...ends.map(({ key }) => key)])];
  const edgeIdsOf = groupBy(ends, ({ key }) => key);
  const rows = await inBatches(keys, (batch) => {
    const edgeIds = batch.flatMap((key) =>
      isColumnKey(key) ? [] : (edgeIdsOf.get(key) ?? []).map((one) => one.edgeId),
    );
    return engine.graph.read(readOwnedColumns, { keys: batch, edgeIds, tagNames, withTerms });
  });
  const owners = rows.map(({ owner }) => owner);
  const sees = await readNodeVisibility(engine, principal, owners);
  const visible = rows.filter(({ owner }) => sees(owner.id)).flatMap(toColumns);
  return new Map(visible.map((column) => [column.key, column]));
};

const pairKey = (from: string, to: string): string => `${from} ${to}`;

/** Joins what several edges between the same two columns state: the better counts. */
const uniteSteps = (steps: readonly ColumnStep[]): readonly ColumnStep[] => {
  const best = new Map<string, ColumnStep>();
  for (const step of steps) {
    const key = pairKey(step.from.key, step.to.key);
    const known = best.get(key);
    if (!known || isBetterTrust(step, known)) best.set(key, step);
  }
  return [...best.values()];
};

/** Walks the mappings from some columns. What the caller may not see is neither named nor walked through. */
export const readColumnGraph = async (
  engine: Engine,
  principal: Principal,
  trustRules: TrustRules,
  request: ColumnGraphRequest,
): Promise<ColumnGraph> => {
  const { pairs, isCut } = await walkPairs(engine, request);
  const columns = await readVisibleColumns(engine, principal, pairs, request);
  const seen = pairs.flatMap(({ from, to, edgeId }): { from: TracedColumn; to: TracedColumn; edgeId: string }[] => {
    const [near, far] = [columns.get(from), columns.get(to)];
    return near && far ? [{ from: near, to: far, edgeId }] : [];
  });
  const edgeIds = [...new Set(seen.map(({ edgeId }) => edgeId))];
  const { add, trustOf } = createTrustLookup(trustRules);
  // The SQL of all edges together would not fit into memory.
  await mapConcurrently(chunk(edgeIds, STATEMENT_BATCH), CONCURRENCY, async (batch) => {
    for (const stated of await engine.graph.read(listEdgeStatements, { edgeIds: batch })) add(stated);
  });
  const steps = seen.map(({ from, to, edgeId }) => ({ from, to, ...trustOf(edgeId, pathOf(from), pathOf(to)) }));
  return { columns, steps: uniteSteps(steps), cut: isCut ? 'edges' : undefined };
};

/** The name of a column as mappings have it: its path below the record. */
const pathOf = ({ owner, fullyQualifiedName }: TracedColumn): string => columnPathBelow(owner, fullyQualifiedName);
