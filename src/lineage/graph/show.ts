import type { Engine } from '../../catalog/engine.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import type { Redact } from '../../catalog/read/visibility.ts';
import type { ExecutionStatus } from '../../model/contract-values.ts';
import type { JsonObject, MutableJsonObject } from '../../model/json.ts';
import type { TestStatus } from '../../model/test-values.ts';
import type { ContractsOf } from '../contracts.ts';
import { type CarrierOf, showEdge } from '../details.ts';
import { decodeDetails, type Merged } from '../edge.ts';
import { pairsOf } from '../merge.ts';
import type { EdgeTuple } from '../queries.ts';
import { DESCRIBED_AT_ONCE, type Description, describe } from './describe.ts';
import type { Drawing, DrawnEdge, DrawnNode } from './draw.ts';

/** Which columns of each record take part in lineage between records of a drawing, by their names below the record. */
type Columns = ReadonlyMap<string, ReadonlySet<string>>;

/** One column that is made from another. */
export type ColumnEdge = {
  readonly fromEntity: string;
  readonly fromColumn: string;
  readonly toEntity: string;
  readonly toColumn: string;
  readonly function?: string;
};

/** The ends of the edge that a tuple is, or is half of. */
const endsOf = ([from, to, , , whole]: EdgeTuple): readonly [from: string, to: string] =>
  whole ? [whole[0], whole[1]] : [from, to];

/** A drawing with what it takes to show it. */
export type Showing = {
  readonly drawing: Drawing;
  readonly view: View;
  readonly carrierOf: CarrierOf;
  readonly names: ReadonlyMap<string, string>;
  readonly columns: Columns | undefined;
  /** Leaves out what the caller may not see of the records that others refer to; undefined where that is nothing. */
  readonly redact: Redact | undefined;
  /** How the tests of records went, as far as it is to be told. */
  readonly statesOf: (known: ReadonlyMap<string, TestStatus>) => Promise<ReadonlyMap<string, TestStatus>>;
  /** The contracts of records, as far as they are to be told. */
  readonly contractsOf: (ids: readonly string[]) => Promise<ContractsOf>;
};

const merged = ([, , pipelineId, text]: EdgeTuple): Merged => decodeDetails(text, pipelineId);

/** The columns of the records of some edges that those edges join. */
export const columnsOf = (edges: readonly DrawnEdge[]): Columns => {
  const columns = new Map<string, Set<string>>();
  const add = (id: string, name: string) => {
    const known = columns.get(id);
    if (known) known.add(name);
    else columns.set(id, new Set([name]));
  };
  for (const { tuple } of edges) {
    if (!tuple) continue;
    const [from, to] = endsOf(tuple);
    for (const pair of pairsOf(merged(tuple).mappings).values()) {
      add(from, pair.from);
      add(to, pair.to);
    }
  }
  return columns;
};

const nameOf = ({ names }: Pick<Showing, 'names'>, id: string): string => names.get(id) ?? '';

/** The edge as the wire knows it; one that stands for several says so, and nothing else is told of it. */
export const edgeJson = (showing: Showing, { from, to, tuple, isBridge }: DrawnEdge): JsonObject => {
  if (!tuple) return { fromEntity: from, toEntity: to, ...(isBridge ? { bridged: true } : {}) };
  const [start, end] = endsOf(tuple);
  const ends = {
    from: { id: start, fullyQualifiedName: nameOf(showing, start) },
    to: { id: end, fullyQualifiedName: nameOf(showing, end) },
  };
  return { ...showEdge(ends, merged(tuple), showing.carrierOf), fromEntity: from, toEntity: to };
};

/** The pairs of columns that an edge joins. */
export const columnEdgesOf = (showing: Pick<Showing, 'names'>, { tuple }: DrawnEdge): ColumnEdge[] => {
  if (!tuple) return [];
  const [from, to] = endsOf(tuple);
  const { mappings } = merged(tuple);
  const edges = new Map<string, ColumnEdge>();
  for (const { from: all, to: target, function: made } of mappings) {
    for (const origin of all) {
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

const stub = ({ node }: DrawnNode): JsonObject => ({ id: node.id, type: node.entityType, hidden: true });

/** A record without what else is known of it; of one out of sight only that it is there. */
export const plainNode = (view: View, drawn: DrawnNode): JsonObject =>
  drawn.isHidden ? stub(drawn) : renderRef(drawn.node, view);

type States = { readonly testStatus: TestStatus | undefined; readonly contractStatus: ExecutionStatus | undefined };

const describedNode = (
  showing: Showing,
  drawn: DrawnNode,
  described: Description | undefined,
  { testStatus, contractStatus }: States,
): JsonObject => {
  const { view, columns } = showing;
  const { node, depth } = drawn;
  if (drawn.isHidden) return stub(drawn);
  const out: MutableJsonObject = { ...renderRef(node, view), depth };
  if (described?.service) out['service'] = renderRef(described.service, view);
  out['owners'] = (described?.owners ?? []).map((owner) => renderRef(owner.node, view, owner.inherited));
  if (described?.tier !== undefined) out['tier'] = described.tier;
  out['domains'] = (described?.domains ?? []).map((domain) => renderRef(domain.node, view, domain.inherited));
  if (contractStatus !== undefined) out['contractStatus'] = contractStatus;
  if (testStatus !== undefined) out['testStatus'] = testStatus;
  if (columns) {
    out['columns'] = [...(columns.get(node.id) ?? [])].sort().map((name) => ({
      name,
      fullyQualifiedName: `${node.fullyQualifiedName}.${name}`,
    }));
  }
  return out;
};

/** The records of a drawing with what is told of them, some at a time. */
export async function* shownNodes(engine: Engine, showing: Showing): AsyncGenerator<readonly JsonObject[]> {
  const { nodes, described } = showing.drawing;
  for (let start = 0; start < nodes.length; start += DESCRIBED_AT_ONCE) {
    const some = nodes.slice(start, start + DESCRIBED_AT_ONCE);
    const open = some.filter(({ isHidden }) => !isHidden).map(({ node }) => node.id);
    const [found, contracts] = await Promise.all([
      describe(
        engine.graph,
        open.filter((id) => !described.has(id)),
      ),
      showing.contractsOf(open),
    ]);
    const of = (id: string) => described.get(id) ?? found.get(id);
    const known = open.flatMap((id) => {
      const status = of(id)?.testStatus;
      return status === undefined ? [] : [[id, status] as const];
    });
    const states = await showing.statesOf(new Map(known));
    const shown = some.map((drawn) => {
      const { id } = drawn.node;
      const said = { testStatus: states.get(id), contractStatus: contracts.get(id)?.status };
      return describedNode(showing, drawn, of(id), said);
    });
    yield showing.redact ? await showing.redact(shown) : shown;
  }
}
