import type { Engine } from '../../catalog/engine.ts';
import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import type { Call } from '../../http/route.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareByFqn } from '../../model/name.ts';
import { uniteStatements } from '../agreement/agreement.ts';
import { listEdgeAssertions } from '../agreement/queries.ts';
import type { TracedColumn } from '../columns/column-graph.ts';
import { renderTracedColumn } from '../columns/render-column.ts';
import { readAssetRefs } from '../graph/insight-assets.ts';
import type { LineageView } from '../graph/lineage-view.ts';
import { createTrustRules, type PropagationDeps } from '../propagation/propagation-deps.ts';
import { isStopped } from '../propagation/ways.ts';
import { isInScope, type Scope } from '../scope.ts';
import { LEAST_CONFIDENCE } from '../source-confidence.ts';
import { type FlowAsset, readAssetValues, walkAssetFlow } from './asset-flow.ts';
import { readColumnFlow, readColumnValues } from './column-flow.ts';
import { type JudgedNode, judgeNode, listShownPaths } from './judge-nodes.ts';
import { findNearest, keepLeadingSteps, listSources, type ValueFlow, type ValueNode } from './nearest-sources.ts';
import {
  type AssetProperty,
  type ColumnProperty,
  type FlowingProperty,
  identifyValue,
  type NodeValues,
  type PropertyValue,
} from './property-value.ts';

/**
 * Finds what assets and columns inherit along lineage besides tags. `asset-flow.ts` and `column-flow.ts` read what lies
 * upstream and what is there, `nearest-sources.ts` follows values, `judge-nodes.ts` compares, and `render-nodes.ts` writes
 * what was found.
 */

/** What rendering a page needs to know of its nodes and steps. */
export type PageFacts<N extends ValueNode> = {
  /** Undefined when the node is gone since the graph was read. */
  readonly renderNode: (node: N) => JsonObject | undefined;
  readonly confidenceOf: (from: N, to: N) => number;
};

export type PropertySurvey<N extends ValueNode> = {
  readonly property: FlowingProperty;
  /** The member of a row that names what the row is about. */
  readonly subject: 'entity' | 'column';
  readonly typeOf: (node: N) => string;
  readonly rows: readonly JudgedNode<N>[];
  /** The number of nodes with a value that lead to the scope. */
  readonly sources: number;
  readonly findValue: (identity: string) => PropertyValue | undefined;
  readonly cut: string | undefined;
  readonly readPage: (call: Call, rows: readonly JudgedNode<N>[]) => Promise<PageFacts<N>>;
};

export type PropertyRequest = { readonly scope: Scope; readonly maxDepth: number };

/** The distinct nodes at the ends of steps. */
const endsOf = <N extends ValueNode>(steps: ValueFlow<N>['steps']): N[] => [
  ...new Map(steps.flatMap(({ from, to }) => [from, to]).map((node) => [node.key, node])).values(),
];

/** Follows values along steps to the nodes in a scope, and judges those. */
const judgeFlow = <N extends ValueNode>(
  { steps, isStop, values }: Pick<ValueFlow<N>, 'steps' | 'isStop'> & { readonly values: NodeValues },
  { scope, maxDepth }: PropertyRequest,
): Pick<PropertySurvey<N>, 'rows' | 'sources' | 'findValue'> => {
  const byIdentity = new Map<string, PropertyValue>();
  const identify = (value: PropertyValue | undefined): string | undefined => {
    if (!value) return undefined;
    const identity = identifyValue(value);
    if (!byIdentity.has(identity)) byIdentity.set(identity, value);
    return identity;
  };
  const [carried, passed] = [new Map<string, string | undefined>(), new Map<string, string | undefined>()];
  // In the order of names, so that of equal values always the same one is shown.
  for (const { key } of endsOf<N>(steps).sort(compareByFqn)) {
    carried.set(key, identify(values.get(key)?.carried));
    passed.set(key, identify(values.get(key)?.passed));
  }
  const flow = { steps, isStop, maxDepth, passedBy: ({ key }: N) => passed.get(key) };
  const rows = findNearest(flow)
    .filter(({ node }) => isInScope(scope, node.fullyQualifiedName))
    .map((nearest) => judgeNode(nearest, carried.get(nearest.node.key)));
  return { rows, sources: listSources(flow).length, findValue: (identity) => byIdentity.get(identity) };
};

const pairKey = (from: string, to: string): string => `${from} ${to}`;

const PAIR_BATCH = 1000;
const READS_AT_ONCE = 2;

/** How far the edges on the shown ways can be relied on, as they are now. */
const readEdgeConfidence = async (
  engine: Engine,
  rows: readonly JudgedNode<FlowAsset>[],
): Promise<PageFacts<FlowAsset>['confidenceOf']> => {
  const pairs = rows
    .flatMap(listShownPaths)
    .flatMap((path) => path.slice(1).map((to, at) => [path[at]?.key ?? '', to.key] as const));
  const distinct = [...new Map(pairs.map((pair) => [pair.join(' '), pair])).values()];
  const found = await mapConcurrently(chunk(distinct, PAIR_BATCH), READS_AT_ONCE, (some) =>
    engine.graph.read(listEdgeAssertions, { pairs: some }),
  );
  const now = engine.clock();
  const known = new Map(
    found
      .flat()
      .map(({ from, to, assertions }) => [pairKey(from, to), uniteStatements(assertions, now)?.confidence] as const),
  );
  return (from, to) => known.get(pairKey(from.key, to.key)) ?? LEAST_CONFIDENCE;
};

export const surveyAssets = async (
  { engine, budget }: PropagationDeps,
  { principal }: Call,
  view: LineageView,
  property: AssetProperty,
  request: PropertyRequest,
): Promise<PropertySurvey<FlowAsset>> => {
  const { steps, cut } = walkAssetFlow(view, request.scope, { maxDepth: request.maxDepth, maxSteps: budget.edges });
  const ids = endsOf(steps).map(({ key }) => key);
  const values = await readAssetValues(engine, principal, property, ids);
  return {
    property,
    subject: 'entity',
    typeOf: ({ entityType }) => entityType,
    ...judgeFlow({ steps, isStop: () => false, values }, request),
    cut,
    readPage: async (call, rows) => {
      const nodes = rows.flatMap(({ node, sources }) => [node, ...sources.map(({ source }) => source)]);
      const [refs, confidenceOf] = await Promise.all([
        readAssetRefs(
          engine,
          call,
          nodes.map(({ key }) => key),
        ),
        readEdgeConfidence(engine, rows),
      ]);
      return { renderNode: ({ key }) => refs.get(key), confidenceOf };
    },
  };
};

export const surveyColumns = async (
  { engine, budget, blockers }: PropagationDeps,
  { principal }: Call,
  view: LineageView,
  property: ColumnProperty,
  request: PropertyRequest,
): Promise<PropertySurvey<TracedColumn>> => {
  const { scope, maxDepth } = request;
  const { steps: found, cut } = await readColumnFlow(engine, principal, view, {
    scope,
    maxDepth,
    withTerms: property === 'glossaryTerms',
    maxSteps: budget.edges,
    trust: createTrustRules(blockers, engine.clock()),
  });
  // What was read behind a hidden column does not lead to the scope for this caller.
  const steps = keepLeadingSteps(found, ({ fullyQualifiedName }) => isInScope(scope, fullyQualifiedName));
  const values = await readColumnValues(engine, principal, property, endsOf(steps));
  const trust = new Map(found.map(({ from, to, confidence }) => [pairKey(from.key, to.key), confidence] as const));
  return {
    property,
    subject: 'column',
    typeOf: ({ owner }) => owner.entityType,
    ...judgeFlow({ steps, isStop: isStopped, values }, request),
    cut,
    readPage: async (call) => {
      const rendering = createView(engine, call, NO_FIELDS);
      return {
        renderNode: (node) => renderTracedColumn(node, rendering),
        confidenceOf: (from, to) => trust.get(pairKey(from.key, to.key)) ?? LEAST_CONFIDENCE,
      };
    },
  };
};
