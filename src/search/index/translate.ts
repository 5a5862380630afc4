import type { Kind } from '../../model/kind.ts';
import { type Field, type Fields, fieldsOf } from '../fields.ts';
import type { Leaf } from '../filter/leaves.ts';
import type { Filter } from '../filter/tree.ts';
import {
  type Bounds,
  countingBounds,
  everyBounds,
  everything,
  exactly,
  notBounds,
  nothing,
  someBounds,
  within,
} from './bounds.ts';
import { choices } from './choices.ts';
import { anyOf, counting, type Lucene, NOTHING, termIn } from './lucene.ts';
import { type Place, placeOf } from './places.ts';
import { type Ranked, type RankedBy, type Ranking, usually } from './ranking.ts';
import { simpleIn } from './simple.ts';
import { slotNameOf } from './slots.ts';
import { codeOf, term, thereTerm } from './terms.ts';
import { mixedBounds, textBounds } from './texts.ts';
import { anyTerm, equalTo, wholeBounds } from './whole.ts';

/** Filters in the words of the full-text index. */

type Scope = {
  readonly kinds: readonly Kind[];
  readonly fields: ReadonlyMap<Kind, Fields>;
  /** How words without a field are ranked. */
  readonly ranked: readonly Ranked[];
  readonly now: number;
  /** The path of the list whose elements are looked at; seen from there, nothing lies outside. */
  readonly inside: readonly string[];
  /** Whether any of the words that somebody typed will do. */
  readonly isPatient: boolean;
};

/** Documents of these kinds. */
export const ofKinds = (kinds: readonly Kind[]): Lucene =>
  anyOf(kinds.map(({ entityType }) => termIn('terms', term(codeOf(['entityType']), 'exact', entityType))));

const there = ({ code }: Place): Lucene => termIn('terms', thereTerm(code));

/** Where nothing is known of a value but itself, its words are looked for, and it as a number or a flag. */
const anyBounds = (place: Place, leaf: Leaf, now: number): Bounds => {
  if (leaf.is === 'range') {
    const hows = ['folded', 'number'] as const;
    return someBounds(hows.map((how) => wholeBounds(place, how, leaf, now)));
  }
  const scalars = (['number', 'flag'] as const).map((how) => wholeBounds(place, how, leaf, now));
  return someBounds([mixedBounds('bag', leaf, anyTerm(place)), ...scalars]);
};

const leafBounds = (kind: Kind, field: Field, leaf: Leaf, now: number): Bounds => {
  const place = placeOf(kind, field.path);
  switch (field.class) {
    case 'object':
      return nothing;
    case 'any':
      return anyBounds(place, leaf, now);
    case 'text':
      if (leaf.is === 'range') return wholeBounds(place, 'folded', leaf, now);
      if (place.isSlotted) return textBounds(slotNameOf(place.path), leaf);
      // What is compared whole elsewhere has no words in the index.
      if (place.class !== 'text' && place.class !== 'any' && place.isApart) return within(NOTHING, anyTerm(place));
      if (place.isColumnName) return within(NOTHING, there(place));
      return mixedBounds('bag', leaf, place.isApart ? anyTerm(place) : there(place));
    default:
      return wholeBounds(place, field.class, leaf, now);
  }
};

const isInside = ({ path }: Field, inside: readonly string[]): boolean => inside.every((name, at) => path[at] === name);

/** What a condition is for each kind that knows its field; where kinds differ, each is asked for by itself. */
const perKinds = (scope: Scope, name: string, boundsFor: (kind: Kind, field: Field) => Bounds): Bounds => {
  const groups = new Map<string, { readonly bounds: Bounds; readonly kinds: Kind[] }>();
  for (const kind of scope.kinds) {
    const field = scope.fields.get(kind)?.(name);
    if (!field || !isInside(field, scope.inside)) continue;
    const bounds = boundsFor(kind, field);
    if (bounds.perhaps === NOTHING) continue;
    const key = `${bounds.surely} ${bounds.perhaps}`;
    const group = groups.get(key);
    if (group) group.kinds.push(kind);
    else groups.set(key, { bounds, kinds: [kind] });
  }
  const all = [...groups.values()];
  if (all.length === 1 && all[0]) return all[0].bounds;
  return someBounds(all.map(({ bounds, kinds }) => everyBounds([exactly(ofKinds(kinds)), bounds])));
};

const existsBounds = (kind: Kind, field: Field): Bounds => exactly(anyTerm(placeOf(kind, field.path)));

/** What is asked of documents of each ranking, for those of its kinds alone. */
const perRanking = ({ ranked }: Scope, boundsFor: (ranking: Ranking) => Bounds): Bounds => {
  const [only, ...others] = ranked;
  if (only && others.length === 0) return boundsFor(only.ranking);
  return someBounds(
    ranked.map(({ kinds, ranking }) => everyBounds([exactly(counting(ofKinds(kinds), 0)), boundsFor(ranking)])),
  );
};

const anywhere = (scope: Scope, leaf: Leaf): Bounds =>
  perRanking(scope, ({ slots }) =>
    someBounds(slots.map(({ name, weight }) => countingBounds(textBounds(name, leaf), weight))),
  );

const LONE: ReadonlySet<Filter['is']> = new Set([
  'exists',
  'term',
  'range',
  'words',
  'phrase',
  'prefix',
  'wildcard',
  'fuzzy',
]);

/** Nothing is known of which element fulfils what; a single condition needs no more than one. */
const nestedBounds = (scope: Scope, { path, of }: Extract<Filter, { is: 'nested' }>): Bounds => {
  const inner = bounds({ ...scope, inside: path.split('.') }, of);
  if (LONE.has(of.is) && 'field' in of && of.field !== undefined) return inner;
  const isThere = perKinds({ ...scope, inside: [] }, path, (kind, field) => exactly(there(placeOf(kind, field.path))));
  return within(NOTHING, everyBounds([isThere, hasNot(of) ? everything : inner]).perhaps);
};

const hasNot = (filter: Filter): boolean => {
  switch (filter.is) {
    case 'not':
      return true;
    case 'every':
    case 'some':
      return filter.of.some(hasNot);
    case 'boosted':
    case 'nested':
      return hasNot(filter.of);
    default:
      return false;
  }
};

/** Up to so many conditions, every choice of as many as must hold is written out. */
const MOST_CHOSEN = 6;

const atLeast = (of: readonly Bounds[], least: number): Bounds => {
  if (least <= 1) return someBounds(of);
  if (least >= of.length) return everyBounds(of);
  if (of.length <= MOST_CHOSEN) return someBounds(choices(of, least).map(everyBounds));
  return within(everyBounds(of).surely, someBounds(of).perhaps);
};

const bounds = (scope: Scope, filter: Filter): Bounds => {
  switch (filter.is) {
    case 'all':
      return everything;
    case 'none':
      return nothing;
    case 'every':
      return everyBounds(filter.of.map((one) => bounds(scope, one)));
    case 'some':
      return atLeast(
        filter.of.map((one) => bounds(scope, one)),
        filter.least,
      );
    case 'not':
      return notBounds(bounds(scope, filter.of));
    case 'boosted':
      return countingBounds(bounds(scope, filter.of), filter.by);
    case 'nested':
      return nestedBounds(scope, filter);
    case 'ids': {
      const { ids } = filter;
      if (scope.inside.length > 0) return within(NOTHING, everything.perhaps);
      return perKinds(scope, 'id', (kind, field) =>
        someBounds(ids.map((id) => equalTo(placeOf(kind, field.path), 'exact', id, scope.now))),
      );
    }
    case 'exists':
      return perKinds(scope, filter.field, existsBounds);
    case 'simple':
      return perRanking(scope, (ranking) => exactly(simpleIn(ranking, filter, scope.isPatient)));
    default: {
      const leaf: Leaf = filter;
      if (leaf.field === undefined) return anywhere(scope, leaf);
      return perKinds(scope, leaf.field, (kind, field) => leafBounds(kind, field, leaf, scope.now));
    }
  }
};

/** What the index can say of a filter on documents of these kinds. */
export const translate = (
  filter: Filter,
  kinds: readonly Kind[],
  now: number,
  isPatient = false,
  rankedBy: RankedBy = usually,
): Bounds =>
  bounds(
    {
      kinds,
      fields: new Map(kinds.map((kind) => [kind, fieldsOf(kind)])),
      ranked: rankedBy(kinds),
      now,
      inside: [],
      isPatient,
    },
    filter,
  );
