import { createHash } from 'node:crypto';
import { type Kind, memoisePerKind } from '../../model/kind/kind.ts';
import { createFieldLookup } from '../fields.ts';
import { indexedFieldOf, termFormOf } from './indexed-field.ts';
import { displayTermText, termPrefix } from './terms.ts';

/**
 * What hits are counted by (search.md 3.2). Very many documents are alike in all of it, so each keeps a key that says
 * with which others it is: those of one key are counted together, and what they are counted as is looked up once.
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

/** Clients know some by more than one name. */
const FACET_ALIASES: ReadonlyMap<string, string> = new Map([
  ['domains.displayName.keyword', 'domain.displayName.keyword'],
]);

type Facet = {
  readonly name: string;
  /** How the terms begin that say what a document is counted as; undefined where it never is. */
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

/** By what documents of these kinds are counted, whether there are any or not. */
export const facetNames = (kinds: readonly Kind[]): readonly string[] => [
  ...new Set([...COMMON_FACETS, ...FACET_ALIASES.values(), ...kinds.flatMap((kind) => kind.search.facets ?? [])]),
];

const facetTermsOf = (kind: Kind, terms: string): readonly string[] => {
  const starts = facetsOf(kind).flatMap(({ start }) => start ?? []);
  return terms.split(' ').filter((term) => starts.some((start) => term.startsWith(start)));
};

/** Documents of one key are counted as the same. */
export const facetKeyOf = (kind: Kind, terms: string): string =>
  createHash('sha256')
    .update([...facetTermsOf(kind, terms)].sort().join(' '))
    .digest('base64url')
    .slice(0, 22);

/** What a document with these terms is counted as: names, and under each its values. */
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
