import type { Attribute } from '../model/attribute.ts';
import { isArray, isObject, type Json, member } from '../model/json.ts';
import { type Kind, perKind } from '../model/kind.ts';
import { type Leaf, leafAt } from '../model/schema-path.ts';
import { Ref, TagLabel, UsageDetails } from '../model/values.ts';

/**
 * The fields of documents and how each is compared (search.md 6.2). They follow from the schemas that a kind declares:
 * enumerations and names of records are compared whole in any case, ids as they are, other texts word by word.
 */

/**
 * How a field is compared: a text word by word, `folded` as a whole in any case, `exact` as a whole as it is. Of `any`
 * nothing is known but its values.
 */
export type FieldClass = 'text' | 'folded' | 'exact' | 'number' | 'date' | 'flag' | 'object' | 'any';

export type Field = { readonly path: readonly string[]; readonly class: FieldClass };

/** The field of a name, or undefined where documents of the kind have none. */
export type Fields = (name: string) => Field | undefined;

const CLASSES: Readonly<Record<Leaf, FieldClass>> = {
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

/** What is known of the places below a member of a document. */
type Below = (path: readonly string[]) => FieldClass | undefined;

const leaf =
  (only: FieldClass): Below =>
  (path) =>
    path.length === 0 ? only : undefined;

const anywhere =
  (only: FieldClass): Below =>
  () =>
    only;

const bySchema =
  (schema: Parameters<typeof leafAt>[0]): Below =>
  (path) => {
    const found = leafAt(schema, path);
    return found && CLASSES[found];
  };

const reference: Below = (path) => (path.length === 1 && path[0] === 'type' ? 'folded' : bySchema(Ref)(path));

const owners: Below = (path) =>
  path.length === 1 && (path[0] === 'name' || path[0] === 'displayName') ? 'folded' : reference(path);

/** References whose full names are told apart by every letter. */
const spelled: Below = (path) => (path.length === 1 && path[0] === 'fullyQualifiedName' ? 'exact' : reference(path));

const tier: Below = (path) => (path.length === 1 && path[0] === 'tagFQN' ? 'exact' : bySchema(TagLabel)(path));

/** What every document has, whatever its kind. */
const COMMON: ReadonlyMap<string, Below> = new Map<string, Below>([
  ['id', leaf('exact')],
  ['name', leaf('text')],
  ['displayName', leaf('text')],
  ['description', leaf('text')],
  ['fullyQualifiedName', leaf('folded')],
  ['version', leaf('number')],
  ['updatedAt', leaf('date')],
  ['updatedBy', leaf('folded')],
  ['impersonatedBy', leaf('folded')],
  ['deleted', leaf('flag')],
  ['sourceUrl', leaf('exact')],
  ['entityType', leaf('exact')],
  ['fqnParts', leaf('exact')],
  ['fqnHash', leaf('exact')],
  ['fqnDepth', leaf('number')],
  ['totalVotes', leaf('number')],
  ['descriptionStatus', leaf('folded')],
  ['owners', owners],
  ['ownerName', leaf('folded')],
  ['ownerDisplayName', leaf('folded')],
  ['domains', spelled],
  ['dataProducts', spelled],
  ['followers', leaf('exact')],
  ['tags', bySchema(TagLabel)],
  ['tier', tier],
  ['classificationTags', leaf('exact')],
  ['glossaryTags', leaf('exact')],
  ['classificationTagFQNs', leaf('exact')],
  ['glossaryTermFQNs', leaf('exact')],
  ['usageSummary', bySchema(UsageDetails)],
  ['upstreamLineage', anywhere('exact')],
]);

const wrappedReference =
  (member: string): Below =>
  ([name, ...rest]) => {
    if (name === undefined) return 'object';
    if (name === member) return reference(rest);
    return rest.length === 0 ? 'folded' : undefined;
  };

const walked = ({ answers, schema }: Attribute & { store: 'walked' }): Below => {
  if (answers === 'count') return leaf('number');
  return answers === 'refs' ? reference : schema ? bySchema(schema) : anywhere('any');
};

const belowAttribute = (attribute: Attribute): Below => {
  switch (attribute.store) {
    case 'relation':
      return attribute.wrapped ? wrappedReference(attribute.wrapped.member) : reference;
    case 'ancestor':
      return attribute.member === 'ref' ? reference : leaf('folded');
    case 'walked':
      return walked(attribute);
    default:
      return bySchema(attribute.schema);
  }
};

/** What follows from the words in which a kind speaks of its documents. */
const fromWords = ({ search, members }: Kind): readonly (readonly [string, Below])[] => [
  ...(search.lists
    ? ([
        [search.lists, leaf('exact')],
        [`${search.lists}Fuzzy`, leaf('text')],
        ['columnDescriptionStatus', leaf('folded')],
      ] as const)
    : []),
  ...Object.keys(search.constants ?? {}).map((name) => [name, leaf('flag')] as const),
  ...Object.entries(search.repeats ?? {}).flatMap(([name, repeated]) => {
    const attribute = members[repeated];
    return attribute ? [[name, belowAttribute(attribute)] as const] : [];
  }),
  ...Object.keys(search.derives ?? {}).map((name) => [name, leaf('folded')] as const),
  ...(search.exact ?? []).map((name) => [name, leaf('exact')] as const),
];

const topOf = perKind(
  (kind): ReadonlyMap<string, Below> =>
    new Map([
      ...Object.entries(kind.members).map(([name, attribute]) => [name, belowAttribute(attribute)] as const),
      ...COMMON,
      ...fromWords(kind),
    ]),
);

const isText = (known: FieldClass): boolean =>
  known === 'text' || known === 'folded' || known === 'exact' || known === 'any';

/** What the last part of a field's name makes of it. */
const VARIANTS: ReadonlyMap<string, (known: FieldClass) => FieldClass> = new Map<
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
  return topOf(kind).get(name)?.(rest);
};

/** How what stands at a place of documents of a kind is compared; undefined where documents have nothing to compare. */
export const classesOf =
  (kind: Kind): ((path: readonly string[]) => FieldClass | undefined) =>
  (path) =>
    classAt(kind, path);

const resolve = (kind: Kind, name: string): Field | undefined => {
  const path = name === '_id' ? ['id'] : name.split('.');
  const known = classAt(kind, path);
  // Of a value that may be anything, the last part of a name says how it is compared rather than where it is.
  const variant = path.length > 1 ? VARIANTS.get(path.at(-1) ?? '') : undefined;
  if (known && !(known === 'any' && variant)) return { path, class: known };
  const base = variant && classAt(kind, path.slice(0, -1));
  if (!variant || !base || base === 'object') return undefined;
  return { path: path.slice(0, -1), class: isText(base) ? variant(base) : base };
};

/** The fields of documents of a kind. What was asked for is remembered, so it should be made anew for every request. */
export const fieldsOf = (kind: Kind): Fields => {
  const known = new Map<string, Field | undefined>();
  return (name) => {
    if (known.has(name)) return known.get(name);
    const field = resolve(kind, name);
    known.set(name, field);
    return field;
  };
};

/** Whether a name is that of a field of any of these kinds. */
export const namesField =
  (kinds: readonly Kind[]) =>
  (name: string): boolean =>
    kinds.some((kind) => resolve(kind, name) !== undefined);

/** In which fields words without a field are looked for, and how much finding them there counts (search.md 7.4). */
const WEIGHTS: Readonly<Record<string, number>> = {
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

/** The weighted fields of documents of a kind. */
export const weightsOf = perKind((kind): ReadonlyMap<string, number> => {
  const all = Object.entries({ ...WEIGHTS, ...kind.search.weights });
  return new Map(all.filter(([name]) => resolve(kind, name) !== undefined));
});

/** Typing mistakes are looked for in names and a little in descriptions; what is compared whole is spelled right. */
export const mostTypos = (field: Field, name: string): 0 | 1 | 2 => {
  if (field.class !== 'text') return 0;
  return name === 'description' ? 1 : 2;
};

/** All texts at a place of a document, those of lists one by one. */
export const textsAt = (value: Json | undefined, path: readonly string[], from = 0): readonly string[] => {
  if (value === undefined || value === null) return [];
  if (isArray(value)) return value.flatMap((item) => textsAt(item, path, from));
  const name = path[from];
  if (name === undefined) return typeof value === 'string' ? [value] : [];
  return isObject(value) ? textsAt(member(value, name), path, from + 1) : [];
};
