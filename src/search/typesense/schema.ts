import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../../model/json.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { classesOf } from '../fields.ts';
import { facetNames } from '../index/facets.ts';
import { slotsOf } from '../index/slots.ts';
import { FORM } from '../index/stored.ts';
import { codeOf } from '../index/terms.ts';
import type { CollectionField, CollectionSchema } from './client.ts';

/**
 * The collections of documents (search.md 7.5): one per index, under a name of its own that says with which fields it was
 * made and when. All reading goes by an alias, which is pointed at another collection at once.
 */

/** Stepped whenever documents are written into collections in another way under the same fields. */
const WRITTEN = 2;

/** All that can be asked of a document by equality: its terms, its places, its words. */
export const TERMS = 'terms__h';
export const POPULARITY = 'popularity';
/** Documents in the order in which equals stand: by name, then by id. */
export const TIE = 'tieSort';
/** Whether a value by which documents are counted is too long to be counted. */
export const UNCOUNTED = 'uncounted';
export const REVISION = 'revision';
/** What answers need of a document, as JSON. */
export const PAYLOAD = 'payload';

/** The properties by which is sorted, and the fields that stand for them. */
export const SORTED: Readonly<Record<string, string>> = {
  nameSort: 'nameSort',
  displayNameSort: 'displayNameSort',
  fqnSort: 'fqnSort',
  id: 'idSort',
};

const SUMS = ['dailyStats', 'weeklyStats', 'monthlyStats'].flatMap((name) => [
  ['usageSummary', name, 'count'],
  ['usageSummary', name, 'percentileRank'],
]);

const COMMON: readonly (readonly string[])[] = [['version'], ['updatedAt'], ['fqnDepth'], ['totalVotes'], ...SUMS];

/** The places of numbers and moments that can be ordered, of which a document has no more than one each. */
export const numberPlaces = perKind((kind): ReadonlyMap<string, readonly string[]> => {
  const classOf = classesOf(kind);
  const paths = [...COMMON, ...Object.keys(kind.members).map((name) => [name])];
  const numbers = paths.filter((path) => ['number', 'date'].includes(classOf(path) ?? ''));
  return new Map(numbers.map((path) => [codeOf(path), path]));
});

export const numberField = (code: string): string => `number_${code}`;

export const facetField = (name: string): string => `facet_${codeOf(name.split('.'))}`;

const text = (name: string): CollectionField => ({ name, type: 'string', optional: true });
const sorted = (name: string): CollectionField => ({ name, type: 'string', sort: true, optional: true });

const fieldsFor = perKind((kind): readonly CollectionField[] => [
  { name: TERMS, type: 'string[]', optional: true },
  ...slotsOf(kind).map(({ name }) => text(name)),
  ...Object.values(SORTED).map(sorted),
  sorted(TIE),
  ...[...numberPlaces(kind).keys()].map(
    (code): CollectionField => ({ name: numberField(code), type: 'int64', sort: true, optional: true }),
  ),
  ...facetNames([kind]).map(
    (name): CollectionField => ({ name: facetField(name), type: 'string[]', facet: true, optional: true }),
  ),
  { name: UNCOUNTED, type: 'bool', facet: true, optional: true },
  // What everything is put in order by, where nothing else is said, cannot be left out.
  { name: POPULARITY, type: 'float' },
  { name: REVISION, type: 'int64', index: false, optional: true },
  { name: PAYLOAD, type: 'string', index: false, optional: true },
]);

/** Eight digits that say with which fields, and with what in them, a collection is made. */
export const schemaHash = perKind((kind): string =>
  createHash('sha256')
    .update(canonicalJson([FORM, WRITTEN, fieldsFor(kind)] as unknown as Json))
    .digest('hex')
    .slice(0, 8),
);

const indexOf = ({ search, entityType }: Kind): string => {
  if (search.index === undefined) throw new Error(`${entityType} has no documents`);
  return search.index;
};

export const aliasOf = (prefix: string, kind: Kind): string => `${prefix}${indexOf(kind)}`;

/** The name of a collection that is made now. */
export const physicalName = (prefix: string, kind: Kind, now: number): string =>
  `${aliasOf(prefix, kind)}__${schemaHash(kind)}_${now}`;

/** What the name of a collection says; undefined of those that are not of this catalog's making. */
export type Physical = { readonly alias: string; readonly hash: string; readonly made: number };

export const readPhysical = (prefix: string, name: string): Physical | undefined => {
  const [, alias = '', hash = '', made = ''] = /^(.+)__([0-9a-f]{8})_(\d{10,16})$/.exec(name) ?? [];
  return alias.startsWith(prefix) && alias !== prefix ? { alias, hash, made: Number(made) } : undefined;
};

/** Words are split before they come here; this only says what the words of this catalog are split at. */
const SEPARATORS = ['_', '.', '-', '/', ':'];

export const schemaFor = (kind: Kind, name: string): CollectionSchema => ({
  name,
  fields: fieldsFor(kind),
  default_sorting_field: POPULARITY,
  token_separators: SEPARATORS,
});
