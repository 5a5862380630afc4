/**
 * Translates search filters into queries of the full-text index. To learn about the index, read `index-entry.ts`,
 * `terms.ts` and `slots.ts` for what it stores of a document, then `bounds.ts`, `text-bounds.ts` and
 * `whole-value-bounds.ts` for single conditions, and `simple-query.ts` and `ranking.ts` for the order of results.
 */
import type { Kind } from '../../model/kind/kind.ts';
import { createFieldLookup, type DocumentField, type FieldLookup } from '../fields.ts';
import type { SearchFilter } from '../filter/search-filter.ts';
import type { ValueFilter } from '../filter/value-test.ts';
import {
  ALL_DOCUMENTS,
  andBounds,
  boostBounds,
  boundsBetween,
  exactBounds,
  NO_DOCUMENTS,
  notBounds,
  orBounds,
  type QueryBounds,
} from './bounds.ts';
import { combinationsOf } from './combinations.ts';
import { type IndexedField, indexedFieldOf } from './indexed-field.ts';
import { boostQuery, LUCENE_NONE, type LuceneQuery, orQuery, termQuery } from './lucene.ts';
import { type KindsRanking, type Ranking, type RankKinds, rankByDefault } from './ranking.ts';
import { simpleQuery } from './simple-query.ts';
import { slotNameForPath } from './slots.ts';
import { existsTerm, fieldCode, valueTerm } from './terms.ts';
import { mixedBounds, textBounds } from './text-bounds.ts';
import { equalValueBounds, existsQuery, wholeValueBounds } from './whole-value-bounds.ts';

type TranslationScope = {
  readonly kinds: readonly Kind[];
  readonly fields: ReadonlyMap<Kind, FieldLookup>;
  /** The ranking of words without a field. */
  readonly ranked: readonly KindsRanking[];
  readonly now: number;
  /** The path of the list whose elements are matched; values outside it are invisible. */
  readonly inside: readonly string[];
  /** Whether any one of the typed words suffices. */
  readonly allowsAnyWord: boolean;
};

/** Matches documents of these kinds. */
export const kindsQuery = (kinds: readonly Kind[]): LuceneQuery =>
  orQuery(kinds.map(({ entityType }) => termQuery('terms', valueTerm(fieldCode(['entityType']), 'exact', entityType))));

const presenceQuery = ({ code }: IndexedField): LuceneQuery => termQuery('terms', existsTerm(code));

/** Bounds for a value of unknown type: its words, and its form as a number or flag. */
const untypedBounds = (place: IndexedField, leaf: ValueFilter, now: number): QueryBounds => {
  if (leaf.is === 'range') {
    const hows = ['folded', 'number'] as const;
    return orBounds(hows.map((how) => wholeValueBounds(place, how, leaf, now)));
  }
  const scalars = (['number', 'flag'] as const).map((how) => wholeValueBounds(place, how, leaf, now));
  return orBounds([mixedBounds('bag', leaf, existsQuery(place)), ...scalars]);
};

const leafBounds = (kind: Kind, field: DocumentField, leaf: ValueFilter, now: number): QueryBounds => {
  const place = indexedFieldOf(kind, field.path);
  switch (field.class) {
    case 'object':
      return NO_DOCUMENTS;
    case 'any':
      return untypedBounds(place, leaf, now);
    case 'text':
      if (leaf.is === 'range') return wholeValueBounds(place, 'folded', leaf, now);
      if (place.hasSlot) return textBounds(slotNameForPath(place.path), leaf);
      // The index holds no words of values that are compared as a whole.
      if (place.class !== 'text' && place.class !== 'any' && place.hasTerms)
        return boundsBetween(LUCENE_NONE, existsQuery(place));
      if (place.isColumnName) return boundsBetween(LUCENE_NONE, presenceQuery(place));
      return mixedBounds('bag', leaf, place.hasTerms ? existsQuery(place) : presenceQuery(place));
    default:
      return wholeValueBounds(place, field.class, leaf, now);
  }
};

const isFieldInside = ({ path }: DocumentField, inside: readonly string[]): boolean =>
  inside.every((name, at) => path[at] === name);

/** Bounds of a condition for the kinds that have its field; where kinds differ, each gets a query of its own. */
const boundsPerKind = (
  scope: TranslationScope,
  name: string,
  boundsFor: (kind: Kind, field: DocumentField) => QueryBounds,
): QueryBounds => {
  const groups = new Map<string, { readonly bounds: QueryBounds; readonly kinds: Kind[] }>();
  for (const kind of scope.kinds) {
    const field = scope.fields.get(kind)?.(name);
    if (!field || !isFieldInside(field, scope.inside)) continue;
    const bounds = boundsFor(kind, field);
    if (bounds.possible === LUCENE_NONE) continue;
    const key = `${bounds.certain} ${bounds.possible}`;
    const group = groups.get(key);
    if (group) group.kinds.push(kind);
    else groups.set(key, { bounds, kinds: [kind] });
  }
  const all = [...groups.values()];
  if (all.length === 1 && all[0]) return all[0].bounds;
  return orBounds(all.map(({ bounds, kinds }) => andBounds([exactBounds(kindsQuery(kinds)), bounds])));
};

const existsBounds = (kind: Kind, field: DocumentField): QueryBounds =>
  exactBounds(existsQuery(indexedFieldOf(kind, field.path)));

/** Bounds per ranking, each restricted to the kinds that share it. */
const boundsPerRanking = ({ ranked }: TranslationScope, boundsFor: (ranking: Ranking) => QueryBounds): QueryBounds => {
  const [only, ...others] = ranked;
  if (only && others.length === 0) return boundsFor(only.ranking);
  return orBounds(
    ranked.map(({ kinds, ranking }) => andBounds([exactBounds(boostQuery(kindsQuery(kinds), 0)), boundsFor(ranking)])),
  );
};

const unfieldedBounds = (scope: TranslationScope, leaf: ValueFilter): QueryBounds =>
  boundsPerRanking(scope, ({ slots }) =>
    orBounds(slots.map(({ name, weight }) => boostBounds(textBounds(name, leaf), weight))),
  );

const SINGLE_CONDITIONS: ReadonlySet<SearchFilter['is']> = new Set([
  'exists',
  'term',
  'range',
  'words',
  'phrase',
  'prefix',
  'wildcard',
  'fuzzy',
]);

/**
 * Bounds of a nested condition. The index does not know which element satisfies which condition; a single condition
 * does not need that.
 */
const nestedBounds = (scope: TranslationScope, { path, of }: Extract<SearchFilter, { is: 'nested' }>): QueryBounds => {
  const inner = filterBounds({ ...scope, inside: path.split('.') }, of);
  if (SINGLE_CONDITIONS.has(of.is) && 'field' in of && of.field !== undefined) return inner;
  const isThere = boundsPerKind({ ...scope, inside: [] }, path, (kind, field) =>
    exactBounds(presenceQuery(indexedFieldOf(kind, field.path))),
  );
  return boundsBetween(LUCENE_NONE, andBounds([isThere, hasNegation(of) ? ALL_DOCUMENTS : inner]).possible);
};

const hasNegation = (filter: SearchFilter): boolean => {
  switch (filter.is) {
    case 'not':
      return true;
    case 'every':
    case 'some':
      return filter.of.some(hasNegation);
    case 'boosted':
    case 'nested':
      return hasNegation(filter.of);
    default:
      return false;
  }
};

/** Up to this many conditions, every combination of the required number is written out. */
const MAX_COMBINED_FILTERS = 6;

const atLeastBounds = (of: readonly QueryBounds[], least: number): QueryBounds => {
  if (least <= 1) return orBounds(of);
  if (least >= of.length) return andBounds(of);
  if (of.length <= MAX_COMBINED_FILTERS) return orBounds(combinationsOf(of, least).map(andBounds));
  return boundsBetween(andBounds(of).certain, orBounds(of).possible);
};

const filterBounds = (scope: TranslationScope, filter: SearchFilter): QueryBounds => {
  switch (filter.is) {
    case 'all':
      return ALL_DOCUMENTS;
    case 'none':
      return NO_DOCUMENTS;
    case 'every':
      return andBounds(filter.of.map((one) => filterBounds(scope, one)));
    case 'some':
      return atLeastBounds(
        filter.of.map((one) => filterBounds(scope, one)),
        filter.least,
      );
    case 'not':
      return notBounds(filterBounds(scope, filter.of));
    case 'boosted':
      return boostBounds(filterBounds(scope, filter.of), filter.by);
    case 'nested':
      return nestedBounds(scope, filter);
    case 'ids': {
      const { ids } = filter;
      if (scope.inside.length > 0) return boundsBetween(LUCENE_NONE, ALL_DOCUMENTS.possible);
      return boundsPerKind(scope, 'id', (kind, field) =>
        orBounds(ids.map((id) => equalValueBounds(indexedFieldOf(kind, field.path), 'exact', id, scope.now))),
      );
    }
    case 'exists':
      return boundsPerKind(scope, filter.field, existsBounds);
    case 'simple':
      return boundsPerRanking(scope, (ranking) => exactBounds(simpleQuery(ranking, filter, scope.allowsAnyWord)));
    default: {
      const leaf: ValueFilter = filter;
      if (leaf.field === undefined) return unfieldedBounds(scope, leaf);
      return boundsPerKind(scope, leaf.field, (kind, field) => leafBounds(kind, field, leaf, scope.now));
    }
  }
};

/** Translates a filter on documents of these kinds into bounds. */
export const translateFilter = (
  filter: SearchFilter,
  kinds: readonly Kind[],
  now: number,
  allowsAnyWord = false,
  rankedBy: RankKinds = rankByDefault,
): QueryBounds =>
  filterBounds(
    {
      kinds,
      fields: new Map(kinds.map((kind) => [kind, createFieldLookup(kind)])),
      ranked: rankedBy(kinds),
      now,
      inside: [],
      allowsAnyWord,
    },
    filter,
  );
