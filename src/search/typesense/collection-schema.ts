import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../../model/json.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { fieldClassesOf } from '../../search-documents/fields.ts';
import { facetNames } from '../../search-documents/index/facets.ts';
import { slotsOf } from '../../search-documents/index/slots.ts';
import { DOCUMENT_FORMAT } from '../../search-documents/index/stored-document.ts';
import { fieldCode } from '../../search-documents/index/terms.ts';
import type { CollectionField, CollectionSchema } from './client.ts';

/**
 * The collections of documents (search.md 7.5): one per index, whose name contains a hash of its fields and its
 * creation time. Reads use an alias, which switches to another collection at once.
 */

/** Increase this when documents are encoded in another way without a change of fields. */
const ENCODING_VERSION = 2;

/** Hashes of everything that a filter can compare by equality: terms, fields and words. */
export const TERMS_FIELD = 'terms__h';
export const POPULARITY_FIELD = 'popularity';
/** Breaks ties: by name, then by id. */
export const TIE_FIELD = 'tieSort';
/** Whether a facet value is too long to be counted. */
export const UNCOUNTED_FIELD = 'uncounted';
export const REVISION_FIELD = 'revision';
/** The data of a document that answers need, as JSON. */
export const PAYLOAD_FIELD = 'payload';

/** The sort properties and their fields in the collection. */
export const SORT_FIELDS: Readonly<Record<string, string>> = {
  nameSort: 'nameSort',
  displayNameSort: 'displayNameSort',
  fqnSort: 'fqnSort',
  id: 'idSort',
};

const USAGE_PATHS = ['dailyStats', 'weeklyStats', 'monthlyStats'].flatMap((name) => [
  ['usageSummary', name, 'count'],
  ['usageSummary', name, 'percentileRank'],
]);

const COMMON_NUMBER_PATHS: readonly (readonly string[])[] = [
  ['version'],
  ['updatedAt'],
  ['fqnDepth'],
  ['totalVotes'],
  ...USAGE_PATHS,
];

/** The sortable number and date fields of which a document has at most one value each. */
export const sortableNumberPathsOf = memoisePerKind((kind): ReadonlyMap<string, readonly string[]> => {
  const classOf = fieldClassesOf(kind);
  const paths = [...COMMON_NUMBER_PATHS, ...Object.keys(kind.members).map((name) => [name])];
  const numbers = paths.filter((path) => ['number', 'date'].includes(classOf(path) ?? ''));
  return new Map(numbers.map((path) => [fieldCode(path), path]));
});

export const numberFieldName = (code: string): string => `number_${code}`;

export const facetFieldName = (name: string): string => `facet_${fieldCode(name.split('.'))}`;

const textField = (name: string): CollectionField => ({ name, type: 'string', optional: true });
const sortField = (name: string): CollectionField => ({ name, type: 'string', sort: true, optional: true });

const collectionFieldsOf = memoisePerKind((kind): readonly CollectionField[] => [
  { name: TERMS_FIELD, type: 'string[]', optional: true },
  ...slotsOf(kind).map(({ name }) => textField(name)),
  ...Object.values(SORT_FIELDS).map(sortField),
  sortField(TIE_FIELD),
  ...[...sortableNumberPathsOf(kind).keys()].map(
    (code): CollectionField => ({ name: numberFieldName(code), type: 'int64', sort: true, optional: true }),
  ),
  ...facetNames([kind]).map(
    (name): CollectionField => ({ name: facetFieldName(name), type: 'string[]', facet: true, optional: true }),
  ),
  { name: UNCOUNTED_FIELD, type: 'bool', facet: true, optional: true },
  // The default sort field must not be optional.
  { name: POPULARITY_FIELD, type: 'float' },
  { name: REVISION_FIELD, type: 'int64', index: false, optional: true },
  { name: PAYLOAD_FIELD, type: 'string', index: false, optional: true },
]);

/** An eight-digit hash of the fields of a collection and of their encoding. */
export const collectionSchemaHash = memoisePerKind((kind): string =>
  createHash('sha256')
    .update(canonicalJson([DOCUMENT_FORMAT, ENCODING_VERSION, collectionFieldsOf(kind)] as unknown as Json))
    .digest('hex')
    .slice(0, 8),
);

const indexNameOf = ({ search, entityType }: Kind): string => {
  if (search.index === undefined) throw new Error(`${entityType} has no documents`);
  return search.index;
};

export const collectionAliasOf = (prefix: string, kind: Kind): string => `${prefix}${indexNameOf(kind)}`;

/** The name of a collection that is created now. */
export const collectionNameFor = (prefix: string, kind: Kind, now: number): string =>
  `${collectionAliasOf(prefix, kind)}__${collectionSchemaHash(kind)}_${now}`;

/** The parts of a collection's name; undefined for collections of other owners. */
export type CollectionName = { readonly alias: string; readonly hash: string; readonly made: number };

export const parseCollectionName = (prefix: string, name: string): CollectionName | undefined => {
  const [, alias = '', hash = '', made = ''] = /^(.+)__([0-9a-f]{8})_(\d{10,16})$/.exec(name) ?? [];
  return alias.startsWith(prefix) && alias !== prefix ? { alias, hash, made: Number(made) } : undefined;
};

/** Words are split before they are sent; this only declares the same separators to the server. */
const SEPARATORS = ['_', '.', '-', '/', ':'];

export const collectionSchemaFor = (kind: Kind, name: string): CollectionSchema => ({
  name,
  fields: collectionFieldsOf(kind),
  default_sorting_field: POPULARITY_FIELD,
  token_separators: SEPARATORS,
});
