import * as v from 'valibot';
import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, setMember } from '../json.ts';
import { CustomValues, looksLikeReference, Ref, TagLabel } from '../values.ts';

/**
 * Finds references and tag labels inside nested values. The schema of the value tells where they are, so a member whose
 * schema contains a `Ref` needs no declaration of its own.
 */

/** Transforms the links of a value. When `reference` answers undefined, the reference is removed from the value. */
export type LinkVisitor = {
  readonly reference: (ref: JsonObject) => JsonObject | undefined;
  /** Receives all labels of one list, because they are validated together. */
  readonly labels: (labels: readonly JsonObject[]) => readonly JsonObject[];
};

/** The properties of a schema that are read here, whatever its type. */
export type ValueSchema = v.GenericSchema & {
  readonly pipe?: unknown;
  readonly wrapped?: ValueSchema;
  readonly item?: ValueSchema;
  readonly entries?: Readonly<Record<string, ValueSchema>>;
  readonly options?: readonly ValueSchema[];
  readonly getter?: (input: unknown) => ValueSchema;
};

/** Unwraps optional and lazy schemas. */
export const unwrapSchema = (schema: ValueSchema): ValueSchema => {
  if (schema.type === 'optional' && schema.wrapped) return unwrapSchema(schema.wrapped);
  if (schema.type === 'lazy' && schema.getter) return unwrapSchema(schema.getter(undefined));
  return schema;
};

/** Whether a schema is a known one. Marking it as required copies it, but keeps the same pipe. */
export const isSchema = (schema: ValueSchema, known: v.GenericSchema): boolean =>
  schema.pipe === (known as ValueSchema).pipe;

/** Whether values of this schema stand for other records. */
export const isLinkSchema = (schema: ValueSchema): boolean =>
  [Ref, TagLabel, CustomValues].some((known) => isSchema(schema, known));

const schemaParts = (schema: ValueSchema): readonly ValueSchema[] => {
  if (schema.item) return [schema.item];
  if (schema.entries) return Object.values(schema.entries);
  return schema.type === 'union' ? (schema.options ?? []) : [];
};

const searchLinks = (schema: ValueSchema, seen: Set<ValueSchema>): boolean => {
  const inner = unwrapSchema(schema);
  if (isLinkSchema(inner)) return true;
  if (seen.has(inner)) return false;
  seen.add(inner);
  return schemaParts(inner).some((part) => searchLinks(part, seen));
};

const knownSchemas = new WeakMap<v.GenericSchema, boolean>();

/** Whether values of this schema can hold references or labels. */
export const holdsLinks = (schema: v.GenericSchema): boolean => {
  const found = knownSchemas.get(schema) ?? searchLinks(schema as ValueSchema, new Set());
  knownSchemas.set(schema, found);
  return found;
};

const mapList = (items: readonly Json[], change: (item: Json, index: number) => Json | undefined): readonly Json[] =>
  items.flatMap((item, index) => {
    const changed = change(item, index);
    return changed === undefined ? [] : [changed];
  });

const mapCustomValue = (value: Json, visitor: LinkVisitor): Json | undefined => {
  if (looksLikeReference(value)) return visitor.reference(value);
  if (!isArray(value)) return value;
  return mapList(value, (item) => (looksLikeReference(item) ? visitor.reference(item) : item));
};

/** Maps custom values. An empty result counts as none. */
const mapCustomValues = (values: JsonObject, visitor: LinkVisitor): JsonObject | undefined => {
  const out: MutableJsonObject = {};
  for (const [name, value] of Object.entries(values)) {
    const mapped = mapCustomValue(value, visitor);
    if (mapped !== undefined) setMember(out, name, mapped);
  }
  return Object.keys(out).length === 0 ? undefined : out;
};

/** Maps the members of an object. An object that loses a required member is removed as a whole. */
const mapMembers = (
  entries: Readonly<Record<string, ValueSchema>>,
  value: JsonObject,
  visitor: LinkVisitor,
): JsonObject | undefined => {
  const out: MutableJsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    const schema = Object.hasOwn(entries, name) ? entries[name] : undefined;
    const mapped = schema ? mapLinks(schema, inner, visitor) : inner;
    if (mapped !== undefined) setMember(out, name, mapped);
    else if (schema?.type !== 'optional') return undefined;
  }
  return out;
};

const mapItems = (item: ValueSchema, value: readonly Json[], visitor: LinkVisitor): readonly Json[] =>
  isSchema(unwrapSchema(item), TagLabel)
    ? visitor.labels(value as readonly JsonObject[])
    : mapList(value, (inner) => mapLinks(item, inner, visitor));

const mapObject = (schema: ValueSchema, value: JsonObject, visitor: LinkVisitor): JsonObject | undefined => {
  if (isSchema(schema, Ref)) return visitor.reference(value);
  if (isSchema(schema, TagLabel)) return visitor.labels([value])[0];
  if (isSchema(schema, CustomValues)) return mapCustomValues(value, visitor);
  return schema.entries ? mapMembers(schema.entries, value, visitor) : value;
};

/** Replaces every reference and label in a value by the result of the visitor. */
export const mapLinks = (schema: v.GenericSchema, value: Json, visitor: LinkVisitor): Json | undefined => {
  const inner = unwrapSchema(schema as ValueSchema);
  if (inner.type === 'union') {
    const option = inner.options?.find((candidate) => v.is(candidate, value));
    return option ? mapLinks(option, value, visitor) : value;
  }
  if (isArray(value)) return inner.item ? mapItems(inner.item, value, visitor) : value;
  return isObject(value) ? mapObject(inner, value, visitor) : value;
};

type SchemaEntries = Readonly<Record<string, ValueSchema>>;

const itemEntries = (list: v.GenericSchema): SchemaEntries => {
  const { item } = unwrapSchema(list as ValueSchema);
  return (item && unwrapSchema(item).entries) ?? {};
};

/**
 * A tree of items that are nodes of their own: the schema of its list, and the member that holds an item's children.
 */
export type ColumnTreeSchema = { readonly list: v.GenericSchema; readonly childrenMember: string };

/** Answers the same tree, one level down. */
export const childTree = ({ list, childrenMember }: ColumnTreeSchema): ColumnTreeSchema | undefined => {
  const below = itemEntries(list)[childrenMember];
  return below && { list: below, childrenMember };
};

/** The labels of an item are edges and its children are nodes, so neither is part of its own values. */
const SEPARATE_MEMBERS: ReadonlySet<string> = new Set(['tags', 'children']);

const searchTree = (tree: ColumnTreeSchema, seen: Set<SchemaEntries>): boolean => {
  const entries = itemEntries(tree.list);
  if (seen.has(entries)) return false;
  seen.add(entries);
  const own = Object.entries(entries).filter(([name]) => name !== tree.childrenMember && !SEPARATE_MEMBERS.has(name));
  if (own.some(([, schema]) => holdsLinks(schema))) return true;
  const below = childTree(tree);
  return below !== undefined && searchTree(below, seen);
};

/** Whether items of a tree can hold references or labels among their own values. */
export const treeHoldsLinks = (tree: ColumnTreeSchema): boolean => searchTree(tree, new Set());

/** Replaces every link in the own values of one item by the result of the visitor. */
export const mapTreeItemLinks = (
  { list, childrenMember }: ColumnTreeSchema,
  values: JsonObject,
  visitor: LinkVisitor,
): JsonObject => {
  const entries = itemEntries(list);
  const out: MutableJsonObject = {};
  for (const [name, value] of Object.entries(values)) {
    const isOwn = name !== childrenMember && !SEPARATE_MEMBERS.has(name) && Object.hasOwn(entries, name);
    const schema = isOwn ? entries[name] : undefined;
    const mapped = schema ? mapLinks(schema, value, visitor) : value;
    if (mapped !== undefined) setMember(out, name, mapped);
  }
  return out;
};

/** Answers the schema of one member of an object. */
export const schemaOfMember = (schema: v.GenericSchema, name: string): v.GenericSchema | undefined =>
  unwrapSchema(schema as ValueSchema).entries?.[name];
