import * as v from 'valibot';
import { badRequest, type CatalogError, notFound } from '../../errors.ts';
import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { Attribute, ColumnsAttribute, RelationAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { isSettable } from '../../model/kind/settable.ts';
import { normaliseFqn, normaliseName } from '../../model/name.ts';
import { dropNulls, type Fault, faultsError, listFaults, unknownMember, validate } from '../../model/validate.ts';
import { Fqn, listOf, must, NameInput, PlainName, Ref, shape, TagLabel, Text, Uuid } from '../../model/values.ts';
import { parseParentPointers, parseRecordPointer, parseRecordPointers, type RecordPointer } from './record-pointers.ts';

/** A label as a request gives it, before its tag is looked up. */
export type LabelRequest = {
  readonly tagFQN: string;
  readonly source?: string;
  readonly labelType?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly appliedAt?: string;
  readonly appliedBy?: string;
  readonly metadata?: JsonObject;
};

/**
 * The record that a request describes, checked for shape but not yet against the graph. A member that is absent from
 * the request is absent here; the operation (POST, PUT, PATCH) decides what that means.
 */
export type Candidate = {
  readonly name: string;
  /** The id of a new record, if the request brings one. */
  readonly id?: string;
  /** Stored values, by member name. */
  readonly values: Readonly<Record<string, Json>>;
  /** Column trees with their label requests inside, by member name. */
  readonly columns: Readonly<Record<string, readonly JsonObject[]>>;
  readonly owners?: readonly RecordPointer[];
  readonly domains?: readonly RecordPointer[];
  readonly dataProducts?: readonly RecordPointer[];
  readonly tags?: readonly LabelRequest[];
  readonly relations: Readonly<Record<string, readonly RecordPointer[]>>;
  /** Values to forward to records at the other end of a relation, by member name. */
  readonly forwarded: Readonly<Record<string, Json>>;
  /** Parents, by the member that names them. */
  readonly parents: Readonly<Record<string, RecordPointer>>;
  /** Data that the hooks of the kind need again when the record is created. */
  readonly hookData?: JsonObject;
  /** An error about the candidate as a whole, even when each member is well-formed; reported after all other errors. */
  readonly objection?: (isNew: boolean) => CatalogError | undefined;
};

/** The schema of one item of a member that is a list. */
export const itemSchema = (attribute: Attribute): v.GenericSchema =>
  attribute.store === 'relation' ? { id: Uuid, name: PlainName, fqn: Fqn, ref: Ref }[attribute.request ?? 'ref'] : Text;

const relationSchema = (attribute: RelationAttribute): v.GenericSchema => {
  const item = itemSchema(attribute);
  if (!attribute.many) return item;
  return attribute.required ? v.pipe(listOf(item), v.minLength(1, 'must have at least one item')) : listOf(item);
};

const requestSchema = (attribute: Attribute): v.GenericSchema | undefined => {
  if (attribute.store === 'relation') return attribute.request ? relationSchema(attribute) : undefined;
  if (attribute.store === 'walked' || attribute.store === 'ancestor') return undefined;
  return attribute.request ? attribute.schema : undefined;
};

const COMMON_SCHEMAS: Readonly<Record<string, v.GenericSchema>> = {
  owners: listOf(Ref),
  tags: listOf(TagLabel),
  domains: listOf(Fqn),
  dataProducts: listOf(Fqn),
};

const isRequired = (attribute: Attribute): boolean => 'required' in attribute && attribute.required;

const createMembers = (kind: Kind): Record<string, v.GenericSchema> => {
  const members: Record<string, v.GenericSchema> = {
    name: kind.defaultName ? NameInput : must(NameInput),
    ...kind.ignored,
  };
  for (const name of kind.create) {
    const schema = COMMON_SCHEMAS[name];
    if (schema) members[name] = kind.required?.includes(name) ? must(schema) : schema;
  }
  if (kind.create.includes('domains')) members['domain'] = Fqn;
  for (const parent of kind.parents) {
    if (parent.setByOperation) continue;
    const schema = parent.namedBy === 'ref' ? Ref : Fqn;
    members[parent.field] = parent.required ? must(schema) : schema;
  }
  for (const [name, attribute] of Object.entries(kind.members)) {
    const schema = requestSchema(attribute);
    if (schema) members[name] = isRequired(attribute) ? must(schema) : schema;
  }
  return members;
};

/** The schema of a kind's create body, which validates POST, PUT and every bulk row. */
export const createSchema = memoisePerKind(
  (kind): v.GenericSchema => shape(`Create${kind.label}`, createMembers(kind)),
);

export const parseRelationPointers = (attribute: RelationAttribute, value: Json): RecordPointer[] => {
  const type = attribute.kinds[0];
  if (attribute.request === 'id') return parseRecordPointers(value);
  return parseRecordPointers(value, type);
};

const parseLabel = (label: JsonObject): LabelRequest => {
  const wish: Record<string, Json> = { tagFQN: normaliseFqn(label['tagFQN'] as string) };
  for (const name of ['source', 'labelType', 'state', 'reason', 'appliedAt', 'appliedBy', 'metadata']) {
    const value = label[name];
    if (value !== undefined) wish[name] = value;
  }
  return wish as unknown as LabelRequest;
};

export const parseLabels = (labels: Json | undefined): LabelRequest[] =>
  ((labels ?? []) as readonly JsonObject[]).map(parseLabel);

type CandidateDraft = {
  values: Record<string, Json>;
  columns: Record<string, readonly JsonObject[]>;
  relations: Record<string, readonly RecordPointer[]>;
  forwarded: Record<string, Json>;
};

const newDraft = (): CandidateDraft => ({ values: {}, columns: {}, relations: {}, forwarded: {} });

/** Drops the fully qualified name of an item: it follows from the item's place and is not stored. */
const dropFqn = (item: JsonObject): JsonObject => {
  const { fullyQualifiedName: _, ...own } = item;
  return own;
};

const toStoredValue = (attribute: Attribute, value: Json): Json =>
  'namesItems' in attribute && attribute.namesItems ? (value as readonly JsonObject[]).map(dropFqn) : value;
/** Renames the member that holds nested items to the internal `children`. */
const toInternalItems = (items: readonly JsonObject[], attribute: ColumnsAttribute): readonly JsonObject[] => {
  const { childrenMember, complete = (item: JsonObject) => item } = attribute;
  if (childrenMember === 'children') return items.map(complete);
  return items.map(({ [childrenMember]: below, ...item }) =>
    complete(below === undefined ? (item as JsonObject) : { ...item, children: below }),
  );
};

const readTree = (draft: CandidateDraft, name: string, attribute: ColumnsAttribute, value: Json) => {
  if (!attribute.container) {
    draft.columns[name] = toInternalItems(value as readonly JsonObject[], attribute);
    return;
  }
  const { [attribute.container.member]: tree, ...shell } = value as JsonObject;
  draft.columns[name] = toInternalItems((tree ?? []) as readonly JsonObject[], attribute);
  draft.values[name] = shell as JsonObject;
};

const readMember = (draft: CandidateDraft, name: string, attribute: Attribute, value: Json) => {
  if (attribute.store === 'columns') readTree(draft, name, attribute, value);
  else if (attribute.store === 'relation') draft.relations[name] = parseRelationPointers(attribute, value);
  else if (attribute.store === 'conferred') draft.forwarded[name] = value;
  else if (attribute.store === 'empty') refuseNonEmpty(name, value);
  else if (attribute.store !== 'walked' && attribute.store !== 'ancestor' && !attribute.transient)
    draft.values[name] = toStoredValue(attribute, value);
};

/** Refuses references to a kind that this server does not offer; only an absent value is valid. */
const refuseNonEmpty = (name: string, value: Json) => {
  if (Array.isArray(value) ? value.length > 0 : value !== null) {
    throw notFound(`[${name} must be empty: this catalog has no assets of that type]`);
  }
};

const draftFrom = (kind: Kind, body: JsonObject): CandidateDraft => {
  const draft = newDraft();
  for (const [name, attribute] of Object.entries(kind.members)) {
    const value = body[name];
    if (value !== undefined && requestSchema(attribute)) readMember(draft, name, attribute, value);
  }
  return draft;
};

const commonRelations = (
  body: JsonObject,
): Partial<Pick<Candidate, 'owners' | 'domains' | 'dataProducts' | 'tags'>> => {
  const { owners, domains, domain, dataProducts, tags } = body;
  const domainNames = domains ?? (domain === undefined ? undefined : [domain]);
  return {
    ...(owners === undefined ? {} : { owners: parseRecordPointers(owners) }),
    ...(domainNames === undefined ? {} : { domains: parseRecordPointers(domainNames, 'domain') }),
    ...(dataProducts === undefined ? {} : { dataProducts: parseRecordPointers(dataProducts, 'dataProduct') }),
    ...(tags === undefined ? {} : { tags: parseLabels(tags) }),
  };
};

const readName = (kind: Kind, body: JsonObject): string => {
  const name = normaliseName((body['name'] ?? kind.defaultName?.(body)) as string);
  return kind.lowerCaseName ? name.toLowerCase() : name;
};

/** Replaces the singular `domain` by the list, also where domains are required. */
const withDomainList = (kind: Kind, body: JsonObject): JsonObject => {
  const { domain, ...others } = body;
  const isWhole = typeof domain === 'string' && body['domains'] === undefined && kind.create.includes('domains');
  return isWhole ? { ...others, domains: [domain] } : body;
};

/** Reads a create body. Throws bad_request naming the wrong member. */
export const candidateFromBody = (kind: Kind, input: unknown): Candidate => {
  if (!isObject(input)) throw badRequest('[body must be an object]');
  const said = withDomainList(kind, dropNulls(input) as JsonObject);
  const body = validate(createSchema(kind), kind.normaliseBody?.(said) ?? said) as JsonObject;
  for (const rule of kind.bodyRules ?? []) rule(body);
  const draft = draftFrom(kind, body);
  return { name: readName(kind, body), ...draft, ...commonRelations(body), parents: parseParentPointers(kind, body) };
};

/** Members of a record's document that only the server sets: a patch of them has no effect. */
const SERVER_MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'name',
  'fullyQualifiedName',
  'href',
  'version',
  'updatedAt',
  'updatedBy',
  'impersonatedBy',
  'changeDescription',
  'incrementalChangeDescription',
  'deleted',
  'followers',
  'votes',
  'usageSummary',
  'dataContract',
  'domain',
]);

const COMMON_DOCUMENT_SCHEMAS: Readonly<Record<string, v.GenericSchema>> = {
  owners: listOf(Ref),
  tags: listOf(TagLabel),
  domains: listOf(v.union([Ref, Fqn])),
  dataProducts: listOf(v.union([Ref, Fqn])),
};

const isPatchable = (attribute: Attribute): boolean =>
  isSettable(attribute) && !('readOnly' in attribute && attribute.readOnly);

type Wrapper = NonNullable<RelationAttribute['wrapped']>;

/** The schema of a wrapped reference: the wrapper that a client read, the bare reference, or its name. */
const wrapperSchema = ({ member: name, others }: Wrapper): v.GenericSchema =>
  v.union([
    shape('Wrapped reference', {
      [name]: must(Ref),
      ...Object.fromEntries(Object.keys(others).map((key) => [key, Text])),
    }),
    Ref,
    Text,
  ]);

const documentSchema = (attribute: Attribute): v.GenericSchema => {
  if (attribute.store === 'relation') {
    if (attribute.wrapped) return listOf(wrapperSchema(attribute.wrapped));
    return attribute.many ? listOf(v.union([Ref, Text])) : Ref;
  }
  return 'schema' in attribute ? attribute.schema : Text;
};

const unknownMembersOf = (kind: Kind, document: JsonObject): readonly Fault[] => {
  const isKnown = (name: string) =>
    kind.fieldNames.has(name) || SERVER_MEMBERS.has(name) || Object.hasOwn(kind.members, name);
  const unknown = Object.keys(document).filter((name) => !isKnown(name));
  return unknown.map((name) => unknownMember(name, [...kind.fieldNames, ...Object.keys(kind.members)]));
};

const parsePatchPointers = (attribute: RelationAttribute, value: Json): RecordPointer[] => {
  const type = attribute.kinds[0];
  const items = (Array.isArray(value) ? value : [value]) as readonly Json[];
  return items.map((item) => {
    const inner = isObject(item) && attribute.wrapped ? member(item, attribute.wrapped.member) : undefined;
    if (isObject(item)) return parseRecordPointer(isObject(inner) ? inner : item);
    return attribute.request === 'id' || !type ? { id: validate(Uuid, item) as string } : { type, fqn: item as string };
  });
};

const readPatchedMember = (draft: CandidateDraft, name: string, attribute: Attribute, value: Json): void => {
  if (attribute.store === 'relation') draft.relations[name] = parsePatchPointers(attribute, value);
  else readMember(draft, name, attribute, value);
};

const documentMembers = (kind: Kind): Record<string, v.GenericSchema> => {
  const members: Record<string, v.GenericSchema> = {};
  for (const [name, attribute] of Object.entries(kind.members)) {
    if (!isPatchable(attribute)) continue;
    const schema = documentSchema(attribute);
    // A relation may look empty because its target is deleted, so emptiness is checked where that is known.
    members[name] = isRequired(attribute) && attribute.store !== 'relation' ? must(schema) : schema;
  }
  for (const [name, schema] of Object.entries(COMMON_DOCUMENT_SCHEMAS)) {
    if ((kind.gated as readonly string[]).includes(name)) members[name] = schema;
  }
  if (kind.gated.includes('domains')) members['domain'] = Fqn;
  return members;
};

type DocumentSchema = {
  readonly members: Readonly<Record<string, v.GenericSchema>>;
  readonly schema: v.GenericSchema;
  readonly names: readonly string[];
};

const documentSchemaOf = memoisePerKind((kind): DocumentSchema => {
  const members = documentMembers(kind);
  return { members, schema: shape(`${kind.label}Document`, members), names: Object.keys(members) };
});

/** Validates the part of a document that a patch may change, and that it has no unknown members. */
const checkDocument = (kind: Kind, document: JsonObject): JsonObject => {
  const { schema, names } = documentSchemaOf(kind);
  const part = names.flatMap((name) => (document[name] === undefined ? [] : [[name, document[name]] as const]));
  const checked = Object.fromEntries(part);
  const unknown = unknownMembersOf(kind, document);
  if (unknown.length > 0) throw faultsError([...unknown, ...listFaults(schema, checked)]);
  return validate(schema, checked) as JsonObject;
};

/**
 * Reads one patched member alone and collects the references that can be read. A member that cannot be read is refused
 * later with the whole document, and only to callers who may patch it.
 */
export const candidateFromMember = (kind: Kind, name: string, value: Json): Candidate => {
  const { members } = documentSchemaOf(kind);
  const schema = Object.hasOwn(members, name) ? members[name] : undefined;
  const given: JsonObject = schema ? { [name]: validate(schema, dropNulls(value), name) } : {};
  const attribute = schema && kind.members[name];
  const draft = newDraft();
  if (attribute) readPatchedMember(draft, name, attribute, given[name] ?? null);
  return { name: '', ...draft, ...commonRelations(given), parents: {} };
};

/** Reads a patched document as the complete candidate for a record. */
export const candidateFromDocument = (kind: Kind, patched: JsonObject): Candidate => {
  const document = dropNulls(patched) as JsonObject;
  if (document['deleted'] === true) throw badRequest('[deleted must not be set by a patch]');
  const checked = checkDocument(kind, document);
  const draft = newDraft();
  for (const [name, attribute] of Object.entries(kind.members)) {
    const value = checked[name];
    if (value === undefined || !isPatchable(attribute)) continue;
    readPatchedMember(draft, name, attribute, value);
  }
  return { name: document['name'] as string, ...draft, ...commonRelations(checked), parents: {} };
};
