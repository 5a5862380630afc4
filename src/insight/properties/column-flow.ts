import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { LabelNode, RefNode } from '../../catalog/queries.ts';
import { type ColumnNode, readTrees } from '../../catalog/read/column-tree.ts';
import { requireKind } from '../../catalog/registry.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { chunk } from '../../model/chunk.ts';
import { type ColumnGraph, readColumnGraph, recordIdOf, type TracedColumn } from '../columns/column-graph.ts';
import type { TrustRules } from '../columns/mapping-trust.ts';
import { listDerivedColumns } from '../columns/queries.ts';
import type { LineageView } from '../graph/lineage-view.ts';
import { degreeOf } from '../graph/network.ts';
import { PROPAGATION_STOP } from '../propagation/ways.ts';
import { isInScope, type Scope } from '../scope.ts';
import {
  type ColumnProperty,
  givenValue,
  type NodeValue,
  type NodeValues,
  recordsValue,
  textValue,
} from './property-value.ts';
import { listStoredTexts, type StoredTexts } from './queries.ts';

/** Reads the columns in a scope and upstream of it, the mappings between them, and what they have. */

export type ColumnFlowRequest = {
  readonly scope: Scope;
  readonly withTerms: boolean;
  readonly maxDepth: number;
  readonly maxSteps: number;
  readonly trust: TrustRules;
};

const RECORD_BATCH = 500;

/** The keys of the columns in a scope that are made from others, until there are more than a limit. */
const listStarts = async (engine: Engine, { network }: LineageView, scope: Scope, limit: number) => {
  const ids = network.assets.flatMap(({ id, fullyQualifiedName }, at) =>
    degreeOf(network.upstream, at) > 0 && isInScope(scope, fullyQualifiedName) ? [id] : [],
  );
  const keys = new Set<string>();
  for (const some of chunk(ids, RECORD_BATCH)) {
    for (const { key } of await engine.graph.read(listDerivedColumns, { ids: some, limit })) keys.add(key);
    if (keys.size >= limit) break;
  }
  return [...keys];
};

/** Walks the mappings upstream from the columns in a scope, as far as the caller may see. */
export const readColumnFlow = async (
  engine: Engine,
  principal: Principal,
  view: LineageView,
  { scope, withTerms, maxDepth, maxSteps, trust }: ColumnFlowRequest,
): Promise<Pick<ColumnGraph, 'steps'> & { readonly cut: string | undefined }> => {
  const found = await listStarts(engine, view, scope, maxSteps + 1);
  const graph = await readColumnGraph(engine, principal, trust, {
    starts: found.slice(0, maxSteps),
    direction: 'upstream',
    tagNames: [PROPAGATION_STOP],
    withTerms,
    maxDepth,
    maxSteps,
  });
  return { steps: graph.steps, cut: found.length > maxSteps ? 'edges' : (graph.cut ?? view.cut) };
};

/** Stored columns are long texts, so that only these many records are read at once, and two statements run. */
const TEXT_BATCH = 100;
const READS_AT_ONCE = 2;

/** The descriptions of some columns of a tree and below. */
const noteDescriptions = (
  nodes: readonly ColumnNode[],
  wanted: ReadonlySet<string>,
  found: Map<string, string>,
): void => {
  for (const { key, values, children } of nodes) {
    const text = values['description'];
    if (typeof text === 'string' && wanted.has(key)) found.set(key, text);
    noteDescriptions(children, wanted, found);
  }
};

const describeRecord = (
  { registry }: Engine,
  { id, entityType, description, texts }: StoredTexts,
  names: readonly string[],
  wanted: ReadonlySet<string>,
  found: Map<string, string>,
): void => {
  // A record that represents a column is described like any other.
  if (wanted.has(id)) found.set(id, description ?? '');
  const sections = requireKind(registry, entityType).columnTrees.flatMap(([name, { nameKey: fold }]) => {
    const text = texts[names.indexOf(`${name}Json`)];
    return typeof text === 'string' ? [{ name, fold, text }] : [];
  });
  for (const tree of Object.values(readTrees({ id, fullyQualifiedName: '' }, sections, undefined)))
    noteDescriptions(tree, wanted, found);
};

/** Reads the descriptions of columns out of the records that store them. The texts of the records are not kept. */
const readDescriptions = async (engine: Engine, columns: readonly TracedColumn[]): Promise<NodeValues> => {
  const wanted = new Set(columns.map(({ key }) => key));
  const names = [
    ...new Set(engine.registry.kinds.flatMap(({ columnTrees }) => columnTrees.map(([name]) => `${name}Json`))),
  ];
  const found = new Map<string, string>();
  const ids = [...new Set(columns.map(({ key }) => recordIdOf(key)))];
  await mapConcurrently(chunk(ids, TEXT_BATCH), READS_AT_ONCE, async (some) => {
    const rows = await engine.graph.read(listStoredTexts, { ids: some, names });
    for (const row of rows) describeRecord(engine, row, names, wanted, found);
  });
  return new Map(
    [...found].flatMap(([key, text]): [string, NodeValue][] => {
      const value = textValue(text);
      return value ? [[key, givenValue(value)]] : [];
    }),
  );
};

const termOf = ({ tagId: id, tagFQN, ...label }: LabelNode): RefNode => ({
  id,
  entityType: label.entityType,
  name: label.name,
  fullyQualifiedName: tagFQN,
  displayName: label.displayName,
  description: label.description,
  deleted: false,
});

/** The terms that the caller may see. Those that came along lineage count for the column and are not passed on. */
const readTerms = async (
  engine: Engine,
  principal: Principal,
  columns: readonly TracedColumn[],
): Promise<NodeValues> => {
  const terms = columns.map(
    ({ key, labels }) => [key, labels.filter(({ entityType }) => entityType === 'glossaryTerm')] as const,
  );
  const sees = await readNodeVisibility(
    engine,
    principal,
    terms.flatMap(([, labels]) => labels.map(termOf)),
  );
  return new Map(
    terms.flatMap(([key, labels]): [string, NodeValue][] => {
      const visible = labels.filter(({ tagId }) => sees(tagId));
      const given = visible.filter(({ labelType }) => labelType !== 'Propagated');
      const carried = recordsValue(visible.map(termOf));
      return carried ? [[key, { carried, passed: recordsValue(given.map(termOf)) }]] : [];
    }),
  );
};

export const readColumnValues = (
  engine: Engine,
  principal: Principal,
  property: ColumnProperty,
  columns: readonly TracedColumn[],
): Promise<NodeValues> =>
  property === 'description' ? readDescriptions(engine, columns) : readTerms(engine, principal, columns);
