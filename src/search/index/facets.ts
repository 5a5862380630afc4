import { createHash } from 'node:crypto';
import { type Kind, perKind } from '../../model/kind.ts';
import { fieldsOf } from '../fields.ts';
import { placeOf, sortOf } from './places.ts';
import { shownIn, stem } from './terms.ts';

/**
 * What hits are counted by (search.md 3.2). Very many documents are alike in all of it, so each keeps a key that says
 * with which others it is: those of one key are counted together, and what they are counted as is looked up once.
 */

const ALWAYS: readonly string[] = [
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
const ALSO: ReadonlyMap<string, string> = new Map([['domains.displayName.keyword', 'domain.displayName.keyword']]);

type Facet = {
  readonly name: string;
  /** How the terms begin that say what a document is counted as; undefined where it never is. */
  readonly start: string | undefined;
};

const startOf = (kind: Kind, name: string): string | undefined => {
  const field = fieldsOf(kind)(name);
  const place = field && placeOf(kind, field.path);
  if (!place?.isApart) return undefined;
  return stem(place.code, sortOf(place));
};

const facetsOf = perKind((kind): readonly Facet[] =>
  [...ALWAYS, ...(kind.search.facets ?? [])].map((name) => ({ name, start: startOf(kind, name) })),
);

/** By what documents of these kinds are counted, whether there are any or not. */
export const facetNames = (kinds: readonly Kind[]): readonly string[] => [
  ...new Set([...ALWAYS, ...ALSO.values(), ...kinds.flatMap((kind) => kind.search.facets ?? [])]),
];

const counted = (kind: Kind, terms: string): readonly string[] => {
  const starts = facetsOf(kind).flatMap(({ start }) => start ?? []);
  return terms.split(' ').filter((term) => starts.some((start) => term.startsWith(start)));
};

/** Documents of one key are counted as the same. */
export const facetKeyOf = (kind: Kind, terms: string): string =>
  createHash('sha256')
    .update([...counted(kind, terms)].sort().join(' '))
    .digest('base64url')
    .slice(0, 22);

/** What a document with these terms is counted as: names, and under each its values. */
export type Counted = readonly (readonly [name: string, values: readonly string[]])[];

export const countedAs = (kind: Kind, terms: string): Counted => {
  const all = counted(kind, terms);
  return facetsOf(kind).flatMap(({ name, start }) => {
    if (start === undefined) return [];
    const values = all.flatMap((term) => (term.startsWith(start) ? [shownIn(term.slice(start.length))] : []));
    if (values.length === 0) return [];
    const also = ALSO.get(name);
    return also === undefined ? [[name, values] as const] : [[name, values] as const, [also, values] as const];
  });
};
