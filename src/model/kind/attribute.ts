import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../json.ts';
import { foldCase, type NameFold } from './columns.ts';
import type { EdgeType } from './edges.ts';
import type { ValueRedaction } from './value-redaction.ts';

/**
 * The vocabulary for declaring a member of a kind: where its value is stored, who may set it, and what a change of it
 * means.
 */

/**
 * How the items of a list are identified when two states of a record are compared. In lists identified by name, a PUT
 * keeps the texts and labels of an item that it does not mention.
 */
export type ListIdentity = 'name' | 'id' | 'value';

type AttributeBase = {
  /** Returned only when `fields` names the member. */
  readonly gated: boolean;
  /** A change of the member increments the version. */
  readonly versioned: boolean;
  /** For a gated member: `fields=*` does not include it. */
  readonly onlyNamed?: boolean;
};

/**
 * A value stored on the record's own node: as a native property, as JSON text, or as JSON text with encrypted secrets.
 */
export type StoredAttribute = AttributeBase & {
  readonly store: 'property' | 'json' | 'secret';
  readonly schema: GenericSchema;
  /** Whether the create body may contain the member. */
  readonly request: boolean;
  readonly required: boolean;
  readonly fallback?: string | number | boolean | readonly [];
  /** What a PUT without this member does to the stored value. */
  readonly onAbsent: 'clear' | 'keep';
  /** The value cannot change once it is set: another value is refused. */
  readonly immutable: boolean;
  /** The value is accepted and stored, but never returned. */
  readonly hidden: boolean;
  /** Only an administrator may set a value other than the fallback. */
  readonly adminOnly: boolean;
  /** The flag of a stored record that makes the member `adminOnly` for that record. */
  readonly adminOnlyWhere?: string;
  /** The value is stored only as a one-way hash. */
  readonly hashed: boolean;
  /** The value is validated with the rest of the body and then discarded. */
  readonly transient: boolean;
  readonly list?: ListIdentity;
  /** Only a separate operation sets the value. Bodies and patches leave it unchanged. */
  readonly readOnly: boolean;
  /** Items that name a column are returned with that column instead of with the record. */
  readonly byColumn: boolean;
  /** The items of the list have fully qualified names, built from the record's name and their own. */
  readonly namesItems: boolean;
  /**
   * The member of the value that holds columns. They are not nodes, but are returned and carried over like those of a
   * column tree.
   */
  readonly columnsIn?: string;
  /** A value that a record keeps once it has it: a patch that changes it is refused, and a PUT leaves it. */
  readonly protectedValue?: string;
  /** Computes the value from the record's other values. */
  readonly derive?: (values: JsonObject) => Json | undefined;
  /** The secrets in the value are never returned, not even to administrators. */
  readonly confidential: boolean;
  /** For a value with secrets: the operation that entitles a caller to see the whole value. */
  readonly disclosedBy: string;
  /** For a value with secrets: what other callers, the version history and change events show of the rest. */
  readonly redact?: (value: Json) => Json;
  /**
   * For a value with secrets: converts the value of a request to the one to store. `stored` is the present value,
   * decrypted.
   */
  readonly normaliseGiven?: (given: Json, stored: Json | undefined) => Json;
  /**
   * For a value that names columns of the record: answers the value with the columns' present names. Stored values name
   * existing columns and follow renames; names of removed columns are left out.
   */
  readonly namesColumns?: (value: Json, nameOf: (name: string) => string | undefined) => Json;
  /** For a value that shows data of columns: how to redact it for callers who may not see every column's data. */
  readonly columnRedaction?: ValueRedaction;
  /** For a value with secrets: builds the value to return. */
  readonly show?: (value: Json, record: ShownRecord) => Json;
};

/**
 * The data of the record whose value is returned. The computed values are present only when the record is returned to a
 * caller.
 */
export type ShownRecord = {
  readonly values: Readonly<Record<string, Json>>;
  readonly computed: Readonly<Record<string, Json>> | undefined;
};

/** A tree of columns or fields, which are nodes of their own below the record. */
export type ColumnsAttribute = AttributeBase & {
  readonly store: 'columns';
  readonly schema: GenericSchema;
  readonly request: true;
  readonly required: boolean;
  /**
   * For an object value: which member holds the tree, and which other members there are. Without it, the value is the
   * tree.
   */
  readonly container?: { readonly member: string; readonly others: readonly string[] };
  /** The member of an item that holds its children. */
  readonly childrenMember: string;
  /** How names are folded to compare siblings. */
  readonly nameKey: NameFold;
  /** Removing or redeclaring an item breaks its readers. */
  readonly breaking: boolean;
  /** Lineage edges can join single items of the tree. */
  readonly hasColumnLineage: boolean;
  /** Fills in the members that an item omits, and refuses an item that omits a required one. */
  readonly complete?: (item: JsonObject) => JsonObject;
};

/** References stored as edges to other records. */
export type RelationAttribute = AttributeBase & {
  readonly store: 'relation';
  readonly edge: EdgeType;
  /** Whether the edge leaves this record (`out`) or leads to it (`in`). */
  readonly direction: 'out' | 'in';
  /** The kinds of record at the other end. */
  readonly kinds: readonly string[];
  readonly many: boolean;
  /** How a create body names the other end. Absent when clients cannot set the relation. */
  readonly request?: 'id' | 'name' | 'fqn' | 'ref';
  readonly required: boolean;
  /** A PATCH may set the member although the create body does not have it. */
  readonly patchable: boolean;
  /**
   * What a PUT without this member does. `clear` empties a list that belongs to the record alone; `keep` protects
   * relations that the other end also controls, that have operations of their own, or that grant rights.
   */
  readonly onAbsent: 'clear' | 'keep';
  /**
   * The other end sets this relation when it is created. A request may name an existing record here, but no edge
   * changes.
   */
  readonly setByOtherEnd: boolean;
  /** The edge may not form cycles. */
  readonly acyclic: boolean;
  /**
   * No two records of the kind may point at the same target, or at the same target among those that the function
   * selects. Only for outgoing edges.
   */
  readonly exclusive: boolean | ((target: { readonly teamType?: string | null }) => boolean);
  /** Required property values of the target records. */
  readonly where?: Readonly<Record<string, boolean>>;
  /** The edge has no direction: both ends show it. */
  readonly symmetric: boolean;
  /** The reference is shown even while the record at the other end is hidden, because readers need it. */
  readonly shownWhenHidden?: boolean;
  /** Shown only together with the reference of this other relation of the record. */
  readonly shownWith?: string;
  /** The maximum number of references shown. */
  readonly limit?: number;
  /** The target must belong to one of this record's domains. */
  readonly withinDomains?: boolean;
  /** Wraps each reference: it becomes this member of an object that also has these other members. */
  readonly wrapped?: { readonly member: string; readonly others: JsonObject };
  /** The FQN of the record to use when the relation would be empty. */
  readonly fallback?: string;
};

/** A value that a request passes on to the record at the other end of a relation, where it is stored and shown. */
export type ForwardedAttribute = AttributeBase & {
  readonly store: 'conferred';
  readonly schema: GenericSchema;
  readonly request: true;
  readonly required: boolean;
  readonly hidden: true;
  /** The relation, to a single record, whose target has a property of this member's name. */
  readonly to: string;
  /** Only an administrator may pass on a value that differs from the stored one. */
  readonly adminOnly: boolean;
};

/** A value that a statement computes from the graph: references, a number, the text of a value, or rows. */
export type ComputedAttribute = AttributeBase & {
  readonly store: 'walked';
  readonly statement: string;
  /** `parts` are values of the record itself and of its columns, each returned with its owner. */
  readonly answers: 'refs' | 'count' | 'value' | 'parts' | 'rows';
  /** For `rows`: builds the value from the rows. */
  readonly make?: (rows: readonly JsonObject[]) => Json;
  /**
   * For `refs`: `record` returns as much of each record as its reference holds; `single` returns the only reference by
   * itself instead of in a list.
   */
  readonly as?: 'record' | 'single';
  /** The value is read only for another member and never returned itself. */
  readonly hidden?: boolean;
  /** The schema of the value. */
  readonly schema?: GenericSchema;
  /**
   * For counts of records and values built from counts: how to compute them for callers who do not see every record.
   */
  readonly visible?: {
    /** A statement that answers, for each number, the records whose visibility must be checked before they count. */
    readonly statement: string;
    /** Answers how many records a value counts. */
    readonly size: (value: Json) => number;
  };
  /** For parts of columns whose data is restricted: the part without that data. */
  readonly redactPart?: (part: JsonObject) => JsonObject;
};

/** A member of an ancestor, repeated on this record: a reference to the ancestor or one of its attributes. */
export type AncestorAttribute = AttributeBase & {
  readonly store: 'ancestor';
  /** The kinds of which the ancestor may be; a record has one of them at most. */
  readonly kinds: readonly string[];
  readonly member: 'ref' | string;
};

/** A member of the contract that this program has no data for: always empty. */
export type EmptyAttribute = AttributeBase & {
  readonly store: 'empty';
  readonly schema: GenericSchema;
  readonly value: [] | undefined;
  /** Create bodies may contain the member as long as it is empty. */
  readonly request: boolean;
};

export type Attribute =
  | StoredAttribute
  | ColumnsAttribute
  | RelationAttribute
  | ForwardedAttribute
  | ComputedAttribute
  | AncestorAttribute
  | EmptyAttribute;

const DEFAULTS = { gated: false, versioned: true } as const;

type StoredOptions = Partial<Omit<StoredAttribute, 'store' | 'schema'>>;

const storedAttribute =
  (store: StoredAttribute['store']) =>
  (schema: GenericSchema, options: StoredOptions = {}): StoredAttribute => ({
    ...DEFAULTS,
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
    namesItems: false,
    confidential: false,
    disclosedBy: 'ViewSecrets',
    ...options,
    store,
    schema,
  });

/** Declares a scalar or a list of strings, stored as a native property. */
export const property = storedAttribute('property');
/** Declares a nested value, stored as JSON text. */
export const nested = storedAttribute('json');
/** Declares a nested value that may hold secrets: encrypted in the store and masked for readers. */
export const secret = storedAttribute('secret');

export const columns = (
  schema: GenericSchema,
  options: Partial<Omit<ColumnsAttribute, 'store' | 'schema' | 'request'>> = {},
): ColumnsAttribute => ({
  ...DEFAULTS,
  required: false,
  childrenMember: 'children',
  nameKey: foldCase,
  breaking: true,
  hasColumnLineage: true,
  ...options,
  request: true,
  store: 'columns',
  schema,
});

/** Answers the dotted name of the tree of a columns attribute: `columns`, `messageSchema.schemaFields`. */
export const columnTreePath = (name: string, { container }: ColumnsAttribute): string =>
  container ? `${name}.${container.member}` : name;

type RelationOptions = Pick<RelationAttribute, 'edge' | 'direction' | 'kinds'> &
  Partial<Omit<RelationAttribute, 'store'>>;

export const relation = (options: RelationOptions): RelationAttribute => ({
  ...DEFAULTS,
  gated: true,
  many: true,
  required: false,
  acyclic: false,
  exclusive: false,
  symmetric: false,
  onAbsent: 'clear',
  setByOtherEnd: false,
  patchable: options.request !== undefined,
  ...options,
  store: 'relation',
});

export const forwarded = (
  schema: GenericSchema,
  options: Pick<ForwardedAttribute, 'to'> & Partial<Pick<ForwardedAttribute, 'adminOnly'>>,
): ForwardedAttribute => ({
  gated: false,
  versioned: false,
  required: false,
  adminOnly: false,
  ...options,
  request: true,
  hidden: true,
  store: 'conferred',
  schema,
});

/** Declares references computed by a statement that binds `$ids` and returns rows of `id` and `ref`. */
export const computedRefs = (statement: string): ComputedAttribute => ({
  gated: true,
  versioned: false,
  store: 'walked',
  statement,
  answers: 'refs',
});

/**
 * Declares a count of records, computed by a statement that binds `$ids` and returns rows of `id` and `count`.
 * `visible` is the statement for callers who do not see every record.
 */
export const computedCount = (statement: string, visible: string): ComputedAttribute => ({
  ...computedRefs(statement),
  answers: 'count',
  visible: { statement: visible, size: Number },
});

/** Declares a count that only search documents contain. */
export const searchOnlyCount = (statement: string, visible: string): ComputedAttribute => ({
  ...computedCount(statement, visible),
  hidden: true,
});

/** Declares a value whose JSON text a statement reads, from `$ids` to rows of `id` and `json`. */
export const computedValue = (
  statement: string,
  schema: GenericSchema,
  options: Pick<Partial<ComputedAttribute>, 'gated' | 'hidden'> = {},
): ComputedAttribute => ({ ...computedRefs(statement), answers: 'value', schema, ...options });

/** Declares a value built from the rows of a statement, from `$ids` to rows of `id` and `row`. */
export const computedRows = <T>(
  statement: string,
  schema: GenericSchema,
  make: (rows: readonly T[]) => Json,
  options: Pick<Partial<ComputedAttribute>, 'visible'> = {},
): ComputedAttribute => ({
  ...computedRefs(statement),
  answers: 'rows',
  schema,
  make: make as unknown as NonNullable<ComputedAttribute['make']>,
  ...options,
});

/**
 * Declares values of the record and of its columns, read by a statement from `$ids` to rows of `id`, `key` and `json`.
 * `key` is the column's key, or null for the record.
 */
export const computedByColumn = (
  statement: string,
  schema: GenericSchema,
  options: Pick<Partial<ComputedAttribute>, 'redactPart'> = {},
): ComputedAttribute => ({ ...computedRefs(statement), answers: 'parts', schema, ...options });

export const ancestor = (kind: string | readonly string[], member: 'ref' | string = 'ref'): AncestorAttribute => ({
  gated: false,
  versioned: false,
  store: 'ancestor',
  kinds: typeof kind === 'string' ? [kind] : kind,
  member,
});

export const empty = (
  schema: GenericSchema,
  value: [] | undefined,
  options: { request?: boolean; gated?: boolean } = {},
): EmptyAttribute => ({ gated: true, versioned: false, request: false, ...options, store: 'empty', schema, value });
