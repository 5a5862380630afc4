import { badRequest } from '../../errors.ts';
import {
  carryOver,
  detectRename,
  detectRespelling,
  type Fold,
  findDuplicate,
  type Rename,
} from '../../model/columns.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { checkName, joinFqn } from '../../model/name.ts';
import type { LabelNode } from '../queries.ts';
import {
  type ColumnNode,
  type ColumnTrees,
  columnKey,
  isKeptAs,
  PATH_SEPARATOR,
  sectionKey,
} from '../read/column-tree.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { plainView } from '../read/kept.ts';
import { renderColumns } from '../read/render.ts';
import { type Candidate, labelWishes } from './candidate.ts';
import type { Actor, Desk, Mode } from './desk.ts';
import { type Labelling, resolveLabels } from './resolve.ts';
import { storedIfSame } from './same.ts';

type ColumnSite = {
  readonly desk: Desk;
  readonly fold: Fold;
  readonly known: ReadonlyMap<string, ColumnNode>;
  /** Stored keys by the keys they take. */
  readonly origins: ReadonlyMap<string, string>;
  readonly labelling: Labelling;
  /** Labels that are still being looked up. */
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

type Growing = { -readonly [M in keyof ColumnNode]: ColumnNode[M] };

const NO_LABELS: readonly LabelNode[] = [];

/** Labels need the graph; a column without any is built without waiting for anything. */
const requestLabels = (site: ColumnSite, node: Growing, column: JsonObject, stored: ColumnNode | undefined) => {
  if (column['tags'] === undefined) return;
  const wishes = labelWishes(column['tags']);
  if (wishes.length === 0) return;
  const labels = resolveLabels(site.desk, wishes, stored?.labels ?? [], site.labelling);
  site.pending.push(
    labels.then((found) => {
      node.labels = found;
    }),
  );
};

const buildColumn = (
  site: ColumnSite,
  column: JsonObject,
  position: number,
  keyPrefix: string,
  parentFqn: string,
): ColumnNode => {
  const name = column['name'] as string;
  const key = keyPrefix + site.fold(name);
  const fqn = joinFqn(parentFqn, checkName(name));
  const origin = site.origins.get(key) ?? (site.known.has(key) ? key : undefined);
  const children = column['children'] as readonly JsonObject[] | undefined;
  const node: Growing = {
    key,
    ...(origin === undefined ? {} : { origin }),
    values: columnValues(column, fqn),
    position,
    labels: NO_LABELS,
    children: children ? buildColumns(site, children, key + PATH_SEPARATOR, fqn) : [],
  };
  requestLabels(site, node, column, origin === undefined ? undefined : site.known.get(origin));
  return node;
};

const buildColumns = (site: ColumnSite, columns: readonly JsonObject[], keyPrefix: string, fqn: string): ColumnNode[] =>
  columns.map((column, index) => buildColumn(site, column, index, keyPrefix, fqn));

/** Every column of a forest by its key. */
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

/** What stays the same column under another name: the column itself and everything below it. */
const originsOf = (
  renames: readonly Rename[],
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

type Place = { readonly id: string; readonly fullyQualifiedName: string };

const desireSection = async (
  desk: Desk,
  place: Place,
  [section, { fold }]: Kind['trees'][number],
  stored: readonly ColumnNode[],
  given: readonly JsonObject[],
  actor: Actor,
  mode: Mode,
): Promise<readonly ColumnNode[]> => {
  const before = renderColumns(stored, plainView(desk, NO_FIELDS));
  const keepStored = actor.principal.isBot && !mode.overrideMetadata;
  const wished = mode.by === 'put' ? carryOver(before, given, { keepStored, fold }) : given;
  const twin = findDuplicate(wished, fold);
  if (twin !== undefined) throw badRequest(`[${section} has the column ${twin} more than once]`);
  const known = columnsByKey(stored);
  const renames = mode.isJsonPatch ? detectRename(before, wished, fold) : detectRespelling(before, wished, fold);
  const site: ColumnSite = {
    desk,
    fold,
    known,
    origins: originsOf(renames, known, (path) => columnKey(place.id, section, path, fold)),
    labelling: { by: actor.principal.name, at: actor.now },
    pending: [],
  };
  const built = buildColumns(site, wished, sectionKey(place.id, section), place.fullyQualifiedName);
  if (site.pending.length > 0) await Promise.all(site.pending);
  return storedIfSame(stored, built);
};

/**
 * The columns that a write asks for; the stored ones themselves when a PUT says letter for letter what they are kept as.
 * By a patch the record may have got another name, which the names of its columns follow.
 */
export const desireColumns = async (
  desk: Desk,
  kind: Kind,
  place: Place,
  stored: ColumnTrees,
  wished: Candidate['columns'],
  actor: Actor,
  mode: Mode,
): Promise<ColumnTrees> => {
  const given = ([section]: Kind['trees'][number]) => wished[section] ?? [];
  if (mode.by === 'put' && kind.trees.every((tree) => isKeptAs(stored, tree[0], given(tree)))) return stored;
  const columns: Record<string, readonly ColumnNode[]> = {};
  for (const tree of kind.trees) {
    const [section] = tree;
    columns[section] = await desireSection(desk, place, tree, stored[section] ?? [], given(tree), actor, mode);
  }
  return columns;
};
