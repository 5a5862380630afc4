import * as v from 'valibot';
import { bounded, Flag, FreeForm, Integer, listOf, must, Num, oneOf, ShortText, shape, Text, Word } from './values.ts';

/** Settings of searches in the form in which clients have them, and the request that tries them out (search.md 3.6). */

/** Beyond this a weight says no more than that it is the greatest. */
const MOST_WEIGHT = 10_000;
const MOST_FIELDS = 200;
const MOST_BOOSTS = 100;
const MOST_TYPES = 100;

const Weight = v.pipe(
  Num,
  v.minValue(0, 'must be at least 0'),
  v.maxValue(MOST_WEIGHT, `must be at most ${MOST_WEIGHT}`),
);

const FieldBoost = shape('FieldBoost', {
  field: must(Word),
  boost: Weight,
  matchType: oneOf(['exact', 'phrase', 'fuzzy', 'standard']),
});

const TermBoost = shape('TermBoost', { field: must(Word), value: must(ShortText), boost: must(Weight) });

const FieldValueBoost = shape('FieldValueBoost', {
  field: must(Word),
  factor: must(Weight),
  modifier: oneOf(['none', 'log', 'log1p', 'log2p', 'ln', 'ln1p', 'ln2p', 'square', 'sqrt', 'reciprocal']),
  missing: Num,
  condition: shape('FieldValueCondition', {
    range: shape('FieldValueRange', { gt: Num, gte: Num, lt: Num, lte: Num }),
  }),
});

const TYPES = [
  'terms',
  'range',
  'histogram',
  'date_histogram',
  'filters',
  'missing',
  'nested',
  'reverse_nested',
  'top_hits',
  'max',
  'min',
  'avg',
  'sum',
  'stats',
] as const;

const Aggregation = shape('SearchSettingsAggregation', {
  name: must(Word),
  type: must(oneOf(TYPES)),
  field: must(Word),
});

/** What there is for all types and for each; what does not say what comes first is accepted and changes nothing. */
const common = {
  aggregations: listOf(Aggregation, MOST_BOOSTS),
  highlightFields: listOf(ShortText, MOST_FIELDS),
  termBoosts: listOf(TermBoost, MOST_BOOSTS),
  fieldValueBoosts: listOf(FieldValueBoost, MOST_BOOSTS),
};

const AssetTypeConfiguration = shape('AssetTypeConfiguration', {
  assetType: must(Word),
  searchFields: listOf(FieldBoost, MOST_FIELDS),
  ...common,
  scoreMode: oneOf(['multiply', 'sum', 'avg', 'first', 'max', 'min']),
  boostMode: oneOf(['multiply', 'replace', 'sum', 'avg', 'max', 'min']),
  additionalSettings: FreeForm,
  matchTypeBoostMultipliers: shape('MatchTypeBoostMultipliers', {
    exactMatchMultiplier: Weight,
    phraseMatchMultiplier: Weight,
    fuzzyMatchMultiplier: Weight,
  }),
});

const AllowedFields = shape('AllowedSearchFields', {
  entityType: must(Word),
  fields: must(listOf(shape('AllowedSearchField', { name: must(Word), description: must(Text) }))),
});

const SearchSettings = shape('SearchSettings', {
  globalSettings: shape('GlobalSearchSettings', {
    enableAccessControl: Flag,
    maxAggregateSize: Integer,
    maxResultHits: Integer,
    maxAnalyzedOffset: Integer,
    ...common,
  }),
  assetTypeConfigurations: listOf(AssetTypeConfiguration, MOST_TYPES),
  defaultConfiguration: AssetTypeConfiguration,
  allowedFields: listOf(AllowedFields, MOST_TYPES),
  allowedFieldValueBoosts: listOf(AllowedFields, MOST_TYPES),
  nlqConfiguration: FreeForm,
});

const Size = bounded(0, 10_000);

/** A search that is tried out with other weights and boosts. */
export const PreviewRequest = shape('PreviewSearchRequest', {
  query: must(Text),
  index: must(Word),
  searchSettings: must(SearchSettings),
  from: Size,
  size: Size,
  sortField: ShortText,
  sortOrder: ShortText,
  trackTotalHits: Flag,
  queryFilter: Text,
  postFilter: Text,
  deleted: Flag,
  fetchSource: Flag,
  includeSourceFields: listOf(ShortText, 1024),
  explain: Flag,
});
