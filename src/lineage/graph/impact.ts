import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { CARRIERS } from '../../model/lineage-values.ts';
import type { Site } from '../ends.ts';
import { listCarried } from '../queries.ts';
import { type Sees, sightOf } from '../sight.ts';
import type { Budget } from '../subgraph.ts';
import { type Change, type Near, type Passes, passing } from './change.ts';
import { isLiving, readNext, readNextBare, readNextColumns } from './next.ts';
import type { ColumnRow, NextColumnRow, NextRow } from './queries.ts';

/**
 * How sure it is that a record is affected: certain when a chain of columns that all pass the change on leads to it,
 * possible when one of them may not, or when on the way there is an edge of which nobody says what columns it joins.
 */
export type Certainty = 'certain' | 'possible';

/** A record that is affected. What the caller may not view is affected too, and nothing is told of it. */
export type Affected = {
  readonly node: RefNode;
  readonly isHidden: boolean;
  readonly certainty: Certainty;
  readonly depth: number;
  /** Names of its columns that are made from what changes. */
  readonly columns: readonly string[];
  /** Those of them that surely change. */
  readonly sure: ReadonlySet<string>;
  /** The records on one shortest way to it, from the one that changes. */
  readonly path: readonly string[];
};

export type Impact = {
  readonly affected: readonly Affected[];
  readonly nodes: ReadonlyMap<string, RefNode>;
  readonly sees: Sees;
  readonly truncated: 'nodes' | 'edges' | undefined;
};

/** How a record was reached for the first time in one manner. */
type Reached = { readonly depth: number; readonly path: readonly string[] };

type State = {
  readonly nodes: Map<string, RefNode>;
  readonly hidden: Set<string>;
  readonly certain: Map<string, Reached>;
  readonly possible: Map<string, Reached>;
  readonly columns: Map<string, Set<string>>;
  /** The ways to columns, by their keys, as the records they pass. */
  readonly ways: Map<string, readonly string[]>;
  /** The names of columns by their keys. */
  readonly names: Map<string, string>;
  /** The columns, by their keys, that may be affected and need not. */
  readonly doubtful: Set<string>;
  /** The records that were reached by columns. */
  readonly touched: Set<string>;
  rows: number;
};

/** What the next step goes on from. */
type Front = {
  /** Columns that are affected. */
  readonly keys: readonly string[];
  /** Records some columns of which are affected. */
  readonly touched: readonly string[];
  /** Records of which it is not known what of them is affected. */
  readonly whole: readonly string[];
};

const look = async (engine: Engine, principal: Principal, state: State, rows: readonly NextRow[]): Promise<void> => {
  const fresh = rows.flatMap(({ node }) => (state.nodes.has(node.id) ? [] : [node]));
  const sees = await sightOf(engine, principal, fresh);
  for (const node of fresh) {
    state.nodes.set(node.id, node);
    if (!sees(node.id)) state.hidden.add(node.id);
  }
};

const reachColumns = (state: State, root: string, rows: readonly NextColumnRow[], depth: number, passes: Passes) => {
  const keys: string[] = [];
  const touched: string[] = [];
  const judged = rows.map((row) => ({ ...row, isSure: !state.doubtful.has(row.from) && passes(row) }));
  // What is certain comes first, so that it stays so.
  for (const { from, far, name, node, isSure } of judged.sort((a, b) => Number(b.isSure) - Number(a.isSure))) {
    const isSurer = isSure && state.doubtful.has(far);
    const isNew = !state.ways.has(far) || isSurer;
    // What stands for a column may be shown by several records, all of which are affected.
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

/** The column of a key, and the record whose it is: the last one on the way to it. */
const nearIn =
  ({ ways, names, nodes }: State) =>
  (key: string): Near | undefined => {
    const [owner, name] = [nodes.get(ways.get(key)?.at(-1) ?? ''), names.get(key)];
    return owner && name !== undefined ? { owner, name } : undefined;
  };

const reachRecords = (
  { certain, possible, hidden }: State,
  root: string,
  rows: readonly NextRow[],
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

const step = async (
  engine: Engine,
  principal: Principal,
  state: State,
  root: string,
  { keys, touched, whole }: Front,
  { depth, change, limit }: { readonly depth: number; readonly change: Change; readonly limit: number },
): Promise<Front> => {
  const none = Promise.resolve([]);
  const [columns, bare, all] = await Promise.all([
    keys.length > 0 ? readNextColumns(engine.graph, 'downstream', keys, limit) : none,
    touched.length > 0 ? readNextBare(engine.graph, touched, limit) : none,
    whole.length > 0 ? readNext(engine.graph, 'downstream', whole, limit) : none,
  ]);
  state.rows += columns.length + bare.length + all.length;
  const living = columns.filter(isLiving);
  await look(engine, principal, state, [...living, ...bare, ...all]);
  const passes = await passing(engine.graph, change, depth, living, nearIn(state), limit);
  const reached = reachColumns(state, root, living, depth, passes);
  // First from records of which only some columns are affected: what is said of those is more exact.
  return { ...reached, whole: [...reachRecords(state, root, bare, depth), ...reachRecords(state, root, all, depth)] };
};

/** What is reached through a record that data runs through: the far ends of the edges that it carries. */
const readCarried = async ({ graph }: Engine, { id, kind }: Site, limit: number): Promise<NextRow[]> => {
  if (!CARRIERS.some((type) => type === kind.entityType)) return [];
  const rows = await graph.read(listCarried, { id, limit });
  return rows.flatMap(({ nodes: [, node] }) => (node.deleted === true ? [] : [{ from: id, to: node.id, node }]));
};

const isOver = ({ keys, touched, whole }: Front): boolean => keys.length + touched.length + whole.length === 0;

/** The columns of each record of which nothing on the way to them is doubtful. */
const sureColumns = ({ ways, names, doubtful }: State): ReadonlyMap<string, ReadonlySet<string>> => {
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

const affectedIn = (state: State): Affected[] => {
  const { certain, possible, nodes, hidden, columns } = state;
  const surely = sureColumns(state);
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
        sure: isHidden ? NONE : (surely.get(id) ?? NONE),
      },
    ];
  });
};

type Wish = {
  readonly change: Change;
  readonly maxDepth: number;
  readonly isWhole: boolean;
  readonly budget: Budget;
};

/**
 * What is downstream of some columns, or of a whole record when none are named. Walks columns as far as they are known to
 * be made from one another; where nobody says what columns an edge joins, everything behind it may be affected.
 */
export const findImpact = async (
  engine: Engine,
  principal: Principal,
  root: Site,
  columns: readonly ColumnRow[],
  { change, maxDepth, isWhole, budget }: Wish,
): Promise<Impact> => {
  const state: State = {
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
  const reachCarried = async (rows: readonly NextRow[]): Promise<readonly string[]> => {
    state.rows += rows.length;
    await look(engine, principal, state, rows);
    return reachRecords(state, root.id, rows, 1);
  };
  let front: Front = {
    keys: columns.map(({ key }) => key),
    touched: isWhole ? [] : [root.id],
    whole: isWhole ? [root.id] : [],
  };
  const carried = isWhole ? await readCarried(engine, root, budget.edges + 1) : [];
  let truncated: Impact['truncated'];
  for (let depth = 1; depth <= maxDepth && !isOver(front) && !truncated; depth += 1) {
    const limit = Math.max(1, budget.edges - state.rows + 1);
    front = await step(engine, principal, state, root.id, front, { depth, change, limit });
    if (depth === 1) front = { ...front, whole: [...front.whole, ...(await reachCarried(carried))] };
    if (state.rows > budget.edges) truncated = 'edges';
    else if (state.nodes.size > budget.nodes) truncated = 'nodes';
  }
  const affected = affectedIn(state)
    .sort((a, b) => a.depth - b.depth)
    .slice(0, budget.nodes);
  return { affected, nodes: state.nodes, sees: (id) => !state.hidden.has(id), truncated };
};
