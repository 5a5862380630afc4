import { piecesOf } from '../../model/pieces.ts';
import { every, type Filter } from './tree.ts';

/** So many values are asked for at once; the index takes no more than about a thousand conditions. */
const AT_ONCE = 300;

type Listing = Extract<Filter, { is: 'term' | 'ids' | 'some' }>;

const sizeOf = (filter: Filter): number => {
  if (filter.is === 'term') return filter.values.length;
  if (filter.is === 'ids') return filter.ids.length;
  return filter.is === 'some' && filter.least === 1 ? filter.of.length : 0;
};

const cut = (listing: Listing): readonly Filter[] => {
  if (listing.is === 'term') return piecesOf(listing.values, AT_ONCE).map((values) => ({ ...listing, values }));
  if (listing.is === 'ids') return piecesOf(listing.ids, AT_ONCE).map((ids) => ({ ...listing, ids }));
  return piecesOf(listing.of, AT_ONCE).map((of) => ({ ...listing, of }));
};

const conjuncts = (filter: Filter): readonly Filter[] =>
  filter.is === 'every' ? filter.of.flatMap(conjuncts) : [filter];

/**
 * A filter as several that together find the same, where one of its conditions lists more than can be asked for at once.
 * Undefined where it is too large in another way.
 */
export const splitFilter = (filter: Filter): readonly Filter[] | undefined => {
  const parts = conjuncts(filter);
  const largest = parts.reduce((best, part) => (sizeOf(part) > sizeOf(best) ? part : best), parts[0] ?? filter);
  if (sizeOf(largest) <= AT_ONCE) return undefined;
  const others = parts.filter((part) => part !== largest);
  return cut(largest as Listing).map((piece) => every([...others, piece]));
};
