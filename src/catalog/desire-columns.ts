import { badRequest } from '../errors.ts';
import { carryOver, detectRename, detectRespelling, findDuplicate, type Rename } from '../model/columns.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { joinFqn } from '../model/name.ts';
import { type Candidate, labelWishes } from './candidate.ts';
import { type ColumnNode, columnKey } from './column-tree.ts';
import { type Actor, type Desk, type Mode, NO_FIELDS, plainView } from './desk.ts';
import { renderColumns } from './render.ts';
import { type Labelling, resolveLabels } from './resolve.ts';
import type { Snapshot } from './snapshot.ts';

type ColumnSite = {
  readonly desk: Desk;
  readonly ownerId: string;
  readonly section: string;
  readonly known: ReadonlyMap<string, ColumnNode>;
  /** Stored keys by the keys they take. */
  readonly origins: ReadonlyMap<string, string>;
  readonly labelling: Labelling;
};

const COLUMN_EXTRAS: ReadonlySet<string> = new Set([
  'tags',
  'children',
  'fullyQualifiedName',
  'profile',
  'customMetrics',
]);

const columnValues = (column: JsonObject, fqn: string): Record<string, Json> => ({
  ...(Object.fromEntries(Object.entries(column).filter(([name]) => !COLUMN_EXTRAS.has(name))) as Record<string, Json>),
  fullyQualifiedName: fqn,
});

const buildColumn = async (
  site: ColumnSite,
  column: JsonObject,
  position: number,
  parentPath: readonly string[],
  parentFqn: string,
): Promise<ColumnNode> => {
  const name = column['name'] as string;
  const path = [...parentPath, name];
  const key = columnKey(site.ownerId, site.section, path);
  const fqn = joinFqn(parentFqn, name);
  const origin = site.origins.get(key) ?? (site.known.has(key) ? key : undefined);
  const stored = origin === undefined ? undefined : site.known.get(origin);
  const wishes = labelWishes(column['tags']);
  const children = (column['children'] ?? []) as readonly JsonObject[];
  return {
    key,
    ...(origin === undefined ? {} : { origin }),
    values: columnValues(column, fqn),
    position,
    labels: wishes.length === 0 ? [] : await resolveLabels(site.desk, wishes, stored?.labels ?? [], site.labelling),
    children: children.length === 0 ? [] : await buildColumns(site, children, path, fqn),
  };
};

const buildColumns = (
  site: ColumnSite,
  columns: readonly JsonObject[],
  path: readonly string[],
  fqn: string,
): Promise<ColumnNode[]> => Promise.all(columns.map((column, index) => buildColumn(site, column, index, path, fqn)));

/** Every column of a forest by its key. */
export const columnsByKey = (columns: readonly ColumnNode[]): Map<string, ColumnNode> => {
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
  ownerId: string,
  section: string,
) => {
  const origins = new Map<string, string>();
  for (const { from, to } of renames) {
    const old = columnKey(ownerId, section, from);
    const fresh = columnKey(ownerId, section, to);
    if (old === fresh) continue;
    for (const key of known.keys()) {
      if (key === old || key.startsWith(`${old}\u0001`)) origins.set(`${fresh}${key.slice(old.length)}`, key);
    }
  }
  return origins;
};

type Place = { readonly id: string; readonly fullyQualifiedName: string };

const desireSection = async (
  desk: Desk,
  place: Place,
  section: string,
  stored: readonly ColumnNode[],
  given: readonly JsonObject[],
  actor: Actor,
  mode: Mode,
): Promise<ColumnNode[]> => {
  const before = renderColumns(stored, plainView(desk, NO_FIELDS));
  const keepStored = actor.principal.isBot && !mode.overrideMetadata;
  const wished = mode.by === 'put' ? carryOver(before, given, { keepStored }) : given;
  const twin = findDuplicate(wished);
  if (twin !== undefined) throw badRequest(`[${section} has the column ${twin} more than once]`);
  const known = columnsByKey(stored);
  const renames = mode.isJsonPatch ? detectRename(before, wished) : detectRespelling(before, wished);
  const site: ColumnSite = {
    desk,
    ownerId: place.id,
    section,
    known,
    origins: originsOf(renames, known, place.id, section),
    labelling: { by: actor.principal.name, at: actor.now },
  };
  return buildColumns(site, wished, [], place.fullyQualifiedName);
};

export const desireColumns = async (
  desk: Desk,
  kind: Kind,
  place: Place,
  stored: Snapshot['columns'],
  candidate: Candidate,
  actor: Actor,
  mode: Mode,
): Promise<Record<string, readonly ColumnNode[]>> => {
  const columns: Record<string, readonly ColumnNode[]> = {};
  for (const section of kind.columnFields) {
    const given = candidate.columns[section] ?? [];
    columns[section] = await desireSection(desk, place, section, stored[section] ?? [], given, actor, mode);
  }
  return columns;
};
