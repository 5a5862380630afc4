import { facetNames } from '../../search-documents/index/facets.ts';
import { termPrefix } from '../../search-documents/index/terms.ts';
import type { HitRow } from '../request/hit-sort.ts';
import type { ServerHit, ServerResult } from './client.ts';
import { facetFieldName, PAYLOAD_FIELD, UNCOUNTED_FIELD } from './collection-schema.ts';
import type { HitPayload } from './import-line.ts';
import { type HitOrder, isTypedOrder, MAX_FACET_VALUES, type SearchPlan } from './plan-searches.ts';
import { decodeFacetValue, sortableText } from './value-encoding.ts';

/** Converts answers of the server to the form of Neo4j's answers. */

/** The counts of values, by facet name. */
export type FacetCountsByName = ReadonlyMap<string, ReadonlyMap<string, number>>;

export type EngineAnswer = {
  readonly rows: readonly HitRow[];
  readonly total: number;
  readonly counts: FacetCountsByName;
};

/** A hit with all its sort values. */
export type RankedHit = HitRow & {
  readonly score: bigint;
  readonly popularity: number;
  /** The position of this hit among those of other collections. */
  readonly sortKey: string;
  readonly tieKey: string;
};

const SCORE_SCALE = 2 ** 53;
/** The weight of popularity in the score. */
const POPULARITY_WEIGHT = 0.3;

const sortKeyOf = (order: HitOrder, payload: HitPayload, id: string, score: bigint): HitRow['key'] => {
  switch (order.by) {
    case 'nothing':
      return 1;
    case 'words':
      return Number(score) / SCORE_SCALE;
    case 'popularity':
      return 1 + POPULARITY_WEIGHT * Math.log(1 + payload.popularity);
    case 'property':
      return (
        { nameSort: payload.name, displayNameSort: payload.displayName, fqnSort: payload.fqn, id }[order.member] ?? ''
      );
    case 'number': {
      const hex = payload.numbers[order.code];
      return hex === undefined ? '' : termPrefix(order.code, 'number') + hex;
    }
  }
};

export const createHitReader =
  (order: HitOrder) =>
  ({ document, text_match_info: match }: ServerHit): RankedHit => {
    const id = String(document['id']);
    const payload = JSON.parse(String(document[PAYLOAD_FIELD])) as HitPayload;
    const { entityType, name, popularity } = payload;
    const score = BigInt(match?.score ?? 0);
    const key = sortKeyOf(order, payload, id, score);
    return {
      id,
      entityType,
      key,
      name,
      score,
      popularity,
      sortKey: typeof key === 'string' ? sortableText(key) : '',
      tieKey: sortableText(`${name}\0${id}`),
    };
  };

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const compareNumbers = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Compares hits in the order of the server, to merge several collections. */
export const createHitComparator =
  (order: HitOrder) =>
  (a: RankedHit, b: RankedHit): number => {
    const tie = compareTexts(a.tieKey, b.tieKey);
    switch (order.by) {
      case 'nothing':
        return tie;
      case 'words':
        return compareNumbers(b.score, a.score) || compareNumbers(b.popularity, a.popularity) || tie;
      case 'popularity':
        return compareNumbers(b.popularity, a.popularity) || tie;
      default: {
        if ((a.sortKey === '') !== (b.sortKey === '')) return a.sortKey === '' ? 1 : -1;
        return (order.isAscending ? compareTexts(a.sortKey, b.sortKey) : compareTexts(b.sortKey, a.sortKey)) || tie;
      }
    }
  };

const addCounts = (
  counts: Map<string, Map<string, number>>,
  names: readonly string[],
  found: ServerResult,
): boolean => {
  for (const { field_name: field, counts: values } of found.facet_counts) {
    if (field === UNCOUNTED_FIELD) {
      if (values.some(({ value, count }) => value === 'true' && count > 0)) return false;
      continue;
    }
    // At this limit the server may have left values out.
    if (values.length >= MAX_FACET_VALUES) return false;
    for (const name of names) {
      if (facetFieldName(name) !== field) continue;
      const known = counts.get(name) ?? new Map<string, number>();
      counts.set(name, known);
      for (const { value, count } of values) {
        const text = decodeFacetValue(value);
        known.set(text, (known.get(text) ?? 0) + count);
      }
    }
  }
  return true;
};

/** Builds the answer; returns undefined when the server turns out not to have answered the request exactly. */
export const buildEngineAnswer = (
  plan: SearchPlan,
  size: number,
  found: readonly ServerResult[],
): EngineAnswer | undefined => {
  const counts = new Map<string, Map<string, number>>();
  const rows: RankedHit[] = [];
  let total = 0;
  for (const { kind, pages, skip, check, facets } of plan.kinds) {
    const hits = pages.flatMap((at) => found[at] ?? []);
    const [first] = hits;
    if (hits.length < pages.length) return undefined;
    // A server that counts the same hits differently has missed some.
    if (hits.some((one) => one.found !== first?.found)) return undefined;
    if (check && found[check[0]]?.found !== found[check[1]]?.found) return undefined;
    total += first?.found ?? 0;
    rows.push(...hits.flatMap((one) => one.hits.map(createHitReader(plan.order))).slice(skip));
    const counted = facets === undefined ? undefined : found[facets];
    if (facets !== undefined && (!counted || !addCounts(counts, facetNames([kind]), counted))) return undefined;
  }
  // Without a hit for all typed words, Neo4j searches for any of them.
  if (total === 0 && isTypedOrder(plan.order)) return undefined;
  const ordered = plan.kinds.length > 1 ? rows.sort(createHitComparator(plan.order)) : rows;
  const page = ordered.slice(plan.skip, plan.skip + size);
  return { rows: page.map(({ id, entityType, key, name }) => ({ id, entityType, key, name })), total, counts };
};
