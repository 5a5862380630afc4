import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { type ColumnChange, isRequiring } from '../contracts/validation/changes.ts';
import type { Site } from '../lineage/ends.ts';
import { below, type Change } from '../lineage/graph/change.ts';
import { type Affected, findImpact, type Impact } from '../lineage/graph/impact.ts';
import { joinedColumns } from '../lineage/graph/points.ts';
import type { ColumnRow } from '../lineage/graph/queries.ts';
import type { Budget } from '../lineage/subgraph.ts';
import { scopesOf } from '../model/name.ts';

/** How far changes of the columns of a record go downstream. */

/** What happens to a column, without its name. */
type Manner = Omit<ColumnChange, 'column'>;

/** Columns to which the same happens, and what becomes of those that are made from them. */
type Wave = {
  readonly change: Change;
  readonly columns: readonly string[];
  readonly caused: Manner;
  /** Whether columns may also be made from these without being changed by it. */
  readonly isSelective: boolean;
};

/** A record downstream, with the columns that change there for sure or may. */
export type Struck = {
  readonly node: RefNode;
  readonly isHidden: boolean;
  readonly depth: number;
  /** All its columns that are made from what changes. */
  readonly columns: readonly string[];
  readonly changes: readonly ColumnChange[];
};

export type Reach = { readonly struck: readonly Struck[]; readonly truncated: Impact['truncated'] };

/** So many sorts of new types are followed one by one; beyond that it is only said that types are others. */
const MOST_TYPES = 8;

const DROPPED: Manner = { change: 'dropped' };

const columnsWith = (changes: readonly ColumnChange[], change: ColumnChange['change']): readonly string[] =>
  changes.flatMap((one) => (one.change === change ? [one.column] : []));

const typeWaves = (changes: readonly ColumnChange[]): readonly Wave[] => {
  const groups = new Map<string, ColumnChange[]>();
  for (const one of changes) {
    const key =
      groups.size < MOST_TYPES || groups.has(`${one.before} ${one.after}`) ? `${one.before} ${one.after}` : '';
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups].flatMap(([key, group]): Wave[] => {
    const [first] = group;
    if (!first) return [];
    const { column: _, ...manner } = first;
    const caused: Manner = key === '' ? { change: 'retyped' } : manner;
    return [{ change: 'retype', columns: group.map(({ column }) => column), caused, isSelective: true }];
  });
};

/** A value that may be missing from now on is missing wherever it is handed on as it is. */
const loosened = (changes: readonly ColumnChange[]): readonly ColumnChange[] =>
  changes.filter(({ change, before, after }) => change === 'nullability' && isRequiring(before) && !isRequiring(after));

/** What is followed of changes: a new column changes nothing, and whoever reads one by its former name finds none. */
const wavesOf = (changes: readonly ColumnChange[]): readonly Wave[] =>
  [
    { change: 'drop' as const, columns: columnsWith(changes, 'dropped'), caused: DROPPED, isSelective: false },
    { change: 'rename' as const, columns: columnsWith(changes, 'renamed'), caused: DROPPED, isSelective: false },
    ...typeWaves(changes.filter(({ change }) => change === 'retyped')),
    {
      change: 'retype' as const,
      columns: loosened(changes).map(({ column }) => column),
      caused: { change: 'nullability' as const },
      isSelective: true,
    },
  ].filter(({ columns }) => columns.length > 0);

/** The columns of which there is lineage, among those that change and those that lie in them. */
const startsOf = (root: Site, joined: readonly ColumnRow[], columns: readonly string[]): readonly ColumnRow[] => {
  const changing = new Set(columns.map((path) => path.toLowerCase()));
  return joined.filter(({ name }) => {
    const path = below(root.node, name).toLowerCase();
    return changing.has(path) || scopesOf(path).some((scope) => changing.has(scope));
  });
};

const changesTo = ({ node, columns, sure }: Affected, { caused, isSelective }: Wave): readonly ColumnChange[] =>
  columns.filter((name) => !isSelective || sure.has(name)).map((name) => ({ ...caused, column: below(node, name) }));

const joinedWith = (known: Struck | undefined, one: Affected, wave: Wave): Struck => ({
  node: one.node,
  isHidden: one.isHidden,
  depth: Math.min(known?.depth ?? one.depth, one.depth),
  columns: [...new Set([...(known?.columns ?? []), ...one.columns])],
  changes: [...(known?.changes ?? []), ...changesTo(one, wave)],
});

type Walking = { readonly engine: Engine; readonly budget: Budget; readonly maxDepth: number };

/** Everything downstream of a record that changes of its columns reach, the nearest first. */
export const reachOf = async (
  { engine, budget, maxDepth }: Walking,
  principal: Principal,
  root: Site,
  changes: readonly ColumnChange[],
): Promise<Reach> => {
  const waves = wavesOf(changes);
  if (waves.length === 0) return { struck: [], truncated: undefined };
  const joined = await joinedColumns(engine, root, budget.nodes);
  const struck = new Map<string, Struck>();
  let truncated: Impact['truncated'] = joined.isCut ? 'nodes' : undefined;
  for (const wave of waves) {
    const starts = startsOf(root, joined.columns, wave.columns);
    const wish = { change: wave.change, maxDepth, isWhole: false, budget };
    const impact = await findImpact(engine, principal, root, starts, wish);
    truncated ??= impact.truncated;
    for (const one of impact.affected) struck.set(one.node.id, joinedWith(struck.get(one.node.id), one, wave));
  }
  const nearestFirst = (a: Struck, b: Struck): number =>
    a.depth - b.depth || (a.node.fullyQualifiedName < b.node.fullyQualifiedName ? -1 : 1);
  return { struck: [...struck.values()].sort(nearestFirst), truncated };
};
