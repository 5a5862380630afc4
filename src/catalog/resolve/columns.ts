import { badRequest } from '../../errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import {
  type ColumnRename,
  carryOverColumns,
  detectCaseRenames,
  detectColumnRenames,
  findDuplicateColumn,
  type NameFold,
} from '../../model/kind/columns.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { joinFqn, normaliseName } from '../../model/name.ts';
import type { LabelNode } from '../queries.ts';
import {
  type ColumnNode,
  type ColumnTrees,
  columnKey,
  isStoredAs,
  PATH_SEPARATOR,
  sectionKey,
} from '../read/column-tree.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { renderPlainColumns } from '../read/render.ts';
import { storageView } from '../read/stored-snapshot.ts';
import { type Candidate, parseLabels } from './candidate.ts';
import { type LabelAuthor, resolveLabels } from './references.ts';
import { reuseStoredColumns } from './state-equality.ts';
import type { WriteActor, WriteContext, WriteMode } from './write-context.ts';

type ColumnBuildContext = {
  readonly context: WriteContext;
  readonly fold: NameFold;
  readonly known: ReadonlyMap<string, ColumnNode>;
  /** Stored keys of columns, by the new keys that they get. */
  readonly origins: ReadonlyMap<string, string>;
  readonly labelling: LabelAuthor;
  /** Label lookups that are still pending. */
  readonly pending: Promise<void>[];
};

const COLUMN_EXTRAS: ReadonlySet<string> = new Set([
  'tags',
  'children',
  'fullyQualifiedName',
  'profile',
  'customMetrics',
]);

const columnValues = (column: JsonObject, fqn: string): Record<string, Json> => {
  const values: Record<string, Json> = {};
  for (const [name, value] of Object.entries(column)) if (!COLUMN_EXTRAS.has(name)) values[name] = value;
  values['fullyQualifiedName'] = fqn;
  return values;
};

type MutableColumnNode = { -readonly [M in keyof ColumnNode]: ColumnNode[M] };

const NO_LABELS: readonly LabelNode[] = [];

/** Looks up the labels of a column; a column without labels needs no wait. */
const requestColumnLabels = (
  site: ColumnBuildContext,
  node: MutableColumnNode,
  column: JsonObject,
  stored: ColumnNode | undefined,
) => {
  if (column['tags'] === undefined) return;
  const requests = parseLabels(column['tags']);
  if (requests.length === 0) return;
  const labels = resolveLabels(site.context, requests, stored?.labels ?? [], site.labelling);
  site.pending.push(
    labels.then((found) => {
      node.labels = found;
    }),
  );
};

const buildColumn = (
  site: ColumnBuildContext,
  column: JsonObject,
  position: number,
  keyPrefix: string,
  parentFqn: string,
): ColumnNode => {
  const name = column['name'] as string;
  const key = keyPrefix + site.fold(name);
  const fqn = joinFqn(parentFqn, normaliseName(name));
  const origin = site.origins.get(key) ?? (site.known.has(key) ? key : undefined);
  const children = column['children'] as readonly JsonObject[] | undefined;
  const node: MutableColumnNode = {
    key,
    ...(origin === undefined ? {} : { origin }),
    values: columnValues(column, fqn),
    position,
    labels: NO_LABELS,
    children: children ? buildColumnList(site, children, key + PATH_SEPARATOR, fqn) : [],
  };
  requestColumnLabels(site, node, column, origin === undefined ? undefined : site.known.get(origin));
  return node;
};

const buildColumnList = (
  site: ColumnBuildContext,
  columns: readonly JsonObject[],
  keyPrefix: string,
  fqn: string,
): ColumnNode[] => columns.map((column, index) => buildColumn(site, column, index, keyPrefix, fqn));

/** All columns of several trees, by key. */
const columnsByKey = (columns: readonly ColumnNode[]): Map<string, ColumnNode> => {
  const found = new Map<string, ColumnNode>();
  const visit = (nodes: readonly ColumnNode[]) => {
    for (const node of nodes) {
      found.set(node.key, node);
      visit(node.children);
    }
  };
  visit(columns);
  return found;
};

/** Finds renamed columns: each renamed column and everything below it keeps its origin. */
const findOrigins = (
  renames: readonly ColumnRename[],
  known: ReadonlyMap<string, ColumnNode>,
  keyFor: (path: readonly string[]) => string,
) => {
  const origins = new Map<string, string>();
  for (const { from, to } of renames) {
    const old = keyFor(from);
    const fresh = keyFor(to);
    if (old === fresh) continue;
    for (const key of known.keys()) {
      if (key === old || key.startsWith(old + PATH_SEPARATOR)) origins.set(`${fresh}${key.slice(old.length)}`, key);
    }
  }
  return origins;
};

type ColumnOwner = { readonly id: string; readonly fullyQualifiedName: string };

const buildSection = async (
  context: WriteContext,
  place: ColumnOwner,
  [section, { nameKey }]: Kind['columnTrees'][number],
  stored: readonly ColumnNode[],
  given: readonly JsonObject[],
  actor: WriteActor,
  mode: WriteMode,
): Promise<readonly ColumnNode[]> => {
  const before = renderPlainColumns(stored, storageView(context, NO_FIELDS));
  const keepStored = actor.principal.isBot && !mode.overrideMetadata;
  const requested = mode.by === 'put' ? carryOverColumns(before, given, { keepStored, fold: nameKey }) : given;
  const duplicate = findDuplicateColumn(requested, nameKey);
  if (duplicate !== undefined) throw badRequest(`[${section} has the column ${duplicate} more than once]`);
  const known = columnsByKey(stored);
  const renames = mode.isJsonPatch
    ? detectColumnRenames(before, requested, nameKey)
    : detectCaseRenames(before, requested, nameKey);
  const site: ColumnBuildContext = {
    context,
    fold: nameKey,
    known,
    origins: findOrigins(renames, known, (path) => columnKey(place.id, section, path, nameKey)),
    labelling: { by: actor.principal.name, at: actor.now },
    pending: [],
  };
  const built = buildColumnList(site, requested, sectionKey(place.id, section), place.fullyQualifiedName);
  if (site.pending.length > 0) await Promise.all(site.pending);
  return reuseStoredColumns(stored, built);
};

/**
 * Builds the column trees that a write requests; a PUT that sends exactly the stored text gets the stored trees. A
 * patch may have renamed the record, and the names of its columns follow.
 */
export const buildColumnTrees = async (
  context: WriteContext,
  kind: Kind,
  place: ColumnOwner,
  stored: ColumnTrees,
  requested: Candidate['columns'],
  actor: WriteActor,
  mode: WriteMode,
): Promise<ColumnTrees> => {
  const given = ([section]: Kind['columnTrees'][number]) => requested[section] ?? [];
  if (mode.by === 'put' && kind.columnTrees.every((tree) => isStoredAs(stored, tree[0], given(tree)))) return stored;
  const columns: Record<string, readonly ColumnNode[]> = {};
  for (const tree of kind.columnTrees) {
    const [section] = tree;
    columns[section] = await buildSection(context, place, tree, stored[section] ?? [], given(tree), actor, mode);
  }
  return columns;
};
