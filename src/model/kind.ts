import type { GenericSchema } from 'valibot';
import type { EdgeType } from './edges.ts';
import type { JsonObject } from './json.ts';
import {
  AssetCertification,
  ENTITY_STATUSES,
  FreeForm,
  LifeCycle,
  Markdown,
  oneOf,
  SourceHash,
  Text,
  Url,
} from './values.ts';

/**
 * The words in which a kind of record is declared. Everything that differs between kinds is said with them; the engine,
 * the routes, the schema of the store and the documentation read the declaration and never name a kind.
 */

/** Members that kinds share (entities.md, common blocks). A declaration lists which of them its kind has. */
export const CREATE_BLOCK = [
  'name',
  'displayName',
  'description',
  'owners',
  'tags',
  'domains',
  'dataProducts',
  'extension',
  'lifeCycle',
  'sourceHash',
  'sourceUrl',
] as const;
export const BASE_BLOCK = [
  'id',
  'name',
  'fullyQualifiedName',
  'displayName',
  'description',
  'version',
  'updatedAt',
  'updatedBy',
  'impersonatedBy',
  'href',
  'changeDescription',
  'incrementalChangeDescription',
  'deleted',
  'entityStatus',
  'sourceUrl',
] as const;
export const GATED_BLOCK = [
  'owners',
  'followers',
  'votes',
  'tags',
  'domains',
  'dataProducts',
  'dataContract',
  'extension',
  'lifeCycle',
  'certification',
  'sourceHash',
  'usageSummary',
] as const;

export type CreateMember = (typeof CREATE_BLOCK)[number];
export type BaseMember = (typeof BASE_BLOCK)[number];
export type GatedMember = (typeof GATED_BLOCK)[number];

/** A block without some of its members, as the contract's tables say it. */
export const without = <T extends string>(block: readonly T[], ...dropped: readonly NoInfer<T>[]): readonly T[] =>
  block.filter((member) => !dropped.includes(member));

/** How a list inside a record is compared, item by item: by what an item is known by. */
export type ListIdentity = 'name' | 'id' | 'value';

type Common = {
  /** Returned only when `fields` names it. */
  readonly gated: boolean;
  /** A change of it steps the version. */
  readonly versioned: boolean;
};

/** A value kept on the record's own node: as a native property, as JSON text, or as JSON text with sealed secrets. */
export type StoredAttribute = Common & {
  readonly store: 'property' | 'json' | 'secret';
  readonly schema: GenericSchema;
  /** A member of the create body. */
  readonly request: boolean;
  readonly required: boolean;
  readonly fallback?: string | number | boolean;
  /** What a PUT without this member does to the stored value. */
  readonly onAbsent: 'clear' | 'keep';
  /** Cannot be changed once set: another value is refused. */
  readonly immutable: boolean;
  /** Accepted and stored, never returned. */
  readonly hidden: boolean;
  /** Only an administrator may set another value than the fallback. */
  readonly adminOnly: boolean;
  /** Kept only as a one-way hash. */
  readonly hashed: boolean;
  /** Checked with the rest of the body, then forgotten. */
  readonly transient: boolean;
  readonly list?: ListIdentity;
  /** Set by an operation of its own; bodies and patches leave it alone. */
  readonly readOnly: boolean;
  /** Items that name a column are shown with that column instead of with the record. */
  readonly byColumn: boolean;
};

/** A tree of columns or fields: nodes of their own below the record. */
export type ColumnsAttribute = Common & {
  readonly store: 'columns';
  readonly schema: GenericSchema;
  readonly request: true;
  readonly required: boolean;
};

/** References kept as edges to other records. */
export type RelationAttribute = Common & {
  readonly store: 'relation';
  readonly edge: EdgeType;
  /** From this record (`out`) or to it (`in`). */
  readonly direction: 'out' | 'in';
  /** The kinds at the other end. */
  readonly kinds: readonly string[];
  readonly many: boolean;
  /** How a create body names the other end; absent when clients cannot set the relation. */
  readonly request?: 'id' | 'name' | 'fqn' | 'ref';
  readonly required: boolean;
  /** May be set by PATCH although the create body does not know it. */
  readonly patchable: boolean;
  /** A record can never be reached from itself along this edge. */
  readonly acyclic: boolean;
  /** The FQN of the record that stands in when the relation would be empty. */
  readonly fallback?: string;
};

/** A value computed from the graph by a statement of its own: references, or one number. */
export type WalkedAttribute = Common & {
  readonly store: 'walked';
  readonly statement: string;
  readonly answers: 'refs' | 'count';
};

/** A member of an ancestor, repeated here: a reference to it, or one of its attributes. */
export type AncestorAttribute = Common & {
  readonly store: 'ancestor';
  readonly kind: string;
  readonly member: 'ref' | string;
};

/** A member whose data belongs to a subject that is not there: always empty. */
export type EmptyAttribute = Common & {
  readonly store: 'empty';
  readonly schema: GenericSchema;
  readonly value: [] | undefined;
  /** Accepted in create bodies as long as it is empty. */
  readonly request: boolean;
};

export type Attribute =
  | StoredAttribute
  | ColumnsAttribute
  | RelationAttribute
  | WalkedAttribute
  | AncestorAttribute
  | EmptyAttribute;

/** Where a record hangs: the member of the create body that names its parent, and the edge to it. */
export type Parent = {
  readonly field: string;
  readonly kind: string;
  readonly edge: 'CONTAINS' | 'PARENT_OF';
  /** Without it the record stands at the root (or below the next parent in the list). */
  readonly required: boolean;
};

/** What rules may know of a record at the other end of a relation. */
export type Related = {
  readonly id: string;
  readonly entityType: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly teamType?: string;
};

/** `before` are the stored values, when there is a record already. */
export type RelatedRule = (
  candidate: JsonObject,
  related: Readonly<Record<string, readonly Related[]>>,
  before: JsonObject | undefined,
) => void;

/** A filter of the list operation beside `service` and `domain`-like scopes. */
export type Filter =
  | { readonly by: 'scope' }
  | { readonly by: 'flag'; readonly property: string }
  | { readonly by: 'domain' }
  | { readonly by: 'edge'; readonly edge: EdgeType; readonly from: string }
  | { readonly by: 'ignored' };

export type KindDeclaration = {
  readonly entityType: string;
  /** Its label in the graph. */
  readonly label: string;
  /** Its collection below `/v1/`. */
  readonly path: string;
  /** What the documentation calls many of it. */
  readonly title: string;
  readonly parents: readonly Parent[];
  readonly create: readonly CreateMember[];
  readonly base: readonly BaseMember[];
  readonly gated: readonly GatedMember[];
  /** Members of the create body that must be there, beside `name` and those its attributes require. */
  readonly required?: readonly CreateMember[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Members of the create body that are accepted and have no effect. */
  readonly ignored?: Readonly<Record<string, GenericSchema>>;
  readonly filters: Readonly<Record<string, Filter>>;
  /** Extra rules over a whole create body or patched record; each throws a CatalogError. */
  readonly rules?: readonly ((candidate: JsonObject) => void)[];
  /** Extra rules over a create body alone, before anything is looked up. */
  readonly bodyRules?: readonly ((body: JsonObject) => void)[];
  /** Extra rules over a record and the records it points at, by member name. */
  readonly relatedRules?: readonly RelatedRule[];
  /** Names are kept in lower case. */
  readonly lowerCaseName?: boolean;
  /** Properties unique over the kind, beside the FQN. */
  readonly unique?: readonly string[];
  /** Names of records that are part of the system although no provider says so. */
  readonly undeletable?: readonly string[];
  /** Its columns can be listed and searched by themselves. */
  readonly listsColumns?: boolean;
  /** Members with addresses of their own. */
  readonly subResources?: readonly SubResource[];
  /** The edge by which other records belong to one of this kind, seen from it, when they can be listed. */
  readonly assets?: {
    readonly edge: EdgeType;
    readonly direction: 'out' | 'in';
    readonly member?: 'domains' | 'dataProducts';
  };
  /** A failed `If-Match` is told as a conflict. */
  readonly staleIsConflict?: boolean;
  /** How many items a list answers when the request does not say. */
  readonly defaultLimit?: number;
};

/** A member with an address of its own, `{id}/<path>`: written whole, read, or removed. Answers are the record. */
export type SubResource = {
  readonly path: string;
  readonly member: string;
  readonly methods: readonly ('GET' | 'PUT' | 'DELETE')[];
  /** What a caller must be allowed to do to write it, and to read it. */
  readonly edit: string;
  readonly view: string;
};

/** A declaration, checked and completed. */
export type Kind = KindDeclaration & {
  /** All members that are not common relations: the kind's own and those of the common blocks, by name. */
  readonly members: Readonly<Record<string, Attribute>>;
  /** The names `fields` may contain. */
  readonly fieldNames: ReadonlySet<string>;
  /** The names that change what is answered when `fields` contains them. */
  readonly gatedNames: ReadonlySet<string>;
  /** Scope properties: one per ancestor in the name, so that lists below an ancestor have an index. */
  readonly scopeDepth: number;
  /** Some of its values are kept as one-way hashes. */
  readonly hashes: boolean;
  readonly softDeletable: boolean;
  readonly followable: boolean;
  readonly votable: boolean;
  readonly columnFields: readonly string[];
};

const defaults = { gated: false, versioned: true } as const;

type StoredOptions = Partial<Omit<StoredAttribute, 'store' | 'schema'>>;

const stored =
  (store: StoredAttribute['store']) =>
  (schema: GenericSchema, options: StoredOptions = {}): StoredAttribute => ({
    ...defaults,
    request: true,
    required: false,
    onAbsent: 'clear',
    immutable: false,
    hidden: false,
    adminOnly: false,
    hashed: false,
    transient: false,
    readOnly: false,
    byColumn: false,
    ...options,
    store,
    schema,
  });

/** A scalar or a list of strings, kept as a native property. */
export const property = stored('property');
/** A nested value, kept as JSON text. */
export const nested = stored('json');
/** A nested value that may hold secrets: sealed in the store, masked for readers. */
export const secret = stored('secret');

export const columns = (
  schema: GenericSchema,
  options: Partial<Pick<ColumnsAttribute, 'required' | 'gated'>> = {},
): ColumnsAttribute => ({ ...defaults, required: false, ...options, request: true, store: 'columns', schema });

type RelationOptions = Pick<RelationAttribute, 'edge' | 'direction' | 'kinds'> &
  Partial<Omit<RelationAttribute, 'store'>>;

export const relation = (options: RelationOptions): RelationAttribute => ({
  ...defaults,
  gated: true,
  many: true,
  required: false,
  acyclic: false,
  patchable: options.request !== undefined,
  ...options,
  store: 'relation',
});

/** References reached by a statement that binds `$ids` and answers rows of `id` and `ref`. */
export const walked = (statement: string): WalkedAttribute => ({
  gated: true,
  versioned: false,
  store: 'walked',
  statement,
  answers: 'refs',
});

/** A number from a statement that binds `$ids` and answers rows of `id` and `count`. */
export const counted = (statement: string): WalkedAttribute => ({ ...walked(statement), answers: 'count' });

export const ancestor = (kind: string, member: 'ref' | string = 'ref'): AncestorAttribute => ({
  gated: false,
  versioned: false,
  store: 'ancestor',
  kind,
  member,
});

export const empty = (
  schema: GenericSchema,
  value: [] | undefined,
  options: { request?: boolean; gated?: boolean } = {},
): EmptyAttribute => ({ gated: true, versioned: false, request: false, ...options, store: 'empty', schema, value });

/** `CONTAINS` below a parent named by the create body. */
export const below = (field: string, kind: string, options: Partial<Parent> = {}): Parent => ({
  field,
  kind,
  edge: 'CONTAINS',
  required: true,
  ...options,
});

const fail = (kind: KindDeclaration, problem: string): never => {
  throw new Error(`kind ${kind.entityType}: ${problem}`);
};

const checkNames = (kind: KindDeclaration) => {
  if (!/^[A-Z][A-Za-z]+$/.test(kind.label)) fail(kind, `label ${kind.label} is not in upper camel case`);
  if (!/^[a-zA-Z/]+$/.test(kind.path) || kind.path.startsWith('/')) fail(kind, `path ${kind.path}`);
};

const checkAttributes = (kind: KindDeclaration) => {
  const common: readonly string[] = [...kind.base, ...kind.gated];
  for (const [name, attribute] of Object.entries(kind.attributes)) {
    if (common.includes(name)) fail(kind, `attribute ${name} repeats a common member`);
    if (attribute.store === 'property' && attribute.list && attribute.list !== 'value') {
      fail(kind, `attribute ${name}: a native list is compared by value`);
    }
  }
};

/** The common members that are plain values, as if the kind had declared them. */
const commonMembers = (kind: KindDeclaration): Record<string, Attribute> => {
  const request = (name: CreateMember) => kind.create.includes(name);
  const required = (name: CreateMember) => kind.required?.includes(name) ?? false;
  const base = (name: BaseMember) => kind.base.includes(name);
  const all: readonly [string, boolean, Attribute][] = [
    ['displayName', true, property(Text)],
    ['description', true, property(Markdown, { required: required('description') })],
    [
      'sourceUrl',
      base('sourceUrl') || request('sourceUrl'),
      property(Url, { request: request('sourceUrl'), hidden: !base('sourceUrl') }),
    ],
    [
      'entityStatus',
      base('entityStatus'),
      property(oneOf(ENTITY_STATUSES), { request: false, onAbsent: 'keep', fallback: 'Unprocessed' }),
    ],
    [
      'extension',
      kind.gated.includes('extension'),
      nested(FreeForm, { request: request('extension'), gated: true, onAbsent: 'keep' }),
    ],
    [
      'lifeCycle',
      kind.gated.includes('lifeCycle'),
      nested(LifeCycle, { request: request('lifeCycle'), gated: true, onAbsent: 'keep' }),
    ],
    [
      'certification',
      kind.gated.includes('certification'),
      nested(AssetCertification, { request: false, gated: true, onAbsent: 'keep' }),
    ],
    [
      'sourceHash',
      kind.gated.includes('sourceHash'),
      property(SourceHash, { request: request('sourceHash'), gated: true }),
    ],
  ];
  return Object.fromEntries(all.filter(([, present]) => present).map(([name, , attribute]) => [name, attribute]));
};

const membersOf = (kind: KindDeclaration) => ({ ...commonMembers(kind), ...kind.attributes });

const visible = (kind: KindDeclaration): readonly (readonly [string, Attribute])[] =>
  Object.entries(kind.attributes).filter(([, attribute]) => !('hidden' in attribute && attribute.hidden));

/** Checks a declaration and completes it with what follows from it. Throws on nonsense, when the process starts. */
export const defineKind = (declaration: KindDeclaration & { readonly scopeDepth?: number }): Kind => {
  checkNames(declaration);
  checkAttributes(declaration);
  return Object.freeze({
    ...declaration,
    members: membersOf(declaration),
    fieldNames: new Set([...declaration.base, ...declaration.gated, ...visible(declaration).map(([name]) => name)]),
    gatedNames: new Set([
      ...declaration.gated,
      ...visible(declaration)
        .filter(([, attribute]) => attribute.gated)
        .map(([name]) => name),
    ]),
    scopeDepth: declaration.scopeDepth ?? 0,
    hashes: Object.values(declaration.attributes).some((attribute) => 'hashed' in attribute && attribute.hashed),
    softDeletable: declaration.base.includes('deleted'),
    followable: declaration.gated.includes('followers'),
    votable: declaration.gated.includes('votes'),
    columnFields: Object.entries(declaration.attributes)
      .filter(([, attribute]) => attribute.store === 'columns')
      .map(([name]) => name),
  });
};
