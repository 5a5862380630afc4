import { hashPassword, passwordProblem } from '../access/password.ts';
import type { Principal } from '../access/principal.ts';
import { maskSecrets, restoreMasked, type SecretBox } from '../access/secrets.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { carryOver, detectRename, detectRespelling, findDuplicate, type Rename } from '../model/columns.ts';
import { equalJson, isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Attribute, Kind, Related, StoredAttribute } from '../model/kind.ts';
import { joinFqn } from '../model/name.ts';
import { type Candidate, labelWishes, type Pointer } from './candidate.ts';
import { writeFields } from './fields.ts';
import type { InheritedNode, LabelNode, RefNode, TargetNode } from './queries.ts';
import { render, renderColumns, renderLabels, type View } from './render.ts';
import {
  type Labelling,
  type Resolver,
  refuseHomelessProducts,
  resolveLabels,
  resolveOwners,
  resolvePointers,
  resolveRelation,
} from './resolve.ts';
import { type ColumnNode, type Snapshot, storedMembers } from './snapshot.ts';

/** Who writes, and when. `fresh` is the moment the record will say it was updated. */
export type Actor = {
  readonly principal: Principal;
  readonly now: number;
};

export type Desk = Resolver & { readonly secrets: SecretBox };

/** How a request's absences are to be read: PUT protects what it does not mention, PATCH says everything. */
type Mode = {
  readonly by: 'create' | 'put' | 'patch';
  readonly isJsonPatch: boolean;
  readonly overrideMetadata: boolean;
};

export const CREATE: Mode = { by: 'create', isJsonPatch: false, overrideMetadata: false };
export const PUT: Mode = { by: 'put', isJsonPatch: false, overrideMetadata: false };
export const PATCH: Mode = { by: 'patch', isJsonPatch: false, overrideMetadata: false };

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === '' || (isObject(value) && Object.keys(value).length === 0);

/** Texts that people wrote stay when a bot ingests over them (conventions 10). */
const PROTECTED = ['description', 'displayName', 'extension'];

const isProtected = (name: string, stored: Json | undefined, actor: Actor, mode: Mode): boolean =>
  mode.by === 'put' && !mode.overrideMetadata && actor.principal.isBot && PROTECTED.includes(name) && !isEmpty(stored);

const whenAbsent = (attribute: StoredAttribute, stored: Json | undefined, mode: Mode): Json | undefined => {
  const keeps = mode.by === 'put' ? attribute.onAbsent === 'keep' : attribute.hidden;
  if (keeps && stored !== undefined) return stored;
  return attribute.fallback;
};

const refuseModified = (
  kind: Kind,
  name: string,
  attribute: StoredAttribute,
  stored: Json | undefined,
  wished: Json | undefined,
) => {
  if (attribute.immutable && stored !== undefined && !equalJson(stored, wished)) {
    throw badRequest(`${kind.entityType} attribute ${name} can't be modified`);
  }
};

const refuseUsurped = (
  name: string,
  attribute: StoredAttribute,
  stored: Json | undefined,
  wished: Json | undefined,
  actor: Actor,
) => {
  if (!attribute.adminOnly || actor.principal.isAdmin) return;
  if (!equalJson(stored ?? attribute.fallback, wished)) {
    throw new CatalogError(
      'forbidden',
      `Principal: CatalogPrincipal{name='${actor.principal.name}'} may not set ${name}`,
    );
  }
};

const hashed = async (text: Json): Promise<string> => {
  const problem = passwordProblem(text as string);
  if (problem) throw badRequest(`[password ${problem}]`);
  return hashPassword(text as string);
};

const wishedValue = async (
  desk: Desk,
  attribute: StoredAttribute,
  stored: Json | undefined,
  given: Json,
): Promise<Json> => {
  if (attribute.store === 'secret')
    return restoreMasked(given, stored === undefined ? undefined : desk.secrets.open(stored));
  return attribute.hashed ? hashed(given) : given;
};

/** Sealing never answers the same text twice, so an unchanged secret keeps the text it has. */
const sealedValue = (
  desk: Desk,
  attribute: StoredAttribute,
  stored: Json | undefined,
  wished: Json | undefined,
): Json | undefined => {
  if (attribute.store !== 'secret' || wished === undefined) return wished;
  if (stored !== undefined && equalJson(desk.secrets.open(stored), wished)) return stored;
  return desk.secrets.seal(wished);
};

const desireValue = async (
  desk: Desk,
  kind: Kind,
  [name, attribute]: readonly [string, StoredAttribute],
  stored: Json | undefined,
  given: Json | undefined,
  actor: Actor,
  mode: Mode,
): Promise<Json | undefined> => {
  if (attribute.readOnly) return stored;
  const keepsEmpty = mode.by === 'put' && attribute.onAbsent === 'keep' && isEmpty(given);
  if (given === undefined || keepsEmpty) {
    if (isProtected(name, stored, actor, mode)) return stored;
    const wished = whenAbsent(attribute, stored, mode);
    refuseUsurped(name, attribute, stored, wished, actor);
    return wished;
  }
  if (isProtected(name, stored, actor, mode)) return stored;
  const wished = await wishedValue(desk, attribute, stored, given);
  const clear = attribute.store === 'secret' && stored !== undefined ? desk.secrets.open(stored) : stored;
  refuseModified(kind, name, attribute, clear, wished);
  refuseUsurped(name, attribute, stored, wished, actor);
  return sealedValue(desk, attribute, stored, wished);
};

const desireValues = async (
  desk: Desk,
  kind: Kind,
  stored: Readonly<Record<string, Json>>,
  candidate: Candidate,
  actor: Actor,
  mode: Mode,
): Promise<Record<string, Json>> => {
  const values: Record<string, Json> = {};
  for (const [name, attribute] of storedMembers(kind)) {
    const member = [name, attribute as StoredAttribute] as const;
    const value = await desireValue(desk, kind, member, stored[name], candidate.values[name], actor, mode);
    if (value !== undefined) values[name] = value;
  }
  return values;
};

/** A view without addresses: the form in which states are compared and kept. */
export const plainView = (desk: Desk, fields: ReadonlySet<string>): View => ({
  registry: desk.registry,
  hrefBase: undefined,
  fields,
  showSecret: (value) => maskSecrets(desk.secrets.open(value)),
});

/** A record as events and history keep it: every member a request could set, no addresses, secrets masked. */
export const keptForm = (desk: Desk, record: Snapshot): JsonObject =>
  render(record, plainView(desk, writeFields(record.kind)));

const NO_FIELDS: ReadonlySet<string> = new Set();

type ColumnSite = {
  readonly desk: Desk;
  readonly ownerId: string;
  readonly section: string;
  readonly known: ReadonlyMap<string, ColumnNode>;
  /** Stored keys by the keys they take. */
  readonly origins: ReadonlyMap<string, string>;
  readonly labelling: Labelling;
};

/** What names a column for good: its owner, its section, and the names on the way to it without regard to case. */
export const columnKey = (ownerId: string, section: string, path: readonly string[]): string =>
  `${ownerId}:${section}:${path.map((name) => name.toLowerCase()).join('\u0001')}`;

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

const desireColumns = async (
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

const own = (nodes: readonly InheritedNode[] | null): InheritedNode[] =>
  (nodes ?? []).filter((node) => node.distance === 0);
const passedDown = (nodes: readonly InheritedNode[] | null): InheritedNode[] =>
  (nodes ?? []).filter((node) => node.distance > 0);
const asOwn = (nodes: readonly TargetNode[]): InheritedNode[] => nodes.map((node) => ({ ...node, distance: 0 }));

/** References to deleted records are not shown, so a request that leaves them out does not mean to remove them. */
const unseen = <T extends RefNode>(nodes: readonly T[]): T[] => nodes.filter((node) => node.deleted === true);

type Common = { readonly owners: InheritedNode[]; readonly domains: InheritedNode[] };

const desireInherited = async (
  stored: readonly InheritedNode[] | null,
  given: Candidate['owners'],
  mode: Mode,
  resolve: (pointers: NonNullable<Candidate['owners']>) => Promise<TargetNode[]>,
): Promise<InheritedNode[]> => {
  const before = own(stored);
  const inherited = passedDown(stored);
  const wished = (given ?? []).filter(
    (pointer) => !pointer.inherited || !inherited.some((node) => node.id === pointer.id),
  );
  if (mode.by === 'put' && wished.length === 0) return [...before, ...inherited];
  const fresh = asOwn(await resolve(wished));
  return [...fresh, ...unseen(before).filter((node) => !fresh.some(({ id }) => id === node.id)), ...inherited];
};

const desireCommon = async (
  desk: Desk,
  kind: Kind,
  before: Inheritance,
  candidate: Candidate,
  actor: Actor,
  mode: Mode,
): Promise<Common> => {
  const keepsDomains =
    mode.by === 'put' && !mode.overrideMetadata && actor.principal.isBot && own(before.domains).length > 0;
  const has = (name: 'owners' | 'domains') => kind.gated.includes(name);
  return {
    owners: has('owners')
      ? await desireInherited(before.owners, candidate.owners, mode, (pointers) => resolveOwners(desk, pointers))
      : [],
    domains: has('domains')
      ? await desireInherited(before.domains, keepsDomains ? undefined : candidate.domains, mode, (pointers) =>
          resolvePointers(desk, pointers, ['domain']),
        )
      : [],
  };
};

const desireProducts = async (
  desk: Desk,
  before: readonly RefNode[],
  candidate: Candidate,
  domains: readonly InheritedNode[],
  mode: Mode,
): Promise<readonly RefNode[]> => {
  const given = candidate.dataProducts;
  if (given === undefined && mode.by === 'put') return domains.length > 0 ? before : [];
  const products = await resolvePointers(desk, given ?? [], ['dataProduct']);
  // A patch that takes the last domain away takes the data products along; one that adds products needs a domain.
  const added = products.filter((product) => !before.some(({ id }) => id === product.id));
  refuseHomelessProducts(added, domains);
  return domains.length > 0 ? products : [];
};

const desireLabels = (
  desk: Desk,
  kind: Kind,
  before: readonly LabelNode[],
  candidate: Candidate,
  actor: Actor,
  mode: Mode,
) => {
  if (!(kind.gated as readonly string[]).includes('tags')) return Promise.resolve<LabelNode[]>([]);
  const labelling = { by: actor.principal.name, at: actor.now };
  const given = candidate.tags ?? [];
  if (mode.by !== 'put') return resolveLabels(desk, given, before, labelling);
  const view = plainView(desk, NO_FIELDS);
  const kept = labelWishes(renderLabels(before, view));
  const mentioned = new Set(given.map((wish) => `${wish.source ?? 'Classification'} ${wish.tagFQN}`));
  const rest = kept.filter((wish) => !mentioned.has(`${wish.source ?? 'Classification'} ${wish.tagFQN}`));
  return resolveLabels(desk, [...rest, ...given], before, labelling);
};

const isWritable = (attribute: Attribute): boolean =>
  attribute.store === 'relation' && (attribute.request !== undefined || attribute.patchable);

const desireRelation = async (
  desk: Desk,
  attribute: Attribute & { store: 'relation' },
  before: readonly RefNode[],
  given: readonly Pointer[] | undefined,
  mode: Mode,
): Promise<readonly RefNode[]> => {
  if (given === undefined && mode.by === 'put') return before;
  const fresh: readonly RefNode[] = await resolveRelation(desk, attribute, given ?? []);
  const kept = unseen(before).filter((node) => !fresh.some(({ id }) => id === node.id));
  if (fresh.length + kept.length > 0 || attribute.fallback === undefined) return [...fresh, ...kept];
  const fallback = desk.registry.byType.get(attribute.kinds[0] ?? '');
  const node = fallback ? await desk.store.reference(fallback, attribute.fallback) : undefined;
  return node ? [node] : [];
};

const desireRelations = async (
  desk: Desk,
  kind: Kind,
  before: Snapshot['related'],
  candidate: Candidate,
  mode: Mode,
): Promise<Record<string, readonly RefNode[]>> => {
  const related: Record<string, readonly RefNode[]> = {};
  for (const [name, attribute] of Object.entries(kind.attributes)) {
    if (attribute.store !== 'relation') continue;
    const stored = before[name] ?? [];
    related[name] = isWritable(attribute)
      ? await desireRelation(desk, attribute, stored, candidate.relations[name], mode)
      : stored;
  }
  return related;
};

type Inheritance = Pick<Snapshot, 'owners' | 'domains'>;

/** A record as it would stand after the write, before the write has happened. */
export type Desired = Snapshot;

const judge = (kind: Kind, desired: Snapshot, desk: Desk): void => {
  if (!kind.rules && !kind.relatedRules) return;
  const candidate: JsonObject = {
    ...desired.values,
    name: desired.name,
    ...Object.fromEntries(
      Object.entries(desired.columns).map(([name, tree]) => [name, renderColumns(tree, plainView(desk, NO_FIELDS))]),
    ),
  };
  for (const rule of kind.rules ?? []) rule(candidate);
  for (const rule of kind.relatedRules ?? [])
    rule(candidate, desired.related as Readonly<Record<string, readonly Related[]>>);
};

type Base = Pick<
  Snapshot,
  'id' | 'name' | 'fullyQualifiedName' | 'version' | 'deleted' | 'ancestors' | 'followers' | 'voters' | 'counts'
>;

/** Builds the state that a candidate asks for, on top of what is there (or of nothing, for a new record). */
export const desire = async (
  desk: Desk,
  kind: Kind,
  base: Base,
  before: Snapshot | Inheritance,
  candidate: Candidate,
  actor: Actor,
  mode: Mode,
): Promise<Desired> => {
  const stored: Partial<Snapshot> = 'values' in before ? before : {};
  const [values, columns, labels, common, related] = await Promise.all([
    desireValues(desk, kind, stored.values ?? {}, candidate, actor, mode),
    desireColumns(desk, kind, base, stored.columns ?? {}, candidate, actor, mode),
    desireLabels(desk, kind, stored.tags ?? [], candidate, actor, mode),
    desireCommon(desk, kind, before, candidate, actor, mode),
    desireRelations(desk, kind, stored.related ?? {}, candidate, mode),
  ]);
  const desired: Snapshot = {
    ...base,
    kind,
    updatedAt: actor.now,
    updatedBy: actor.principal.name,
    impersonatedBy: actor.principal.impersonatedBy,
    changeDescription: undefined,
    values,
    columns,
    owners: common.owners,
    domains: common.domains,
    dataProducts: await desireProducts(desk, stored.dataProducts ?? [], candidate, common.domains, mode),
    tags: labels,
    related,
  };
  judge(kind, desired, desk);
  return desired;
};
