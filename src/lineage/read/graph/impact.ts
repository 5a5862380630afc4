import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import { PIPELINE_KINDS } from '../../../model/schemas/lineage/lineage.ts';
import type { Endpoint } from '../../endpoints.ts';
import { type NodeVisibility, readNodeVisibility } from '../../node-visibility.ts';
import { listEdgesViaPipeline } from '../../queries.ts';
import type { LineageBudget } from '../walk-edges.ts';
import {
  type ColumnChangeType,
  createCertaintyCheck,
  type IsCertainChange,
  type OwnedColumn,
} from './change-certainty.ts';
import { isLivingStep, readNextColumns, readNextSteps, readNextStepsWithoutColumns } from './next-steps.ts';
import type { ColumnStepRow, LineageColumnRow, StepRow } from './queries.ts';

/**
 * The certainty of an effect. It is certain when every step of a column chain passes the change on; it is possible when
 * a step may not, or when an edge on the way has no column mappings.
 */
export type Certainty = 'certain' | 'possible';

/** An affected record. Hidden records are included without any details. */
export type AffectedRecord = {
  readonly node: RefNode;
  readonly isHidden: boolean;
  readonly certainty: Certainty;
  readonly depth: number;
  /** The names of its columns that are made from changed columns. */
  readonly columns: readonly string[];
  /** The columns among them that certainly change. */
  readonly certainColumns: ReadonlySet<string>;
  /** The records on one shortest path from the changed record. */
  readonly path: readonly string[];
};

export type ImpactAnalysis = {
  readonly affected: readonly AffectedRecord[];
  readonly nodes: ReadonlyMap<string, RefNode>;
  readonly sees: NodeVisibility;
  readonly truncated: 'nodes' | 'edges' | undefined;
};

/** The first time a record was reached with a certainty. */
type FirstReach = { readonly depth: number; readonly path: readonly string[] };

type ImpactState = {
  readonly nodes: Map<string, RefNode>;
  readonly hidden: Set<string>;
  readonly certain: Map<string, FirstReach>;
  readonly possible: Map<string, FirstReach>;
  readonly columns: Map<string, Set<string>>;
  /** The path to each column as record IDs, by column key. */
  readonly ways: Map<string, readonly string[]>;
  /** Column names by key. */
  readonly names: Map<string, string>;
  /** The keys of columns that are possibly but not certainly affected. */
  readonly doubtful: Set<string>;
  /** The records that were reached through columns. */
  readonly touched: Set<string>;
  rows: number;
};

/** The starting points of the next step. */
type ImpactFrontier = {
  /** The keys of affected columns. */
  readonly keys: readonly string[];
  /** Records of which some columns are affected. */
  readonly touched: readonly string[];
  /** Records of which the affected columns are unknown. */
  readonly whole: readonly string[];
};

const addNodes = async (
  engine: Engine,
  principal: Principal,
  state: ImpactState,
  rows: readonly StepRow[],
): Promise<void> => {
  const fresh = rows.flatMap(({ node }) => (state.nodes.has(node.id) ? [] : [node]));
  const sees = await readNodeVisibility(engine, principal, fresh);
  for (const node of fresh) {
    state.nodes.set(node.id, node);
    if (!sees(node.id)) state.hidden.add(node.id);
  }
};

const reachColumns = (
  state: ImpactState,
  root: string,
  rows: readonly ColumnStepRow[],
  depth: number,
  passes: IsCertainChange,
) => {
  const keys: string[] = [];
  const touched: string[] = [];
  const judged = rows.map((row) => ({ ...row, isSure: !state.doubtful.has(row.from) && passes(row) }));
  // Certain rows come first, so that a column first reached with certainty keeps it.
  for (const { from, far, name, node, isSure } of judged.sort((a, b) => Number(b.isSure) - Number(a.isSure))) {
    const isSurer = isSure && state.doubtful.has(far);
    const isNew = !state.ways.has(far) || isSurer;
    // Several records may show the record that represents a column; all of them are affected.
    const isOther = state.ways.get(far)?.at(-1) !== node.id && !state.columns.get(node.id)?.has(name);
    if ((!isNew && !isOther) || node.id === root) continue;
    const path = [...(state.ways.get(from) ?? [root]), node.id];
    if (isNew) state.ways.set(far, path);
    state.names.set(far, name);
    if (isSure) state.doubtful.delete(far);
    else state.doubtful.add(far);
    const reached = isSure ? state.certain : state.possible;
    if (!reached.has(node.id)) reached.set(node.id, { depth, path });
    if (state.hidden.has(node.id)) continue;
    if (!state.touched.has(node.id)) touched.push(node.id);
    state.touched.add(node.id);
    if (isNew) keys.push(far);
    const names = state.columns.get(node.id) ?? new Set();
    state.columns.set(node.id, names.add(name));
  }
  return { keys, touched };
};

/** Creates a lookup of the column with a key; its owner is the last record on the path to it. */
const createColumnLookup =
  ({ ways, names, nodes }: ImpactState) =>
  (key: string): OwnedColumn | undefined => {
    const [owner, name] = [nodes.get(ways.get(key)?.at(-1) ?? ''), names.get(key)];
    return owner && name !== undefined ? { owner, name } : undefined;
  };

const reachRecords = (
  { certain, possible, hidden }: ImpactState,
  root: string,
  rows: readonly StepRow[],
  depth: number,
): string[] => {
  const whole: string[] = [];
  for (const { from, to } of rows) {
    if (possible.has(to) || to === root) continue;
    const before = possible.get(from) ?? certain.get(from);
    possible.set(to, { depth, path: [...(before?.path ?? [root]), to] });
    if (!hidden.has(to)) whole.push(to);
  }
  return whole;
};

const walkImpactStep = async (
  engine: Engine,
  principal: Principal,
  state: ImpactState,
  root: string,
  { keys, touched, whole }: ImpactFrontier,
  { depth, change, limit }: { readonly depth: number; readonly change: ColumnChangeType; readonly limit: number },
): Promise<ImpactFrontier> => {
  const none = Promise.resolve([]);
  const [columns, bare, all] = await Promise.all([
    keys.length > 0 ? readNextColumns(engine.graph, 'downstream', keys, limit) : none,
    touched.length > 0 ? readNextStepsWithoutColumns(engine.graph, 'downstream', touched, limit) : none,
    whole.length > 0 ? readNextSteps(engine.graph, 'downstream', whole, limit) : none,
  ]);
  state.rows += columns.length + bare.length + all.length;
  const living = columns.filter(isLivingStep);
  await addNodes(engine, principal, state, [...living, ...bare, ...all]);
  const passes = await createCertaintyCheck(engine.graph, change, depth, living, createColumnLookup(state), limit);
  const reached = reachColumns(state, root, living, depth, passes);
  // Records reached through partly affected records come first, because their paths are more exact.
  return { ...reached, whole: [...reachRecords(state, root, bare, depth), ...reachRecords(state, root, all, depth)] };
};

/** Reads the records reached through a pipeline: the targets of the edges that run through it. */
const readNodesViaPipeline = async ({ graph }: Engine, { id, kind }: Endpoint, limit: number): Promise<StepRow[]> => {
  if (!PIPELINE_KINDS.some((type) => type === kind.entityType)) return [];
  const rows = await graph.read(listEdgesViaPipeline, { id, limit });
  return rows.flatMap(({ nodes: [, node] }) => (node.deleted === true ? [] : [{ from: id, to: node.id, node }]));
};

const isExhausted = ({ keys, touched, whole }: ImpactFrontier): boolean =>
  keys.length + touched.length + whole.length === 0;

/** Returns the columns of each record that are certainly affected. */
const findCertainColumns = ({ ways, names, doubtful }: ImpactState): ReadonlyMap<string, ReadonlySet<string>> => {
  const sure = new Map<string, Set<string>>();
  for (const [key, way] of ways) {
    const [id = '', name] = [way.at(-1), names.get(key)];
    if (name === undefined || doubtful.has(key)) continue;
    const known = sure.get(id);
    if (known) known.add(name);
    else sure.set(id, new Set([name]));
  }
  return sure;
};

const NONE: ReadonlySet<string> = new Set();

const listAffected = (state: ImpactState): AffectedRecord[] => {
  const { certain, possible, nodes, hidden, columns } = state;
  const surely = findCertainColumns(state);
  return [...new Set([...certain.keys(), ...possible.keys()])].flatMap((id) => {
    const [sure, node] = [certain.get(id), nodes.get(id)];
    const reached = sure ?? possible.get(id);
    if (!node || !reached) return [];
    const isHidden = hidden.has(id);
    return [
      {
        node,
        isHidden,
        certainty: sure ? 'certain' : 'possible',
        ...reached,
        columns: isHidden ? [] : [...(columns.get(id) ?? [])].sort(),
        certainColumns: isHidden ? NONE : (surely.get(id) ?? NONE),
      },
    ];
  });
};

type ImpactRequest = {
  readonly change: ColumnChangeType;
  readonly maxDepth: number;
  readonly isWhole: boolean;
  readonly budget: LineageBudget;
};

/**
 * Finds what is affected downstream of some columns, or of a whole record when no columns are given. It follows column
 * mappings where they exist; behind an edge without mappings, everything may be affected.
 */
export const analyzeImpact = async (
  engine: Engine,
  principal: Principal,
  root: Endpoint,
  columns: readonly LineageColumnRow[],
  { change, maxDepth, isWhole, budget }: ImpactRequest,
): Promise<ImpactAnalysis> => {
  const state: ImpactState = {
    nodes: new Map([[root.id, root.node]]),
    hidden: new Set(),
    certain: new Map(),
    possible: new Map(),
    columns: new Map(),
    ways: new Map(columns.map(({ key }) => [key, [root.id]])),
    names: new Map(columns.map(({ key, name }) => [key, name])),
    doubtful: new Set(),
    touched: new Set(),
    rows: 0,
  };
  const reachCarried = async (rows: readonly StepRow[]): Promise<readonly string[]> => {
    state.rows += rows.length;
    await addNodes(engine, principal, state, rows);
    return reachRecords(state, root.id, rows, 1);
  };
  let front: ImpactFrontier = {
    keys: columns.map(({ key }) => key),
    touched: isWhole ? [] : [root.id],
    whole: isWhole ? [root.id] : [],
  };
  const carried = isWhole ? await readNodesViaPipeline(engine, root, budget.edges + 1) : [];
  let truncated: ImpactAnalysis['truncated'];
  for (let depth = 1; depth <= maxDepth && !isExhausted(front) && !truncated; depth += 1) {
    const limit = Math.max(1, budget.edges - state.rows + 1);
    front = await walkImpactStep(engine, principal, state, root.id, front, { depth, change, limit });
    if (depth === 1) front = { ...front, whole: [...front.whole, ...(await reachCarried(carried))] };
    if (state.rows > budget.edges) truncated = 'edges';
    else if (state.nodes.size > budget.nodes) truncated = 'nodes';
  }
  const affected = listAffected(state)
    .sort((a, b) => a.depth - b.depth)
    .slice(0, budget.nodes);
  return { affected, nodes: state.nodes, sees: (id) => !state.hidden.has(id), truncated };
};
