import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import type { Redact } from '../../../catalog/read/redaction.ts';
import { renderRef, type View } from '../../../catalog/read/render.ts';
import type { JsonObject, MutableJsonObject } from '../../../model/json.ts';
import type { ExecutionStatus } from '../../../model/schemas/contracts/contract.ts';
import type { TestStatus } from '../../../model/schemas/quality/test-case.ts';
import { decodeDetails, type MergedEdge } from '../../edge.ts';
import { columnPairsOf } from '../../merge-assertions.ts';
import type { EdgeTuple } from '../../queries.ts';
import { type PipelineLookup, renderEdge } from '../../render-edge.ts';
import type { ContractsByRecord } from '../record-contracts.ts';
import type { TestsByRecord } from '../record-tests.ts';
import { type AnswerFit, hasMember, needsDescriptions } from './answer-fit.ts';
import type { GraphEdge, GraphNode, LineageGraph } from './build-graph.ts';
import { type ColumnDetails, readColumnDetails, readColumnTests } from './column-details.ts';
import { renderDescription } from './fit-answer.ts';
import { DESCRIPTION_BATCH, type NodeDescription, readNodeDescriptions } from './node-descriptions.ts';
import type { NodeMembers } from './node-members.ts';

/** The columns of each record that take part in the lineage of a graph, named relative to the record. */
type ColumnsByRecord = ReadonlyMap<string, ReadonlySet<string>>;

/** A column made from another column. */
export type ColumnEdge = {
  readonly fromEntity: string;
  readonly fromColumn: string;
  readonly toEntity: string;
  readonly toColumn: string;
  readonly function?: string;
};

/** Returns the ends of an edge; for half of an edge, those of the complete edge. */
export const endpointIdsOf = ([from, to, , , whole]: EdgeTuple): readonly [from: string, to: string] =>
  whole ? [whole[0], whole[1]] : [from, to];

/** Returns who states an edge, where the caller asked for that and may know. */
export type EdgeAssertions = (edge: GraphEdge) => JsonObject;

/** A graph with everything needed to render it. */
export type GraphRendering = {
  readonly drawing: LineageGraph;
  readonly view: View;
  readonly carrierOf: PipelineLookup;
  readonly names: ReadonlyMap<string, string>;
  readonly columns: ColumnsByRecord | undefined;
  readonly hasColumnEdges: boolean;
  readonly fit: AnswerFit;
  /** Reads who states some edges; absent where nobody asked for it. */
  readonly readAssertions?: ((edges: readonly GraphEdge[]) => Promise<EdgeAssertions>) | undefined;
  /** Reads further members of nodes; absent where nobody named any. */
  readonly readMembers?: ((nodes: readonly RefNode[]) => Promise<NodeMembers>) | undefined;
  /** Redacts references to records the caller may not see; undefined when nothing needs redaction. */
  readonly redact: Redact | undefined;
  /** Returns the test statuses that the caller may see. */
  readonly statesOf: (known: ReadonlyMap<string, TestStatus>) => Promise<ReadonlyMap<string, TestStatus>>;
  /** Returns the tests that the caller may see. */
  readonly testsOf: (ids: readonly string[]) => Promise<TestsByRecord>;
  /** Returns the contracts that the caller may see. */
  readonly contractsOf: (ids: readonly string[]) => Promise<ContractsByRecord>;
};

const decodeTuple = ([, , pipelineId, text]: EdgeTuple): MergedEdge => decodeDetails(text, pipelineId);

/** Collects the columns that the edges of a graph join. */
export const collectJoinedColumns = (edges: readonly GraphEdge[]): ColumnsByRecord => {
  const columns = new Map<string, Set<string>>();
  const add = (id: string, name: string) => {
    const known = columns.get(id);
    if (known) known.add(name);
    else columns.set(id, new Set([name]));
  };
  for (const { tuple } of edges) {
    if (!tuple) continue;
    const [from, to] = endpointIdsOf(tuple);
    for (const pair of columnPairsOf(decodeTuple(tuple).mappings).values()) {
      add(from, pair.from);
      add(to, pair.to);
    }
  }
  return columns;
};

const nameOf = ({ names }: Pick<GraphRendering, 'names'>, id: string): string => names.get(id) ?? '';

/** The most omitted records that a bridge names. */
const MOST_OVER = 20;

const renderBridge = (over: readonly string[]): JsonObject => ({
  bridged: true,
  over: { count: over.length, ids: over.slice(0, MOST_OVER) },
});

/** Renders an edge for the API; a bridge says over what it leads and has no details. */
export const renderGraphEdge = (showing: GraphRendering, { from, to, tuple, over }: GraphEdge): JsonObject => {
  if (!tuple) return { fromEntity: from, toEntity: to, ...(over ? renderBridge(over) : {}) };
  const [start, end] = endpointIdsOf(tuple);
  const ends = {
    from: { id: start, fullyQualifiedName: nameOf(showing, start) },
    to: { id: end, fullyQualifiedName: nameOf(showing, end) },
  };
  return { ...renderEdge(ends, decodeTuple(tuple), showing.carrierOf), fromEntity: from, toEntity: to };
};

/** Renders the column pairs of an edge. */
export const renderColumnEdges = (
  showing: Pick<GraphRendering, 'names' | 'drawing'>,
  { tuple }: GraphEdge,
): ColumnEdge[] => {
  if (!tuple) return [];
  const [from, to] = endpointIdsOf(tuple);
  const { mappings } = decodeTuple(tuple);
  const { trail } = showing.drawing;
  const edges = new Map<string, ColumnEdge>();
  for (const { from: all, to: target, function: made } of mappings) {
    for (const origin of all) {
      if (trail && !trail.joins(from, origin, to, target)) continue;
      edges.set(`${origin}\u0001${target}\u0001${made ?? ''}`, {
        fromEntity: from,
        fromColumn: `${nameOf(showing, from)}.${origin}`,
        toEntity: to,
        toColumn: `${nameOf(showing, to)}.${target}`,
        ...(made === undefined ? {} : { function: made }),
      });
    }
  }
  return [...edges.values()];
};

const renderHiddenNode = ({ node }: GraphNode): JsonObject => ({ id: node.id, type: node.entityType, hidden: true });

/** Renders a record without its description; a hidden record shows only that it exists. */
export const renderPlainNode = (view: View, drawn: GraphNode): JsonObject =>
  drawn.isHidden ? renderHiddenNode(drawn) : renderRef(drawn.node, view);

type NodeFacts = {
  readonly described: NodeDescription | undefined;
  readonly testStatus: TestStatus | undefined;
  readonly contractStatus: ExecutionStatus | undefined;
  readonly columnDetails: ColumnDetails;
  readonly further: JsonObject;
};

const renderDescribedNode = (
  { view, columns }: GraphRendering,
  drawn: GraphNode,
  { described, testStatus, contractStatus, columnDetails, further }: NodeFacts,
): JsonObject => {
  const { node, depth } = drawn;
  if (drawn.isHidden) return renderHiddenNode(drawn);
  const place = depth === undefined ? {} : { depth };
  const out: MutableJsonObject = {
    ...renderRef(node, view),
    ...place,
    ...renderDescription(described, view),
    ...further,
  };
  if (contractStatus !== undefined) out['contractStatus'] = contractStatus;
  if (testStatus !== undefined) out['testStatus'] = testStatus;
  if (columns) {
    out['columns'] = [...(columns.get(node.id) ?? [])].sort().map((name) => ({
      name,
      fullyQualifiedName: `${node.fullyQualifiedName}.${name}`,
      ...columnDetails(node.id, name),
    }));
  }
  return out;
};

const NO_DETAILS: ColumnDetails = () => ({});

/** Reads the types, tags and tests of columns where `fields` names the columns; `tested` are the records with tests. */
const readDetails = async (
  engine: Engine,
  { fit, view, columns, testsOf }: GraphRendering,
  nodes: readonly GraphNode[],
  tested: Iterable<string>,
): Promise<ColumnDetails> => {
  if (!columns || !fit.fields?.has('columns')) return NO_DETAILS;
  const joined = nodes.filter(({ node, isHidden }) => !isHidden && columns.has(node.id)).map(({ node }) => node);
  const [details, tests] = await Promise.all([
    readColumnDetails(engine, view, joined, (id) => columns.get(id) ?? []),
    readColumnTests(
      testsOf,
      [...tested].filter((id) => columns.has(id)),
    ),
  ]);
  return (id, name) => ({ ...details(id, name), ...tests(id, name) });
};

const NO_CONTRACTS: ContractsByRecord = new Map();

/** Renders the records of a graph with their descriptions, in batches. */
export async function* renderNodes(engine: Engine, showing: GraphRendering): AsyncGenerator<readonly JsonObject[]> {
  const { nodes, described } = showing.drawing;
  const isDescribed = needsDescriptions(showing.fit);
  for (let start = 0; start < nodes.length; start += DESCRIPTION_BATCH) {
    const some = nodes.slice(start, start + DESCRIPTION_BATCH);
    const visible = some.filter(({ isHidden }) => !isHidden).map(({ node }) => node);
    const open = visible.map(({ id }) => id);
    const [found, contracts, membersOf] = await Promise.all([
      readNodeDescriptions(engine.graph, isDescribed ? open.filter((id) => !described.has(id)) : []),
      hasMember(showing.fit, 'contractStatus') ? showing.contractsOf(open) : NO_CONTRACTS,
      showing.readMembers?.(visible),
    ]);
    const of = (id: string) => described.get(id) ?? found.get(id);
    const known = open.flatMap((id) => {
      const status = of(id)?.testStatus;
      return status === undefined ? [] : [[id, status] as const];
    });
    const states = await showing.statesOf(new Map(known));
    const columnDetails = await readDetails(engine, showing, some, states.keys());
    const shown = some.map((drawn) => {
      const { id } = drawn.node;
      const statuses = { testStatus: states.get(id), contractStatus: contracts.get(id)?.status };
      return renderDescribedNode(showing, drawn, {
        described: of(id),
        ...statuses,
        columnDetails,
        further: membersOf?.(id) ?? {},
      });
    });
    yield showing.redact ? await showing.redact(shown) : shown;
  }
}
