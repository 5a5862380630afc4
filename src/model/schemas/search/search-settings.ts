import * as v from 'valibot';
import {
  bounded,
  Flag,
  FreeForm,
  Integer,
  listOf,
  must,
  NonEmptyText,
  Num,
  oneOf,
  ShortText,
  shape,
  Text,
} from '../../values.ts';

/** The schemas of search settings, and of the request that previews them (search.md 3.6). */

/** The maximum weight. A larger one would make no difference. */
const MAX_WEIGHT = 10_000;
const MAX_FIELD_COUNT = 200;
const MAX_BOOSTS = 100;
const MAX_ASSET_TYPES = 100;

const Weight = v.pipe(
  Num,
  v.minValue(0, 'must be at least 0'),
  v.maxValue(MAX_WEIGHT, `must be at most ${MAX_WEIGHT}`),
);

const FieldBoost = shape('FieldBoost', {
  field: must(NonEmptyText),
  boost: Weight,
  matchType: oneOf(['exact', 'phrase', 'fuzzy', 'standard']),
});

const TermBoost = shape('TermBoost', { field: must(NonEmptyText), value: must(ShortText), boost: must(Weight) });

const FieldValueBoost = shape('FieldValueBoost', {
  field: must(NonEmptyText),
  factor: must(Weight),
  modifier: oneOf(['none', 'log', 'log1p', 'log2p', 'ln', 'ln1p', 'ln2p', 'square', 'sqrt', 'reciprocal']),
  missing: Num,
  condition: shape('FieldValueCondition', {
    range: shape('FieldValueRange', { gt: Num, gte: Num, lt: Num, lte: Num }),
  }),
});

const AGGREGATION_TYPES = [
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
  name: must(NonEmptyText),
  type: must(oneOf(AGGREGATION_TYPES)),
  field: must(NonEmptyText),
});

/** Settings common to all types. Those that do not affect the ranking are accepted and ignored. */
const commonSettings = {
  aggregations: listOf(Aggregation, MAX_BOOSTS),
  highlightFields: listOf(ShortText, MAX_FIELD_COUNT),
  termBoosts: listOf(TermBoost, MAX_BOOSTS),
  fieldValueBoosts: listOf(FieldValueBoost, MAX_BOOSTS),
};

const AssetTypeConfiguration = shape('AssetTypeConfiguration', {
  assetType: must(NonEmptyText),
  searchFields: listOf(FieldBoost, MAX_FIELD_COUNT),
  ...commonSettings,
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
  entityType: must(NonEmptyText),
  fields: must(listOf(shape('AllowedSearchField', { name: must(NonEmptyText), description: must(Text) }))),
});

const SearchSettings = shape('SearchSettings', {
  globalSettings: shape('GlobalSearchSettings', {
    enableAccessControl: Flag,
    maxAggregateSize: Integer,
    maxResultHits: Integer,
    maxAnalyzedOffset: Integer,
    ...commonSettings,
  }),
  assetTypeConfigurations: listOf(AssetTypeConfiguration, MAX_ASSET_TYPES),
  defaultConfiguration: AssetTypeConfiguration,
  allowedFields: listOf(AllowedFields, MAX_ASSET_TYPES),
  allowedFieldValueBoosts: listOf(AllowedFields, MAX_ASSET_TYPES),
  nlqConfiguration: FreeForm,
});

const Size = bounded(0, 10_000);

/** A search with other weights and boosts than the stored ones. */
export const PreviewRequest = shape('PreviewSearchRequest', {
  query: must(Text),
  index: must(NonEmptyText),
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
