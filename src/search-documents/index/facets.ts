import { createHash } from 'node:crypto';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createFieldLookup } from '../fields.ts';
import { indexedFieldOf, termFormOf } from './indexed-field.ts';
import { displayTermText, termPrefix } from './terms.ts';

/**
 * The facets by which hits are counted (search.md 3.2). Very many documents have the same facet values, so each stores
 * a key for its combination of values: hits are counted per key, and the values of a key are looked up once.
 */

const COMMON_FACETS: readonly string[] = [
  'serviceType',
  'service.displayName.keyword',
  'entityType',
  'tier.tagFQN',
  'owners.displayName.keyword',
  'domains.displayName.keyword',
  'tags.tagFQN',
  'certification.tagLabel.tagFQN',
  'database.name.keyword',
  'databaseSchema.name.keyword',
  'database.displayName',
  'databaseSchema.displayName',
];

/** Facets that clients know by more than one name. */
const FACET_ALIASES: ReadonlyMap<string, string> = new Map([
  ['domains.displayName.keyword', 'domain.displayName.keyword'],
]);

type Facet = {
  readonly name: string;
  /** The prefix of the terms that hold the facet's values; undefined if documents have none. */
  readonly start: string | undefined;
};

const termPrefixOf = (kind: Kind, name: string): string | undefined => {
  const field = createFieldLookup(kind)(name);
  const place = field && indexedFieldOf(kind, field.path);
  if (!place?.hasTerms) return undefined;
  return termPrefix(place.code, termFormOf(place));
};

const facetsOf = memoisePerKind((kind): readonly Facet[] =>
  [...COMMON_FACETS, ...(kind.search.facets ?? [])].map((name) => ({ name, start: termPrefixOf(kind, name) })),
);

/** Whether hits of each of these kinds are counted by this field, or have no values of it. */
export const isFacetOfEach = (kinds: readonly Kind[], name: string): boolean =>
  kinds.every((kind) => {
    const start = termPrefixOf(kind, name);
    return start === undefined || facetsOf(kind).some((facet) => facet.start === start);
  });

/** The facet names of documents of these kinds, whether or not such documents exist. */
export const facetNames = (kinds: readonly Kind[]): readonly string[] => [
  ...new Set([...COMMON_FACETS, ...FACET_ALIASES.values(), ...kinds.flatMap((kind) => kind.search.facets ?? [])]),
];

const facetTermsOf = (kind: Kind, terms: string): readonly string[] => {
  const starts = facetsOf(kind).flatMap(({ start }) => start ?? []);
  return terms.split(' ').filter((term) => starts.some((start) => term.startsWith(start)));
};

/** Documents with the same key have the same facet values. */
export const facetKeyOf = (kind: Kind, terms: string): string =>
  createHash('sha256')
    .update([...facetTermsOf(kind, terms)].sort().join(' '))
    .digest('base64url')
    .slice(0, 22);

/** The facet values of a document with these terms, by facet name. */
export type FacetValues = readonly (readonly [name: string, values: readonly string[]])[];

export const facetValuesOf = (kind: Kind, terms: string): FacetValues => {
  const all = facetTermsOf(kind, terms);
  return facetsOf(kind).flatMap(({ name, start }) => {
    if (start === undefined) return [];
    const values = all.flatMap((term) => (term.startsWith(start) ? [displayTermText(term.slice(start.length))] : []));
    if (values.length === 0) return [];
    const also = FACET_ALIASES.get(name);
    return also === undefined ? [[name, values] as const] : [[name, values] as const, [also, values] as const];
  });
};
