import { isArray, isObject, type Json, member } from '../model/json.ts';
import type { Attribute } from '../model/kind/attribute.ts';
import { memoisePerKind } from '../model/kind/derived-values.ts';
import type { Kind } from '../model/kind/kind.ts';
import { type ValueType, valueTypeAt } from '../model/kind/schema-path.ts';
import { Ref, TagLabel, UsageDetails } from '../model/values.ts';

/**
 * The fields of documents and how each is compared (search.md 6.2). They follow from the schemas that a kind declares:
 * enumerations and names of records are compared as a whole without case, ids exactly, and other texts word by word.
 */

/**
 * How a field is compared: `text` word by word, `folded` as a whole without case, `exact` as a whole with case. The
 * type of `any` is known only from its values.
 */
export type FieldClass = 'text' | 'folded' | 'exact' | 'number' | 'date' | 'flag' | 'object' | 'any';

export type DocumentField = { readonly path: readonly string[]; readonly class: FieldClass };

/** Finds a field by name; undefined if documents of the kind have no such field. */
export type FieldLookup = (name: string) => DocumentField | undefined;

const CLASS_OF_LEAF: Readonly<Record<ValueType, FieldClass>> = {
  text: 'text',
  fqn: 'folded',
  key: 'exact',
  choice: 'folded',
  flag: 'flag',
  number: 'number',
  date: 'date',
  object: 'object',
  any: 'any',
};

/** Finds how the values below a member of a document are compared. */
type ClassLookup = (path: readonly string[]) => FieldClass | undefined;

const leafClass =
  (only: FieldClass): ClassLookup =>
  (path) =>
    path.length === 0 ? only : undefined;

const classAnywhere =
  (only: FieldClass): ClassLookup =>
  () =>
    only;

const classBySchema =
  (schema: Parameters<typeof valueTypeAt>[0]): ClassLookup =>
  (path) => {
    const found = valueTypeAt(schema, path);
    return found && CLASS_OF_LEAF[found];
  };

const referenceClass: ClassLookup = (path) =>
  path.length === 1 && path[0] === 'type' ? 'folded' : classBySchema(Ref)(path);

const ownersClass: ClassLookup = (path) =>
  path.length === 1 && (path[0] === 'name' || path[0] === 'displayName') ? 'folded' : referenceClass(path);

/** References whose fully qualified names are compared with case. */
const caseSensitiveReferenceClass: ClassLookup = (path) =>
  path.length === 1 && path[0] === 'fullyQualifiedName' ? 'exact' : referenceClass(path);

const tierClass: ClassLookup = (path) =>
  path.length === 1 && path[0] === 'tagFQN' ? 'exact' : classBySchema(TagLabel)(path);

/** The fields of every document, whatever its kind. */
const COMMON_FIELDS: ReadonlyMap<string, ClassLookup> = new Map<string, ClassLookup>([
  ['id', leafClass('exact')],
  ['name', leafClass('text')],
  ['displayName', leafClass('text')],
  ['description', leafClass('text')],
  ['fullyQualifiedName', leafClass('folded')],
  ['version', leafClass('number')],
  ['updatedAt', leafClass('date')],
  ['updatedBy', leafClass('folded')],
  ['impersonatedBy', leafClass('folded')],
  ['deleted', leafClass('flag')],
  ['sourceUrl', leafClass('exact')],
  ['entityType', leafClass('exact')],
  ['fqnParts', leafClass('exact')],
  ['fqnHash', leafClass('exact')],
  ['fqnDepth', leafClass('number')],
  ['totalVotes', leafClass('number')],
  ['descriptionStatus', leafClass('folded')],
  ['owners', ownersClass],
  ['ownerName', leafClass('folded')],
  ['ownerDisplayName', leafClass('folded')],
  ['domains', caseSensitiveReferenceClass],
  ['dataProducts', caseSensitiveReferenceClass],
  ['followers', leafClass('exact')],
  ['tags', classBySchema(TagLabel)],
  ['tier', tierClass],
  ['classificationTags', leafClass('exact')],
  ['glossaryTags', leafClass('exact')],
  ['classificationTagFQNs', leafClass('exact')],
  ['glossaryTermFQNs', leafClass('exact')],
  ['usageSummary', classBySchema(UsageDetails)],
  ['upstreamLineage', classAnywhere('exact')],
]);

const wrappedReferenceClass =
  (member: string): ClassLookup =>
  ([name, ...rest]) => {
    if (name === undefined) return 'object';
    if (name === member) return referenceClass(rest);
    return rest.length === 0 ? 'folded' : undefined;
  };

const walkedClass = ({ answers, schema }: Attribute & { store: 'walked' }): ClassLookup => {
  if (answers === 'count') return leafClass('number');
  return answers === 'refs' ? referenceClass : schema ? classBySchema(schema) : classAnywhere('any');
};

const attributeClass = (attribute: Attribute): ClassLookup => {
  switch (attribute.store) {
    case 'relation':
      return attribute.wrapped ? wrappedReferenceClass(attribute.wrapped.member) : referenceClass;
    case 'ancestor':
      return attribute.member === 'ref' ? referenceClass : leafClass('folded');
    case 'walked':
      return walkedClass(attribute);
    default:
      return classBySchema(attribute.schema);
  }
};

/** The fields that follow from the search declaration of a kind. */
const declaredFieldsOf = ({ search, members }: Kind): readonly (readonly [string, ClassLookup])[] => [
  ...(search.columnNamesMember
    ? ([
        [search.columnNamesMember, leafClass('exact')],
        [`${search.columnNamesMember}Fuzzy`, leafClass('text')],
        ['columnDescriptionStatus', leafClass('folded')],
      ] as const)
    : []),
  ...Object.keys(search.constants ?? {}).map((name) => [name, leafClass('flag')] as const),
  ...Object.entries(search.memberAliases ?? {}).flatMap(([name, repeated]) => {
    const attribute = members[repeated];
    return attribute ? [[name, attributeClass(attribute)] as const] : [];
  }),
  ...Object.keys(search.derivedNames ?? {}).map((name) => [name, leafClass('folded')] as const),
  ...(search.keywordMembers ?? []).map((name) => [name, leafClass('exact')] as const),
];

const topLevelClassesOf = memoisePerKind(
  (kind): ReadonlyMap<string, ClassLookup> =>
    new Map([
      ...Object.entries(kind.members).map(([name, attribute]) => [name, attributeClass(attribute)] as const),
      ...COMMON_FIELDS,
      ...declaredFieldsOf(kind),
    ]),
);

/** The names of the fields that documents of a kind have at the top. */
export const fieldNamesOf = (kind: Kind): readonly string[] => [...topLevelClassesOf(kind).keys()];

const isTextClass = (known: FieldClass): boolean =>
  known === 'text' || known === 'folded' || known === 'exact' || known === 'any';

/** The suffixes of field names that change how the field is compared. */
const NAME_VARIANTS: ReadonlyMap<string, (known: FieldClass) => FieldClass> = new Map<
  string,
  (known: FieldClass) => FieldClass
>([
  ['keyword', (known) => (known === 'exact' ? 'exact' : 'folded')],
  ['lc', () => 'folded'],
  ['actualCase', () => 'exact'],
  ['text', () => 'text'],
  ['ngram', () => 'text'],
  ['compound', () => 'text'],
]);

const classAt = (kind: Kind, path: readonly string[]): FieldClass | undefined => {
  const [name = '', ...rest] = path;
  return topLevelClassesOf(kind).get(name)?.(rest);
};

/** Returns how a path in documents of a kind is compared; undefined if nothing there can be compared. */
export const fieldClassesOf =
  (kind: Kind): ((path: readonly string[]) => FieldClass | undefined) =>
  (path) =>
    classAt(kind, path);

const resolveField = (kind: Kind, name: string): DocumentField | undefined => {
  const path = name === '_id' ? ['id'] : name.split('.');
  const known = classAt(kind, path);
  // For a value of any type, the last part of the name is a comparison suffix and not a path.
  const variant = path.length > 1 ? NAME_VARIANTS.get(path.at(-1) ?? '') : undefined;
  if (known && !(known === 'any' && variant)) return { path, class: known };
  const base = variant && classAt(kind, path.slice(0, -1));
  if (!variant || !base || base === 'object') return undefined;
  return { path: path.slice(0, -1), class: isTextClass(base) ? variant(base) : base };
};

/** Creates the lookup of a kind's fields. It caches every requested name, so create a new one for each request. */
export const createFieldLookup = (kind: Kind): FieldLookup => {
  const known = new Map<string, DocumentField | undefined>();
  return (name) => {
    if (known.has(name)) return known.get(name);
    const field = resolveField(kind, name);
    known.set(name, field);
    return field;
  };
};

/** Creates the test whether a name is a field of any of these kinds. */
export const createFieldNameTest =
  (kinds: readonly Kind[]) =>
  (name: string): boolean =>
    kinds.some((kind) => resolveField(kind, name) !== undefined);

/** The fields that are searched for words without a field, with the weight of a match (search.md 7.4). */
const DEFAULT_WEIGHTS: Readonly<Record<string, number>> = {
  name: 10,
  displayName: 10,
  fullyQualifiedName: 5,
  fqnParts: 5,
  'tags.tagFQN': 5,
  description: 2,
  'columns.name': 2,
  'columns.displayName': 2,
  'columns.children.name': 1,
  columnNamesFuzzy: 1.5,
  fieldNamesFuzzy: 1.5,
};

/** The weighted fields of a kind's documents. */
export const fieldWeightsOf = memoisePerKind((kind): ReadonlyMap<string, number> => {
  const all = Object.entries({ ...DEFAULT_WEIGHTS, ...kind.search.weights });
  return new Map(all.filter(([name]) => resolveField(kind, name) !== undefined));
});

/** The typos allowed in a field: some in names, few in descriptions, none in fields that are compared as a whole. */
export const maxTyposFor = (field: DocumentField, name: string): 0 | 1 | 2 => {
  if (field.class !== 'text') return 0;
  return name === 'description' ? 1 : 2;
};

/** Returns all texts at a path of a document, including each text of a list. */
export const textsAt = (value: Json | undefined, path: readonly string[], from = 0): readonly string[] => {
  if (value === undefined || value === null) return [];
  if (isArray(value)) return value.flatMap((item) => textsAt(item, path, from));
  const name = path[from];
  if (name === undefined) return typeof value === 'string' ? [value] : [];
  return isObject(value) ? textsAt(member(value, name), path, from + 1) : [];
};
