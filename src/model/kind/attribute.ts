import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../json.ts';
import { foldCase, type NameFold } from './columns.ts';
import type { EdgeType } from './edges.ts';

/**
 * The words in which a member of a kind is declared: where its value is kept, who may set it, and what a change of it
 * means.
 */

/**
 * What the items of a list inside a record are known by, when two states of it are compared. To those known by their name
 * a PUT leaves the texts and labels that it does not mention.
 */
export type ListIdentity = 'name' | 'id' | 'value';

type AttributeBase = {
  /** Returned only when `fields` names it. */
  readonly gated: boolean;
  /** A change of it steps the version. */
  readonly versioned: boolean;
  /** Of a gated member: asking for everything is not asking for it. */
  readonly onlyNamed?: boolean;
};

/** A value kept on the record's own node: as a native property, as JSON text, or as JSON text with sealed secrets. */
export type StoredAttribute = AttributeBase & {
  readonly store: 'property' | 'json' | 'secret';
  readonly schema: GenericSchema;
  /** A member of the create body. */
  readonly request: boolean;
  readonly required: boolean;
  readonly fallback?: string | number | boolean | readonly [];
  /** What a PUT without this member does to the stored value. */
  readonly onAbsent: 'clear' | 'keep';
  /** Cannot be changed once set: another value is refused. */
  readonly immutable: boolean;
  /** Accepted and stored, never returned. */
  readonly hidden: boolean;
  /** Only an administrator may set another value than the fallback. */
  readonly adminOnly: boolean;
  /** The flag of a stored record that makes the member `adminOnly` on it. */
  readonly adminOnlyWhere?: string;
  /** Kept only as a one-way hash. */
  readonly hashed: boolean;
  /** Checked with the rest of the body, then forgotten. */
  readonly transient: boolean;
  readonly list?: ListIdentity;
  /** Set by an operation of its own; bodies and patches leave it alone. */
  readonly readOnly: boolean;
  /** Items that name a column are shown with that column instead of with the record. */
  readonly byColumn: boolean;
  /** The items of the list have fully qualified names, which follow from the record's and their own. */
  readonly namesItems: boolean;
  /** The member of the value that holds columns. They are no nodes, but are answered and carried over like those of a tree. */
  readonly columnsIn?: string;
  /** A value that is not given up once a record has it: a patch that changes it is refused, a PUT leaves it. */
  readonly protectedValue?: string;
  /** The value follows from the record's other values. */
  readonly derive?: (values: JsonObject) => Json | undefined;
  /** Nobody is shown its secrets, administrators included. */
  readonly confidential: boolean;
  /** Of a value with secrets: the operation that lets a caller see the whole value. */
  readonly disclosedBy: string;
  /** Of a value with secrets: what everybody else, history and events see of the rest. */
  readonly redact?: (value: Json) => Json;
  /** Of a value with secrets: what is kept of one that a request gives, seeing what is kept so far in the clear. */
  readonly normaliseGiven?: (given: Json, stored: Json | undefined) => Json;
  /**
   * The value names columns of the record: the value with the names they have now, and without those that have none. What
   * is stored names columns that are there, follows them when they are renamed, and is not shown of those that are gone.
   */
  readonly namesColumns?: (value: Json, nameOf: (name: string) => string | undefined) => Json;
  /** The value shows values of columns, not all of which are for everybody. */
  readonly columnRedaction?: ValueRedaction;
  /** Of a value with secrets: how it is answered. */
  readonly show?: (value: Json, record: ShownRecord) => Json;
};

/** How a value is shown to those who may not see the values of some columns, and what they send back of it. */
export type ValueRedaction = {
  readonly redact: (value: Json, isHidden: (column: string) => boolean) => Json;
  /** What is meant by a value that was changed as it was shown. */
  readonly restoreRedacted: (given: Json, stored: Json, isHidden: (column: string) => boolean) => Json;
};

/** What is known of a record whose value is shown; what was found beside it only when it is shown to a caller. */
export type ShownRecord = {
  readonly values: Readonly<Record<string, Json>>;
  readonly computed: Readonly<Record<string, Json>> | undefined;
};

/** A tree of columns or fields: nodes of their own below the record. */
export type ColumnsAttribute = AttributeBase & {
  readonly store: 'columns';
  readonly schema: GenericSchema;
  readonly request: true;
  readonly required: boolean;
  /** The value is an object: which of its members is the tree, and which others it has. Absent: the value is the tree. */
  readonly container?: { readonly member: string; readonly others: readonly string[] };
  /** What an item calls the items below it. */
  readonly childrenMember: string;
  /** What of a name tells siblings apart. */
  readonly nameKey: NameFold;
  /** Taking an item away, or declaring it anew, breaks its readers. */
  readonly breaking: boolean;
  /** Lineage is told of its items one by one. */
  readonly hasColumnLineage: boolean;
  /** Fills in what an item leaves out, and refuses what it must not leave out. */
  readonly complete?: (item: JsonObject) => JsonObject;
};

/** References kept as edges to other records. */
export type RelationAttribute = AttributeBase & {
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
  /**
   * What a PUT without this member does: a record's own list is replaced by none. What is as much the other end's to say,
   * has operations of its own, or gives people rights is not undone by silence.
   */
  readonly onAbsent: 'clear' | 'keep';
  /** The other end decides when it is made: a request may name it, and it must be there, but nothing moves. */
  readonly setByOtherEnd: boolean;
  /** A record can never be reached from itself along this edge. */
  readonly acyclic: boolean;
  /**
   * No other record of the kind may have the same record at the other end, or none of those that are picked; only for
   * outgoing edges.
   */
  readonly exclusive: boolean | ((target: { readonly teamType?: string | null }) => boolean);
  /** What must be true of the records a request points at. */
  readonly where?: Readonly<Record<string, boolean>>;
  /** The edge joins both ends alike, whichever way it was drawn. */
  readonly symmetric: boolean;
  /** Shown also while what is at the other end is hidden: readers cannot do without it. */
  readonly shownWhenHidden?: boolean;
  /** Shown only together with what this other relation of the record leads to. */
  readonly shownWith?: string;
  /** At most this many are shown. */
  readonly limit?: number;
  /** What is at the other end must belong to one of this record's domains. */
  readonly withinDomains?: boolean;
  /** Each reference is shown as this member of an object with these others. */
  readonly wrapped?: { readonly member: string; readonly others: JsonObject };
  /** The FQN of the record that stands in when the relation would be empty. */
  readonly fallback?: string;
};

/** A value that a request hands on to the record at the other end of a relation: it is kept there and shown there. */
export type ForwardedAttribute = AttributeBase & {
  readonly store: 'conferred';
  readonly schema: GenericSchema;
  readonly request: true;
  readonly required: boolean;
  readonly hidden: true;
  /** The relation, to one record, whose other end has a property of this member's name. */
  readonly to: string;
  /** Only an administrator may hand on another value than the one that is there. */
  readonly adminOnly: boolean;
};

/** A value computed from the graph by a statement of its own: references, one number, the text of a value, or rows. */
export type ComputedAttribute = AttributeBase & {
  readonly store: 'walked';
  readonly statement: string;
  /** Parts are values of the record itself and of columns of it, which are shown with those. */
  readonly answers: 'refs' | 'count' | 'value' | 'parts' | 'rows';
  /** Of rows: the value that they make together. */
  readonly make?: (rows: readonly JsonObject[]) => Json;
  /**
   * Of references: they are shown as the records that they are, as far as a reference tells of them, or the one that there
   * is at most stands by itself.
   */
  readonly as?: 'record' | 'single';
  /** Read for the sake of another member, never returned itself. */
  readonly hidden?: boolean;
  /** What a value looks like. */
  readonly schema?: GenericSchema;
  /** Of numbers of records, and of values made of such numbers: how they are read for callers who do not see every record. */
  readonly visible?: {
    /** Tells of each number what must be looked at before it counts. */
    readonly statement: string;
    /** How many records a value counts. */
    readonly size: (value: Json) => number;
  };
  /** Of parts of columns whose values are not for everybody: what is left for everybody. */
  readonly redactPart?: (part: JsonObject) => JsonObject;
};

/** A member of an ancestor, repeated here: a reference to it, or one of its attributes. */
export type AncestorAttribute = AttributeBase & {
  readonly store: 'ancestor';
  readonly kind: string;
  readonly member: 'ref' | string;
};

/** A member whose data belongs to a subject that is not there: always empty. */
export type EmptyAttribute = AttributeBase & {
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

/** A scalar or a list of strings, kept as a native property. */
export const property = storedAttribute('property');
/** A nested value, kept as JSON text. */
export const nested = storedAttribute('json');
/** A nested value that may hold secrets: sealed in the store, masked for readers. */
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

/** The dotted name of the tree of a columns attribute: `columns`, `messageSchema.schemaFields`. */
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

/** References reached by a statement that binds `$ids` and answers rows of `id` and `ref`. */
export const computedRefs = (statement: string): ComputedAttribute => ({
  gated: true,
  versioned: false,
  store: 'walked',
  statement,
  answers: 'refs',
});

/**
 * A number of records from a statement that binds `$ids` and answers rows of `id` and `count`, and the statement that
 * counts for callers who do not see every record.
 */
export const computedCount = (statement: string, visible: string): ComputedAttribute => ({
  ...computedRefs(statement),
  answers: 'count',
  visible: { statement: visible, size: Number },
});

/** A number that only documents for searching tell. */
export const searchOnlyCount = (statement: string, visible: string): ComputedAttribute => ({
  ...computedCount(statement, visible),
  hidden: true,
});

/** A value whose text a statement finds beside the record, from `$ids` to rows of `id` and `json`. */
export const computedValue = (
  statement: string,
  schema: GenericSchema,
  options: Pick<Partial<ComputedAttribute>, 'gated' | 'hidden'> = {},
): ComputedAttribute => ({ ...computedRefs(statement), answers: 'value', schema, ...options });

/** A value made of what a statement finds, from `$ids` to rows of `id` and `row`. */
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
 * The texts of values that a statement finds beside the record and its columns, from `$ids` to rows of `id`, `key` and
 * `json`; the key is that of a column, or null.
 */
export const computedByColumn = (
  statement: string,
  schema: GenericSchema,
  options: Pick<Partial<ComputedAttribute>, 'redactPart'> = {},
): ComputedAttribute => ({ ...computedRefs(statement), answers: 'parts', schema, ...options });

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

/** Whether requests may set a relation, by body or by patch. */
export const isWritableRelation = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.store === 'relation' &&
  !attribute.setByOtherEnd &&
  (attribute.request !== undefined || attribute.patchable);

/** Whether a member has a value of its own that something may set, rather than one that is worked out. */
export const isSettable = (attribute: Attribute): boolean =>
  attribute.store === 'relation'
    ? isWritableRelation(attribute)
    : attribute.store !== 'walked' && attribute.store !== 'ancestor' && attribute.store !== 'empty';
