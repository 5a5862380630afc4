import type { GenericSchema } from 'valibot';
import type { JsonObject } from '../json.ts';
import { normaliseFqn, singlePartFqn } from '../name.ts';
import type { PlatformView } from '../schemas/lineage/lineage.ts';
import type { ConnectionSteps } from '../schemas/services/connection-steps.ts';
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
import type { RelatedRecord } from './record-rules.ts';
import { registerRecordType } from './record-type.ts';
import type { SearchDeclaration } from './search-declaration.ts';
import type { SpecialDeclaration } from './special-declaration.ts';
import type { SubResource } from './sub-resource.ts';

/**
 * The vocabulary for declaring a kind of record. A declaration holds all differences between kinds; the engine, the
 * routes, the schema and the documentation read it and never name a kind.
 * Read this file first, then `attribute.ts` (members), `parent.ts` (the parent record), `list-filter.ts`,
 * `search-declaration.ts` and `special-declaration.ts` (what one kind alone needs). `columns.ts`, `links.ts` and
 * `named-items.ts` process values by their declaration, and `required-operations.ts` derives the access rights.
 */

/** Members that several kinds share (entities.md, common blocks). A declaration lists those that its kind has. */
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

/** Answers a common block without some of its members, as the contract's tables define it. */
export const withoutMembers = <T extends string>(
  block: readonly T[],
  ...dropped: readonly NoInfer<T>[]
): readonly T[] => block.filter((member) => !dropped.includes(member));

export type KindDeclaration = {
  readonly entityType: string;
  /** The label of its nodes in the graph. */
  readonly label: string;
  /** The path of its collection below `/v1/`. */
  readonly path: string;
  /** The plural name in the documentation. */
  readonly title: string;
  readonly parents: readonly ParentDeclaration[];
  readonly create: readonly CreateMember[];
  readonly base: readonly BaseMember[];
  readonly gated: readonly GatedMember[];
  /** Required members of the create body, in addition to `name` and those that the attributes require. */
  readonly required?: readonly CreateMember[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Members of the create body that are accepted and ignored. */
  readonly ignored?: Readonly<Record<string, GenericSchema>>;
  readonly filters: Readonly<Record<string, ListFilter>>;
  /** Rewrites the query of the list operation where several parameters together define one filter. */
  readonly normaliseFilters?: (query: URLSearchParams) => URLSearchParams;
  readonly search: SearchDeclaration;
  /** Initial values of a new record that no request can set. `by` is the creator. */
  readonly initialValues?: (
    related: Readonly<Record<string, readonly RelatedRecord[]>>,
    by: string,
    at: number,
  ) => JsonObject;
  /** Normalises the FQN in a look-up, where the default normal form is not enough. */
  readonly normaliseLookup?: (text: string) => string;
  /**
   * A member that identifies a record in addition to its name: a PUT looks for the record by it first. The statement
   * returns ids by `naturalKeyOf`. With `alone`, the value is unique everywhere, so the name does not matter.
   */
  readonly naturalKey?: { readonly member: string; readonly statement: string; readonly alone?: boolean };
  /** Extra rules for a whole create body or patched record. Each throws a CatalogError. */
  readonly rules?: readonly ((candidate: JsonObject) => void)[];
  /** Extra rules for a create body alone, before any look-up. */
  readonly bodyRules?: readonly ((body: JsonObject) => void)[];
  /** Properties that are unique within the kind, in addition to the FQN. */
  readonly unique?: readonly string[];
  /** A patch may rename its records. */
  readonly isRenamable?: boolean;
  /** Names of built-in records that no provider marks as such. */
  readonly undeletableNames?: readonly string[];
  /** The members by which a record gives rights, to whoever has it or to itself, with the operation that changes them. */
  readonly givesRights?: Readonly<Record<string, 'EditRole' | 'EditPolicy'>>;
  /** Its records affect access decisions, so every process is notified when one changes. */
  readonly governsAccess?: boolean;
  /**
   * Its records are assets: data, or something built from data. A rule for all resources that applies to owners covers
   * assets only; for any other kind the rule must name the kind.
   */
  readonly isAsset?: boolean;
  /**
   * Data contracts can be about its records. With `columns`, a contract can promise columns, which are compared with the
   * record's by name, or by name and data type.
   */
  readonly contract?: { readonly columns?: 'named' | 'typed' };
  /**
   * The types of the records that its records are about, where a record is visible only to whom one of these records is
   * visible.
   */
  readonly isAbout?: readonly string[];
  /** Members with addresses of their own. */
  readonly subResources?: readonly SubResource[];
  /** The edge, seen from this kind, between a record and the assets that belong to it, when they can be listed. */
  readonly assets?: {
    readonly edge: EdgeType;
    readonly direction: 'out' | 'in';
    readonly member?: 'domains' | 'dataProducts';
  };
  /** The platform view of lineage in which a record of this kind represents the assets that belong to it. */
  readonly platformView?: PlatformView;
  /** What connectors try when they test the connection of a service, by the type of the service. */
  readonly connectionSteps?: ConnectionSteps;
  /**
   * An OpenLineage dataset may stand for a record of the kind. When records of several kinds have its name, the lowest
   * rank wins.
   */
  readonly datasetRank?: number;
  /** The default page size of the list operation. */
  readonly defaultLimit?: number;
  /** Redacts a stored version or a change description, so that every caller who sees the record may see it. */
  readonly redactState?: (state: JsonObject) => JsonObject;
  /** The words that no other kind needs. */
  readonly special?: SpecialDeclaration;
};

/** A validated and completed declaration. */
export type Kind = KindDeclaration &
  SpecialDeclaration & {
    /** All members except the common relations, by name: the kind's own and those of the common blocks. */
    readonly members: Readonly<Record<string, Attribute>>;
    /** The names that `fields` may contain. */
    readonly fieldNames: ReadonlySet<string>;
    /** The names in `fields` that change the response, and that `*` stands for. */
    readonly gatedNames: ReadonlySet<string>;
    /** The number of scope properties: one per ancestor in the name, so that lists below an ancestor use an index. */
    readonly scopeDepth: number;
    /** Some of its values are stored as one-way hashes. */
    readonly hasHashedMembers: boolean;
    readonly softDeletable: boolean;
    readonly followable: boolean;
    readonly votable: boolean;
    /** One of its filters selects records without a parent of the same kind. */
    readonly listsRoots: boolean;
    /** Its column trees, by member. */
    readonly columnTrees: readonly (readonly [name: string, attribute: ColumnsAttribute])[];
  };

/** Declares a `CONTAINS` parent that the create body names. */
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
    if (!['relation', 'walked', 'json'].includes(kind.attributes[name]?.store ?? ''))
      failDeclaration(kind, `search tells of ${name}`);
  }
};

/** Declares the common members that are plain values like members of the kind itself. */
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
      property(SourceHash, { request: request('sourceHash'), gated: true, versioned: false }),
    ],
  ];
  return Object.fromEntries(all.filter(([, present]) => present).map(([name, , attribute]) => [name, attribute]));
};

const allMembers = (kind: KindDeclaration) => ({ ...commonMembers(kind), ...kind.attributes });

const visibleAttributes = (kind: KindDeclaration): readonly (readonly [string, Attribute])[] =>
  Object.entries(kind.attributes).filter(([, attribute]) => !('hidden' in attribute && attribute.hidden));

/** Adds the data contract to kinds that contracts can be about. */
const withContractMember = <T extends KindDeclaration>(kind: T): T =>
  kind.gated.includes('dataContract')
    ? {
        ...kind,
        attributes: { ...kind.attributes, dataContract: { ...computedRefs('contracts/walk_contract'), as: 'single' } },
      }
    : kind;

/**
 * Validates a declaration, registers its type, and completes it with derived facts. Throws at start-up when the
 * declaration is inconsistent.
 */
export const defineKind = (given: KindDeclaration & { readonly scopeDepth?: number }): Kind => {
  checkDeclaredNames(given);
  checkDeclaredAttributes(given);
  const declaration = withContractMember(given);
  registerRecordType(declaration.entityType);
  return Object.freeze({
    ...declaration,
    ...declaration.special,
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

/** Answers the natural key of a record, which identifies it in addition to its name, if its kind has one. */
export const naturalKeyOf = (kind: Kind, parent: string | undefined, values: JsonObject): string | undefined => {
  const value = kind.naturalKey ? values[kind.naturalKey.member] : undefined;
  if (value === undefined) return undefined;
  return kind.naturalKey?.alone ? String(value) : `${parent ?? ''} ${String(value)}`;
};

/** Answers the fully qualified name that a text means for a kind. Names of one part may be quoted or not. */
export const resolveFqnText = (kind: Kind, text: string): string => {
  const fqn = kind.normaliseLookup?.(text) ?? (kind.parents.length === 0 ? singlePartFqn(text) : normaliseFqn(text));
  return kind.lowerCaseName ? fqn.toLowerCase() : fqn;
};
