import { allOf, anyOf, counting, EVERYTHING, type Lucene, NOTHING, noneOf } from './lucene.ts';

/**
 * What the index can say of a condition: of some documents that they fulfil it, of others that they may. Where both are
 * the same it is the condition itself; the documents between the two are looked at one by one.
 */
export type Bounds = { readonly surely: Lucene; readonly perhaps: Lucene };

export const exactly = (query: Lucene): Bounds => ({ surely: query, perhaps: query });

export const within = (surely: Lucene, perhaps: Lucene): Bounds => ({ surely, perhaps });

export const nothing: Bounds = exactly(NOTHING);
export const everything: Bounds = exactly(EVERYTHING);

export const isExact = ({ surely, perhaps }: Bounds): boolean => surely === perhaps;

const both = (bounds: readonly Bounds[], join: (parts: readonly Lucene[]) => Lucene): Bounds => {
  const perhaps = join(bounds.map((one) => one.perhaps));
  return bounds.every(isExact) ? exactly(perhaps) : within(join(bounds.map((one) => one.surely)), perhaps);
};

export const everyBounds = (bounds: readonly Bounds[]): Bounds => both(bounds, allOf);

export const someBounds = (bounds: readonly Bounds[]): Bounds => both(bounds, anyOf);

export const notBounds = (bounds: Bounds): Bounds =>
  isExact(bounds) ? exactly(noneOf(bounds.perhaps)) : within(noneOf(bounds.perhaps), noneOf(bounds.surely));

export const countingBounds = (bounds: Bounds, weight: number): Bounds => {
  const perhaps = counting(bounds.perhaps, weight);
  return isExact(bounds) ? exactly(perhaps) : within(counting(bounds.surely, weight), perhaps);
};
