import type { Kind } from '../../model/kind.ts';
import { type Field, fieldsOf } from '../fields.ts';
import { placeOf, sortOf } from '../index/places.ts';
import { NEAR, type RankedBy, type Ranking, type Sought, usualRanking, type WholeValue } from '../index/ranking.ts';
import { slotFor, slotsOf } from '../index/slots.ts';
import { stem, term } from '../index/terms.ts';
import { fold } from '../tokens.ts';

/** Weights and boosts that somebody tries out (search.md 3.6), in the form in which clients have settings of searches. */

type MatchType = 'exact' | 'phrase' | 'fuzzy' | 'standard';

type FieldBoost = { readonly field: string; readonly boost?: number; readonly matchType?: MatchType };

type TermBoost = { readonly field: string; readonly value: string; readonly boost: number };

export type Modifier = 'none' | 'log' | 'log1p' | 'log2p' | 'ln' | 'ln1p' | 'ln2p' | 'square' | 'sqrt' | 'reciprocal';

type NumberRange = { readonly gt?: number; readonly gte?: number; readonly lt?: number; readonly lte?: number };

type ValueBoost = {
  readonly field: string;
  readonly factor: number;
  readonly modifier?: Modifier;
  readonly missing?: number;
  readonly condition?: { readonly range?: NumberRange };
};

type Boosts = { readonly termBoosts?: readonly TermBoost[]; readonly fieldValueBoosts?: readonly ValueBoost[] };

type Multipliers = {
  readonly exactMatchMultiplier?: number;
  readonly phraseMatchMultiplier?: number;
  readonly fuzzyMatchMultiplier?: number;
};

type ForKind = Boosts & {
  readonly assetType: string;
  readonly searchFields?: readonly FieldBoost[];
  readonly matchTypeBoostMultipliers?: Multipliers;
};

/** Those parts of the settings of searches that say what comes first. */
export type SearchSettings = {
  readonly globalSettings?: Boosts;
  readonly assetTypeConfigurations?: readonly ForKind[];
  readonly defaultConfiguration?: ForKind;
};

/** What a record is worth whatever is looked for, by the terms of its document. */
export type Worth = {
  /** What a term adds. */
  readonly terms: ReadonlyMap<string, number>;
  /** What numbers add: how their terms begin, what the number behind adds, and what it does that there is none. */
  readonly numbers: readonly {
    readonly start: string;
    readonly of: (value: number) => number;
    readonly without: number;
  }[];
};

/** How hits are put in order by settings; what those say nothing of is done as usual. */
export type Taste = { readonly rankedBy: RankedBy; readonly worthOf: (kind: Kind) => Worth | undefined };

const settingsFor = ({ assetTypeConfigurations = [], defaultConfiguration }: SearchSettings, kind: Kind) =>
  assetTypeConfigurations.find(({ assetType }) => assetType === kind.entityType) ?? defaultConfiguration;

const isName = ({ path }: Field): boolean => path.length === 1 && (path[0] === 'name' || path[0] === 'displayName');

/** The heaviest of those that are the same but for their weight. */
const heaviest = <T extends { readonly weight: number }>(
  all: readonly T[],
  nameOf: (one: T) => string,
): readonly T[] => {
  const kept = new Map<string, T>();
  for (const one of all) {
    const name = nameOf(one);
    const known = kept.get(name);
    if (!known || known.weight < one.weight) kept.set(name, one);
  }
  return [...kept.values()];
};

type Written = { readonly field: Field; readonly boost: number; readonly matchType: MatchType };

/** What of the settings for a kind its documents have. */
const writtenFor = (kind: Kind, searchFields: readonly FieldBoost[]): readonly Written[] => {
  const fields = fieldsOf(kind);
  return searchFields.flatMap(({ field: name, boost = 1, matchType = 'standard' }): Written[] => {
    const field = fields(name);
    return field ? [{ field, boost, matchType }] : [];
  });
};

type Weighed = {
  readonly slots: readonly Sought[];
  readonly wholes: readonly (WholeValue & { readonly isName: boolean })[];
};

const weighed = (kind: Kind, { searchFields = [], matchTypeBoostMultipliers = {} }: ForKind): Weighed => {
  const { exactMatchMultiplier = 1, phraseMatchMultiplier = 1, fuzzyMatchMultiplier = 1 } = matchTypeBoostMultipliers;
  const known = new Map(slotsOf(kind).map((slot) => [slot.name, slot]));
  const slots: Sought[] = [];
  const wholes: Weighed['wholes'][number][] = [];
  for (const { field, boost, matchType } of writtenFor(kind, searchFields)) {
    const slot = known.get(slotFor(field));
    // A text that is named by its whole value, or is to be compared exactly, is no place to look for words in.
    if (matchType === 'exact' || !slot || (slot.only !== undefined && field.class !== 'text')) {
      wholes.push({ path: field.path, weight: boost * exactMatchMultiplier, isName: isName(field) });
    } else if (matchType === 'phrase') {
      slots.push({ ...slot, as: 'phrase', weight: boost * phraseMatchMultiplier, near: 0 });
    } else {
      const near = (matchType === 'fuzzy' ? 1 : NEAR) * fuzzyMatchMultiplier;
      slots.push({ ...slot, as: 'words', weight: boost, near });
    }
  }
  return { slots, wholes };
};

/** One ranking for all kinds that are ranked by the same settings: what a kind does not have, none of its documents holds. */
const rankingFrom = (kinds: readonly Kind[], settings: ForKind): Ranking => {
  const all = kinds.map((kind) => weighed(kind, settings));
  const wholes = heaviest(
    all.flatMap((one) => one.wholes),
    ({ path }) => path.join('.'),
  );
  return {
    slots: heaviest(
      all.flatMap(({ slots }) => slots),
      ({ name, as }) => `${name} ${as}`,
    ),
    names: wholes.filter((one) => one.isName),
    values: wholes.filter((one) => !one.isName),
  };
};

const rankedBySettings =
  (settings: SearchSettings): RankedBy =>
  (kinds) => {
    const groups = new Map<string, { readonly own: ForKind | undefined; readonly kinds: Kind[] }>();
    for (const kind of kinds) {
      const own = settingsFor(settings, kind);
      const key = own?.searchFields ? JSON.stringify([own.searchFields, own.matchTypeBoostMultipliers]) : '';
      const group = groups.get(key);
      if (group) group.kinds.push(kind);
      else groups.set(key, { own: key === '' ? undefined : own, kinds: [kind] });
    }
    return [...groups.values()].map(({ own, kinds: some }) => ({
      kinds: some,
      ranking: own ? rankingFrom(some, own) : usualRanking(some),
    }));
  };

const MODIFIERS: Readonly<Record<Modifier, (value: number) => number>> = {
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

const isWithin = ({ gt, gte, lt, lte }: NumberRange, value: number): boolean =>
  (gt === undefined || value > gt) &&
  (gte === undefined || value >= gte) &&
  (lt === undefined || value < lt) &&
  (lte === undefined || value <= lte);

/** No number takes anything away, or adds more than can be added. */
const MOST_ADDED = 1e12;

const adding =
  ({ factor, modifier = 'none', condition }: ValueBoost) =>
  (value: number): number => {
    if (condition?.range && !isWithin(condition.range, value)) return 0;
    const added = factor * MODIFIERS[modifier](value);
    return added > 0 ? Math.min(added, MOST_ADDED) : 0;
  };

/** The place of a field whose values the index tells apart. */
const placeNamed = (kind: Kind, name: string) => {
  const field = fieldsOf(kind)(name);
  const place = field && placeOf(kind, field.path);
  return place?.isApart ? place : undefined;
};

const worthFrom = (kind: Kind, all: readonly Boosts[]): Worth => {
  const terms = new Map<string, number>();
  for (const { field, value, boost } of all.flatMap(({ termBoosts = [] }) => termBoosts)) {
    const place = placeNamed(kind, field);
    const sort = place && sortOf(place);
    if (!place || sort === 'number' || sort === undefined) continue;
    const wanted = term(place.code, sort, sort === 'exact' ? value : fold(value));
    terms.set(wanted, (terms.get(wanted) ?? 0) + boost);
  }
  const numbers = all
    .flatMap(({ fieldValueBoosts = [] }) => fieldValueBoosts)
    .flatMap((boost) => {
      const place = placeNamed(kind, boost.field);
      if (!place || sortOf(place) !== 'number') return [];
      const of = adding(boost);
      return [{ start: stem(place.code, 'number'), of, without: boost.missing === undefined ? 0 : of(boost.missing) }];
    });
  return { terms, numbers };
};

const hasBoosts = ({ termBoosts, fieldValueBoosts }: Boosts): boolean =>
  termBoosts !== undefined || fieldValueBoosts !== undefined;

/** What settings make of the order of hits. Fields that documents of a kind do not have count for nothing. */
export const tasteOf = (settings: SearchSettings): Taste => ({
  rankedBy: rankedBySettings(settings),
  worthOf: (kind) => {
    const own = settingsFor(settings, kind);
    const all = [settings.globalSettings ?? {}, own ?? {}].filter(hasBoosts);
    return all.length === 0 ? undefined : worthFrom(kind, all);
  },
});
