import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { type ColumnChange, isRequiredConstraint } from '../contracts/validation/column-changes.ts';
import type { Endpoint } from '../lineage/endpoints.ts';
import { type ColumnChangeType, columnPathBelow } from '../lineage/read/graph/change-certainty.ts';
import { type AffectedRecord, analyzeImpact, type ImpactAnalysis } from '../lineage/read/graph/impact.ts';
import { readJoinedColumns } from '../lineage/read/graph/path-endpoints.ts';
import type { LineageColumnRow } from '../lineage/read/graph/queries.ts';
import type { LineageBudget } from '../lineage/read/walk-edges.ts';
import { fqnPrefixes } from '../model/name.ts';

/** Follows column changes of a record downstream. */

/** The effect on a column, without the column's name. */
type ChangeEffect = Omit<ColumnChange, 'column'>;

/** Columns with the same change, and its effect on the columns made from them. */
type ChangeWave = {
  readonly change: ColumnChangeType;
  readonly columns: readonly string[];
  readonly caused: ChangeEffect;
  /** Whether columns made from these may also stay unchanged. */
  readonly isSelective: boolean;
};

/** A downstream record with the columns that change certainly or possibly. */
export type DownstreamRecord = Omit<AffectedRecord, 'certainColumns'> & {
  readonly changes: readonly ColumnChange[];
};

export type DownstreamReach = {
  readonly struck: readonly DownstreamRecord[];
  readonly nodes: ImpactAnalysis['nodes'];
  readonly sees: ImpactAnalysis['sees'];
  readonly truncated: ImpactAnalysis['truncated'];
};

/**
 * Up to this many different new types are followed separately; beyond that, columns are only reported as having another
 * type.
 */
const MAX_TYPE_WAVES = 8;

const DROPPED: ChangeEffect = { change: 'dropped' };

const columnsChangedBy = (changes: readonly ColumnChange[], change: ColumnChange['change']): readonly string[] =>
  changes.flatMap((one) => (one.change === change ? [one.column] : []));

const groupTypeWaves = (changes: readonly ColumnChange[]): readonly ChangeWave[] => {
  const groups = new Map<string, ColumnChange[]>();
  for (const one of changes) {
    const key =
      groups.size < MAX_TYPE_WAVES || groups.has(`${one.before} ${one.after}`) ? `${one.before} ${one.after}` : '';
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups].flatMap(([key, group]): ChangeWave[] => {
    const [first] = group;
    if (!first) return [];
    const { column: _, ...manner } = first;
    const caused: ChangeEffect = key === '' ? { change: 'retyped' } : manner;
    return [{ change: 'retype', columns: group.map(({ column }) => column), caused, isSelective: true }];
  });
};

/** Selects the columns that become nullable: a copy of such a column becomes nullable as well. */
const selectLoosened = (changes: readonly ColumnChange[]): readonly ColumnChange[] =>
  changes.filter(
    ({ change, before, after }) =>
      change === 'nullability' && isRequiredConstraint(before) && !isRequiredConstraint(after),
  );

/**
 * Groups changes into waves to follow downstream. Added columns affect nothing; renamed columns are missing for every
 * reader of the old name.
 */
const buildWaves = (changes: readonly ColumnChange[]): readonly ChangeWave[] =>
  [
    { change: 'drop' as const, columns: columnsChangedBy(changes, 'dropped'), caused: DROPPED, isSelective: false },
    { change: 'rename' as const, columns: columnsChangedBy(changes, 'renamed'), caused: DROPPED, isSelective: false },
    ...groupTypeWaves(changes.filter(({ change }) => change === 'retyped')),
    {
      change: 'retype' as const,
      columns: selectLoosened(changes).map(({ column }) => column),
      caused: { change: 'nullability' as const },
      isSelective: true,
    },
  ].filter(({ columns }) => columns.length > 0);

/** Finds the columns with lineage among the changed columns and those nested in them. */
const findStartColumns = (
  root: Endpoint,
  joined: readonly LineageColumnRow[],
  columns: readonly string[],
): readonly LineageColumnRow[] => {
  const changing = new Set(columns.map((path) => path.toLowerCase()));
  return joined.filter(({ name }) => {
    const path = columnPathBelow(root.node, name).toLowerCase();
    return changing.has(path) || fqnPrefixes(path).some((scope) => changing.has(scope));
  });
};

const changesCausedBy = (
  { node, columns, certainColumns }: AffectedRecord,
  { caused, isSelective }: ChangeWave,
): readonly ColumnChange[] =>
  columns
    .filter((name) => !isSelective || certainColumns.has(name))
    .map((name) => ({ ...caused, column: columnPathBelow(node, name) }));

const mergeDownstreamRecord = (
  known: DownstreamRecord | undefined,
  one: AffectedRecord,
  wave: ChangeWave,
): DownstreamRecord => ({
  ...(known !== undefined && known.depth <= one.depth
    ? { node: known.node, isHidden: known.isHidden, depth: known.depth, path: known.path }
    : { node: one.node, isHidden: one.isHidden, depth: one.depth, path: one.path }),
  certainty: known?.certainty === 'certain' ? 'certain' : one.certainty,
  columns: [...new Set([...(known?.columns ?? []), ...one.columns])],
  changes: [...(known?.changes ?? []), ...changesCausedBy(one, wave)],
});

type WalkContext = { readonly engine: Engine; readonly budget: LineageBudget; readonly maxDepth: number };

/** Returns all downstream records that column changes reach, nearest first. */
export const walkDownstreamChanges = async (
  { engine, budget, maxDepth }: WalkContext,
  principal: Principal,
  root: Endpoint,
  changes: readonly ColumnChange[],
): Promise<DownstreamReach> => {
  const waves = buildWaves(changes);
  const analyses: ImpactAnalysis[] = [];
  const linkedColumns =
    waves.length > 0 ? await readJoinedColumns(engine, root, budget.nodes) : { columns: [], isCut: false };
  const struck = new Map<string, DownstreamRecord>();
  let truncated: ImpactAnalysis['truncated'] = linkedColumns.isCut ? 'nodes' : undefined;
  for (const wave of waves) {
    const starts = findStartColumns(root, linkedColumns.columns, wave.columns);
    const options = { change: wave.change, maxDepth, isWhole: false, budget };
    const impact = await analyzeImpact(engine, principal, root, starts, options);
    truncated ??= impact.truncated;
    analyses.push(impact);
    for (const one of impact.affected)
      struck.set(one.node.id, mergeDownstreamRecord(struck.get(one.node.id), one, wave));
  }
  const nearestFirst = (a: DownstreamRecord, b: DownstreamRecord): number =>
    a.depth - b.depth || (a.node.fullyQualifiedName < b.node.fullyQualifiedName ? -1 : 1);
  return {
    struck: [...struck.values()].sort(nearestFirst),
    nodes: new Map(analyses.flatMap(({ nodes }) => [...nodes])),
    sees: (id) => analyses.every(({ sees }) => sees(id)),
    truncated,
  };
};
