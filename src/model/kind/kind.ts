import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../json.ts';
import { normaliseFqn, singlePartFqn } from '../name.ts';
import type { SubscriptionWrite } from '../schemas/events/delivers-as.ts';
import type { PlatformView } from '../schemas/lineage/lineage.ts';
import {
  AssetCertification,
  CustomValues,
  ENTITY_STATUSES,
  LifeCycle,
  Markdown,
  oneOf,
  SourceHash,
  Text,
  Url,
} from '../values.ts';
import { type Attribute, type ColumnsAttribute, computedRefs, nested, property } from './attribute.ts';
import type { EdgeType } from './edges.ts';
import type { ListFilter } from './list-filter.ts';
import type { ParentDeclaration } from './parent.ts';
import type { MentionRule, NameBearingTexts, RelatedRecord, RelatedRule } from './record-rules.ts';
import type { SearchDeclaration } from './search-declaration.ts';
import type { SubResource } from './sub-resource.ts';

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
export const withoutMembers = <T extends string>(
  block: readonly T[],
  ...dropped: readonly NoInfer<T>[]
): readonly T[] => block.filter((member) => !dropped.includes(member));

export type KindDeclaration = {
  readonly entityType: string;
  /** Its label in the graph. */
  readonly label: string;
  /** Its collection below `/v1/`. */
  readonly path: string;
  /** What the documentation calls many of it. */
  readonly title: string;
  readonly parents: readonly ParentDeclaration[];
  readonly create: readonly CreateMember[];
  readonly base: readonly BaseMember[];
  readonly gated: readonly GatedMember[];
  /** Members of the create body that must be there, beside `name` and those its attributes require. */
  readonly required?: readonly CreateMember[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Members of the create body that are accepted and have no effect. */
  readonly ignored?: Readonly<Record<string, GenericSchema>>;
  readonly filters: Readonly<Record<string, ListFilter>>;
  /** Parameters of the list operation that say together what one of its filters means. */
  readonly normaliseFilters?: (query: URLSearchParams) => URLSearchParams;
  readonly search: SearchDeclaration;
  /** The name of a record whose create body gives none. */
  readonly defaultName?: (body: JsonObject) => string;
  /** Values that a new record starts with and that no request can set; `by` is who creates it. */
  readonly initialValues?: (
    related: Readonly<Record<string, readonly RelatedRecord[]>>,
    by: string,
    at: number,
  ) => JsonObject;
  /** Its create bodies may be written in YAML as well. */
  readonly acceptsYaml?: boolean;
  /** What a create body means in the words of the kind, where it may be said in others. */
  readonly normaliseBody?: (body: JsonObject) => JsonObject;
  /** The same of a document that a patch has changed, given what it was before. */
  readonly normaliseDocument?: (document: JsonObject, former: JsonObject) => JsonObject;
  /** What stands before its own name in its fully qualified name, which then goes on as it is, never quoted. */
  readonly namePrefix?: string;
  /** Records of different kinds may be called alike, and then so are those of this kind below them. */
  readonly sharesNames?: boolean;
  /** The kinds of records below its own that go with them without being asked for. */
  readonly partKinds?: readonly string[];
  /** The name that a record's own name follows, where that is not the name of its parent. */
  readonly namedBelow?: (values: JsonObject) => string | undefined;
  /** What is handed down to records that have none of their own, and the statements that find it: rows of `id` and `row`. */
  readonly inherits?: { readonly tags: string; readonly followers: string };
  /** The edge by which records of other kinds cannot do without one of this kind: it is not removed as long as there are any. */
  readonly requiredByEdge?: EdgeType;
  /** Whoever may do this to the nearest ancestor of that kind may create records of this one as well. */
  readonly alsoCreatedBy?: { readonly kind: string; readonly operation: string };
  /** The fully qualified name that a text means, where it is not simply its normal form. */
  readonly normaliseLookup?: (text: string) => string;
  /** Why a record is not removed by the operations that all kinds have, if it is not. */
  readonly undeletableReason?: (values: JsonObject) => string | undefined;
  /**
   * A member that tells the records below one parent apart beside their name: a PUT finds the record by it first. The
   * statement answers ids by `twinKey`. Where it tells them apart everywhere (`alone`), there is one at most, whatever it
   * is called.
   */
  readonly naturalKey?: { readonly member: string; readonly statement: string; readonly alone?: boolean };
  /** Extra rules over a whole create body or patched record; each throws a CatalogError. */
  readonly rules?: readonly ((candidate: JsonObject) => void)[];
  /** Extra rules over a create body alone, before anything is looked up. */
  readonly bodyRules?: readonly ((body: JsonObject) => void)[];
  /** Extra rules over a record and the records it points at, by member name. */
  readonly relatedRules?: readonly RelatedRule[];
  /** Extra rules over a record and the records its nested values mention. */
  readonly mentionRules?: readonly MentionRule[];
  /** Texts among its stored values that name other records, and bear their new names when those are renamed. */
  readonly nameBearingTexts?: NameBearingTexts;
  /** Values that no request sets and that follow from who makes a change and what it changes. */
  readonly computeOnWrite?: (write: SubscriptionWrite) => JsonObject;
  /** The addresses that its records have this program call; each must be one that it may call when it is stored. */
  readonly calledUrls?: (values: JsonObject) => readonly string[];
  /** A state kept in history, or a change description, as everybody may see it who may see the record. */
  readonly redactState?: (state: JsonObject) => JsonObject;
  /** Names are kept in lower case. */
  readonly lowerCaseName?: boolean;
  /** Properties unique over the kind, beside the FQN. */
  readonly unique?: readonly string[];
  /** Its records go when the last of their domains goes; until then a domain that has some is not empty. */
  readonly deletedWithDomains?: boolean;
  /** A patch may give its records another name. */
  readonly isRenamable?: boolean;
  /** Names of records that are part of the system although no provider says so. */
  readonly undeletableNames?: readonly string[];
  /** Its records describe the other kinds by name, and define their custom properties. */
  readonly describesKinds?: boolean;
  /** What callers may do follows from its records, so that every process is told of their changes. */
  readonly governsAccess?: boolean;
  /**
   * Its records are assets: data, or something made of it. A rule about all resources that grants ownership reaches
   * assets only; on every other kind the rule must name the kind.
   */
  readonly isAsset?: boolean;
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
  /** What an edge joins to a record of this kind and can be listed page by page, as references or as whole records. */
  readonly listings?: readonly {
    readonly path: string;
    readonly edge: EdgeType;
    readonly direction: 'out' | 'in';
    readonly whole: boolean;
  }[];
  /** In which view of the whole platform its records stand for those that belong to them, and for the edges between those. */
  readonly platformView?: PlatformView;
  /** The records that lineage tells of one by one as if they were columns of a record of this kind. */
  readonly lineageParts?: { readonly edge: EdgeType; readonly kind: string };
  /** Further lists of records that are changed like assets, by path, and the edge to what is in them. */
  readonly ports?: Readonly<Record<string, EdgeType>>;
  /** A failed `If-Match` is told as a conflict. */
  readonly staleIsConflict?: boolean;
  /** How many items a list answers when the request does not say. */
  readonly defaultLimit?: number;
};

/** A declaration, checked and completed. */
export type Kind = KindDeclaration & {
  /** All members that are not common relations: the kind's own and those of the common blocks, by name. */
  readonly members: Readonly<Record<string, Attribute>>;
  /** The names `fields` may contain. */
  readonly fieldNames: ReadonlySet<string>;
  /** The names that change what is answered when `fields` contains them, and that `*` stands for. */
  readonly gatedNames: ReadonlySet<string>;
  /** Scope properties: one per ancestor in the name, so that lists below an ancestor have an index. */
  readonly scopeDepth: number;
  /** Some of its values are kept as one-way hashes. */
  readonly hasHashedMembers: boolean;
  readonly softDeletable: boolean;
  readonly followable: boolean;
  readonly votable: boolean;
  /** One of its filters tells records without a parent of their own kind apart. */
  readonly listsRoots: boolean;
  /** Its trees of columns, by member. */
  readonly columnTrees: readonly (readonly [name: string, attribute: ColumnsAttribute])[];
};

/** `CONTAINS` below a parent named by the create body. */
export const childOf = (field: string, kind: string, options: Partial<ParentDeclaration> = {}): ParentDeclaration => ({
  field,
  kind,
  edge: 'CONTAINS',
  required: true,
  namedBy: 'fqn',
  ...options,
});

const failDeclaration = (kind: KindDeclaration, problem: string): never => {
  throw new Error(`kind ${kind.entityType}: ${problem}`);
};

const checkDeclaredNames = (kind: KindDeclaration) => {
  if (!/^[A-Z][A-Za-z]+$/.test(kind.label)) failDeclaration(kind, `label ${kind.label} is not in upper camel case`);
  if (!/^[a-zA-Z/]+$/.test(kind.path) || kind.path.startsWith('/')) failDeclaration(kind, `path ${kind.path}`);
};

const checkDeclaredAttributes = (kind: KindDeclaration) => {
  const common: readonly string[] = [...kind.base, ...kind.gated];
  for (const [name, attribute] of Object.entries(kind.attributes)) {
    if (common.includes(name)) failDeclaration(kind, `attribute ${name} repeats a common member`);
    if (attribute.store === 'property' && attribute.list && attribute.list !== 'value') {
      failDeclaration(kind, `attribute ${name}: a native list is compared by value`);
    }
    if (attribute.store === 'relation' && attribute.exclusive && attribute.direction === 'in') {
      failDeclaration(kind, `attribute ${name}: only an outgoing edge is exclusive`);
    }
    if (attribute.store === 'conferred' && kind.attributes[attribute.to]?.store !== 'relation') {
      failDeclaration(kind, `attribute ${name}: ${attribute.to} is no relation`);
    }
  }
  for (const name of kind.search.includedMembers ?? []) {
    if (!['relation', 'walked'].includes(kind.attributes[name]?.store ?? ''))
      failDeclaration(kind, `search tells of ${name}`);
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
      nested(CustomValues, { request: request('extension'), gated: true, onAbsent: 'keep' }),
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

const allMembers = (kind: KindDeclaration) => ({ ...commonMembers(kind), ...kind.attributes });

const visibleAttributes = (kind: KindDeclaration): readonly (readonly [string, Attribute])[] =>
  Object.entries(kind.attributes).filter(([, attribute]) => !('hidden' in attribute && attribute.hidden));

/** Records that contracts are made about show theirs. */
const withContractMember = <T extends KindDeclaration>(kind: T): T =>
  kind.gated.includes('dataContract')
    ? {
        ...kind,
        attributes: { ...kind.attributes, dataContract: { ...computedRefs('contracts/walk_contract'), as: 'single' } },
      }
    : kind;

/** Checks a declaration and completes it with what follows from it. Throws on nonsense, when the process starts. */
export const defineKind = (given: KindDeclaration & { readonly scopeDepth?: number }): Kind => {
  checkDeclaredNames(given);
  checkDeclaredAttributes(given);
  const declaration = withContractMember(given);
  return Object.freeze({
    ...declaration,
    members: allMembers(declaration),
    fieldNames: new Set([
      ...declaration.base,
      ...declaration.gated,
      ...visibleAttributes(declaration).map(([name]) => name),
    ]),
    gatedNames: new Set([
      ...declaration.gated,
      ...visibleAttributes(declaration)
        .filter(([, attribute]) => attribute.gated && !attribute.onlyNamed)
        .map(([name]) => name),
    ]),
    scopeDepth: declaration.scopeDepth ?? 0,
    hasHashedMembers: Object.values(declaration.attributes).some(
      (attribute) => 'hashed' in attribute && attribute.hashed,
    ),
    softDeletable: declaration.base.includes('deleted'),
    followable: declaration.gated.includes('followers'),
    votable: declaration.gated.includes('votes'),
    listsRoots: Object.values(declaration.filters).some((filter) => filter.by === 'root'),
    columnTrees: Object.entries(declaration.attributes).flatMap(([name, attribute]) =>
      attribute.store === 'columns' ? [[name, attribute] as const] : [],
    ),
  });
};

/** What tells a record apart from all others of its kind beside its name, where a kind has such a thing. */
export const naturalKeyOf = (kind: Kind, parent: string | undefined, values: JsonObject): string | undefined => {
  const value = kind.naturalKey ? values[kind.naturalKey.member] : undefined;
  if (value === undefined) return undefined;
  return kind.naturalKey?.alone ? String(value) : `${parent ?? ''} ${String(value)}`;
};

/** The fully qualified name that a text means for a kind: names of one part may come with or without their quotes. */
export const resolveFqnText = (kind: Kind, text: string): string => {
  const fqn = kind.normaliseLookup?.(text) ?? (kind.parents.length === 0 ? singlePartFqn(text) : normaliseFqn(text));
  return kind.lowerCaseName ? fqn.toLowerCase() : fqn;
};

/** What follows from a declaration alone is worked out once per kind, when it is first asked for. */
export const memoisePerKind = <T>(make: (kind: Kind) => T): ((kind: Kind) => T) => {
  const made = new WeakMap<Kind, { readonly value: T }>();
  return (kind) => {
    const known = made.get(kind);
    if (known) return known.value;
    const value = make(kind);
    made.set(kind, { value });
    return value;
  };
};

const derivedMembers = memoisePerKind((kind) =>
  Object.entries(kind.members).flatMap(([name, attribute]) =>
    'derive' in attribute && attribute.derive ? [[name, attribute.derive] as const] : [],
  ),
);

/** The values of a record together with those that follow from them. */
export const withDerivedValues = (kind: Kind, values: JsonObject): JsonObject => {
  const derived = derivedMembers(kind);
  if (derived.length === 0) return values;
  const all: Record<string, Json> = { ...values };
  for (const [name, derive] of derived) {
    const value = derive(values);
    if (value !== undefined) all[name] = value;
  }
  return all;
};
