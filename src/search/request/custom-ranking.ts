import type { Kind } from '../../model/kind/kind.ts';
import { createFieldLookup, type DocumentField } from '../../search-documents/fields.ts';
import { indexedFieldOf, isNamePath, termFormOf } from '../../search-documents/index/indexed-field.ts';
import {
  defaultRankingOf,
  FUZZY_WEIGHT,
  type RankedSlot,
  type Ranking,
  type RankKinds,
  type WholeValue,
} from '../../search-documents/index/ranking.ts';
import { slotNameForField, slotsOf } from '../../search-documents/index/slots.ts';
import { termPrefix, valueTerm } from '../../search-documents/index/terms.ts';
import { foldText } from '../../search-documents/tokens.ts';

/** Parses weights and boosts for previews (search.md 3.6), in the format of clients' search settings. */

type MatchType = 'exact' | 'phrase' | 'fuzzy' | 'standard';

type FieldBoost = { readonly field: string; readonly boost?: number; readonly matchType?: MatchType };

type TermBoost = { readonly field: string; readonly value: string; readonly boost: number };

export type BoostModifier =
  | 'none'
  | 'log'
  | 'log1p'
  | 'log2p'
  | 'ln'
  | 'ln1p'
  | 'ln2p'
  | 'square'
  | 'sqrt'
  | 'reciprocal';

type BoostRange = { readonly gt?: number; readonly gte?: number; readonly lt?: number; readonly lte?: number };

type ValueBoost = {
  readonly field: string;
  readonly factor: number;
  readonly modifier?: BoostModifier;
  readonly missing?: number;
  readonly condition?: { readonly range?: BoostRange };
};

type Boosts = { readonly termBoosts?: readonly TermBoost[]; readonly fieldValueBoosts?: readonly ValueBoost[] };

type Multipliers = {
  readonly exactMatchMultiplier?: number;
  readonly phraseMatchMultiplier?: number;
  readonly fuzzyMatchMultiplier?: number;
};

type KindSettings = Boosts & {
  readonly assetType: string;
  readonly searchFields?: readonly FieldBoost[];
  readonly matchTypeBoostMultipliers?: Multipliers;
};

/** The parts of the search settings that affect ranking. */
export type SearchSettings = {
  readonly globalSettings?: Boosts;
  readonly assetTypeConfigurations?: readonly KindSettings[];
  readonly defaultConfiguration?: KindSettings;
};

/** The relevance of a record regardless of the query, from the terms of its document. */
export type Relevance = {
  /** The boost of each term. */
  readonly terms: ReadonlyMap<string, number>;
  /**
   * The boosts by numbers: the prefix of their terms, the boost of a value, and the boost of a document without the
   * number.
   */
  readonly numbers: readonly {
    readonly start: string;
    readonly of: (value: number) => number;
    readonly without: number;
  }[];
};

/** The ranking from settings; settings that are absent have their defaults. */
export type CustomRanking = {
  readonly rankedBy: RankKinds;
  readonly relevanceOf: (kind: Kind) => Relevance | undefined;
};

const settingsFor = ({ assetTypeConfigurations = [], defaultConfiguration }: SearchSettings, kind: Kind) =>
  assetTypeConfigurations.find(({ assetType }) => assetType === kind.entityType) ?? defaultConfiguration;

/** Keeps the heaviest of the entries that differ only in weight. */
const keepHeaviest = <T extends { readonly weight: number }>(
  all: readonly T[],
  nameOf: (one: T) => string,
): readonly T[] => {
  const byName = new Map<string, T>();
  for (const one of all) {
    const name = nameOf(one);
    const known = byName.get(name);
    if (!known || known.weight < one.weight) byName.set(name, one);
  }
  return [...byName.values()];
};

type BoostedField = { readonly field: DocumentField; readonly boost: number; readonly matchType: MatchType };

/** Selects the settings of fields that documents of this kind have. */
const boostedFieldsOf = (kind: Kind, searchFields: readonly FieldBoost[]): readonly BoostedField[] => {
  const fields = createFieldLookup(kind);
  return searchFields.flatMap(({ field: name, boost = 1, matchType = 'standard' }): BoostedField[] => {
    const field = fields(name);
    return field ? [{ field, boost, matchType }] : [];
  });
};

type WeightedParts = {
  readonly slots: readonly RankedSlot[];
  readonly wholes: readonly (WholeValue & { readonly isName: boolean })[];
};

const weighFields = (
  kind: Kind,
  { searchFields = [], matchTypeBoostMultipliers = {} }: KindSettings,
): WeightedParts => {
  const { exactMatchMultiplier = 1, phraseMatchMultiplier = 1, fuzzyMatchMultiplier = 1 } = matchTypeBoostMultipliers;
  const known = new Map(slotsOf(kind).map((slot) => [slot.name, slot]));
  const slots: RankedSlot[] = [];
  const wholes: WeightedParts['wholes'][number][] = [];
  for (const { field, boost, matchType } of boostedFieldsOf(kind, searchFields)) {
    const slot = known.get(slotNameForField(field));
    // A field that is matched as a whole or exactly is not searched for words.
    if (matchType === 'exact' || !slot || (slot.onlyField !== undefined && field.class !== 'text')) {
      wholes.push({ path: field.path, weight: boost * exactMatchMultiplier, isName: isNamePath(field.path) });
    } else if (matchType === 'phrase') {
      slots.push({ ...slot, as: 'phrase', weight: boost * phraseMatchMultiplier, fuzzyWeight: 0 });
    } else {
      const fuzzyWeight = (matchType === 'fuzzy' ? 1 : FUZZY_WEIGHT) * fuzzyMatchMultiplier;
      slots.push({ ...slot, as: 'words', weight: boost, fuzzyWeight });
    }
  }
  return { slots, wholes };
};

/**
 * Builds one ranking for all kinds with the same settings; a field that a kind lacks occurs in none of its documents.
 */
const rankingFrom = (kinds: readonly Kind[], settings: KindSettings): Ranking => {
  const all = kinds.map((kind) => weighFields(kind, settings));
  const wholes = keepHeaviest(
    all.flatMap((one) => one.wholes),
    ({ path }) => path.join('.'),
  );
  return {
    slots: keepHeaviest(
      all.flatMap(({ slots }) => slots),
      ({ name, as }) => `${name} ${as}`,
    ),
    // Each field has a weight of its own, also for misspelled words.
    spellings: [],
    names: wholes.filter((one) => one.isName),
    values: wholes.filter((one) => !one.isName),
  };
};

const createSettingsRanker =
  (settings: SearchSettings): RankKinds =>
  (kinds) => {
    const groups = new Map<string, { readonly own: KindSettings | undefined; readonly kinds: Kind[] }>();
    for (const kind of kinds) {
      const own = settingsFor(settings, kind);
      const key = own?.searchFields ? JSON.stringify([own.searchFields, own.matchTypeBoostMultipliers]) : '';
      const group = groups.get(key);
      if (group) group.kinds.push(kind);
      else groups.set(key, { own: key === '' ? undefined : own, kinds: [kind] });
    }
    return [...groups.values()].map(({ own, kinds: some }) => ({
      kinds: some,
      ranking: own ? rankingFrom(some, own) : defaultRankingOf(some),
    }));
  };

const MODIFIERS: Readonly<Record<BoostModifier, (value: number) => number>> = {
  none: (value) => value,
  log: Math.log10,
  log1p: (value) => Math.log10(1 + value),
  log2p: (value) => Math.log10(2 + value),
  ln: Math.log,
  ln1p: Math.log1p,
  ln2p: (value) => Math.log(2 + value),
  square: (value) => value * value,
  sqrt: Math.sqrt,
  reciprocal: (value) => 1 / value,
};

const isWithin = ({ gt, gte, lt, lte }: BoostRange, value: number): boolean =>
  (gt === undefined || value > gt) &&
  (gte === undefined || value >= gte) &&
  (lt === undefined || value < lt) &&
  (lte === undefined || value <= lte);

/** A boost by a number is never negative and never larger than this, so that sums stay finite. */
const MAX_BOOST = 1e12;

const createValueBoost =
  ({ factor, modifier = 'none', condition }: ValueBoost) =>
  (value: number): number => {
    if (condition?.range && !isWithin(condition.range, value)) return 0;
    const added = factor * MODIFIERS[modifier](value);
    return added > 0 ? Math.min(added, MAX_BOOST) : 0;
  };

/** Finds the indexed field with separate values that a boost can use. */
const boostableFieldOf = (kind: Kind, name: string) => {
  const field = createFieldLookup(kind)(name);
  const place = field && indexedFieldOf(kind, field.path);
  return place?.hasTerms ? place : undefined;
};

const buildRelevance = (kind: Kind, all: readonly Boosts[]): Relevance => {
  const terms = new Map<string, number>();
  for (const { field, value, boost } of all.flatMap(({ termBoosts = [] }) => termBoosts)) {
    const place = boostableFieldOf(kind, field);
    const sort = place && termFormOf(place);
    if (!place || sort === 'number' || sort === undefined) continue;
    const wanted = valueTerm(place.code, sort, sort === 'exact' ? value : foldText(value));
    terms.set(wanted, (terms.get(wanted) ?? 0) + boost);
  }
  const numbers = all
    .flatMap(({ fieldValueBoosts = [] }) => fieldValueBoosts)
    .flatMap((boost) => {
      const place = boostableFieldOf(kind, boost.field);
      if (!place || termFormOf(place) !== 'number') return [];
      const of = createValueBoost(boost);
      return [
        { start: termPrefix(place.code, 'number'), of, without: boost.missing === undefined ? 0 : of(boost.missing) },
      ];
    });
  return { terms, numbers };
};

const hasBoosts = ({ termBoosts, fieldValueBoosts }: Boosts): boolean =>
  termBoosts !== undefined || fieldValueBoosts !== undefined;

/** Builds the ranking from settings. Fields that documents of a kind do not have are ignored. */
export const createCustomRanking = (settings: SearchSettings): CustomRanking => ({
  rankedBy: createSettingsRanker(settings),
  relevanceOf: (kind) => {
    const own = settingsFor(settings, kind);
    const all = [settings.globalSettings ?? {}, own ?? {}].filter(hasBoosts);
    return all.length === 0 ? undefined : buildRelevance(kind, all);
  },
});
