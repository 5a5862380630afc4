import type { PageRow } from '../asked/sort.ts';
import { facetNames } from '../index/facets.ts';
import { stem } from '../index/terms.ts';
import { isTyped, MOST_VALUES, type Order, type Plan } from './ask.ts';
import type { Found, Hit } from './client.ts';
import { countedValue, sortableText } from './companions.ts';
import type { Payload } from './row.ts';
import { facetField, PAYLOAD, UNCOUNTED } from './schema.ts';

/** What servers answered, in the words in which the graph answers. */

/** How often documents have which values, under the names by which they are counted. */
export type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

export type EngineAnswer = {
  readonly rows: readonly PageRow[];
  readonly total: number;
  readonly counts: Counts;
};

/** A hit, and all by which it is put in order. */
export type Row = PageRow & {
  readonly score: bigint;
  readonly popularity: number;
  /** By what this hit stands among those of other collections. */
  readonly place: string;
  readonly tie: string;
};

const SCALE = 2 ** 53;
/** How much it counts that much is made of a record. */
const POPULAR = 0.3;

const keyOf = (order: Order, payload: Payload, id: string, score: bigint): PageRow['key'] => {
  switch (order.by) {
    case 'nothing':
      return 1;
    case 'words':
      return Number(score) / SCALE;
    case 'popularity':
      return 1 + POPULAR * Math.log(1 + payload.popularity);
    case 'property':
      return (
        { nameSort: payload.name, displayNameSort: payload.displayName, fqnSort: payload.fqn, id }[order.member] ?? ''
      );
    case 'number': {
      const hex = payload.numbers[order.code];
      return hex === undefined ? '' : stem(order.code, 'number') + hex;
    }
  }
};

export const rowOf =
  (order: Order) =>
  ({ document, text_match_info: match }: Hit): Row => {
    const id = String(document['id']);
    const payload = JSON.parse(String(document[PAYLOAD])) as Payload;
    const { entityType, name, popularity } = payload;
    const score = BigInt(match?.score ?? 0);
    const key = keyOf(order, payload, id, score);
    return {
      id,
      entityType,
      key,
      name,
      score,
      popularity,
      place: typeof key === 'string' ? sortableText(key) : '',
      tie: sortableText(`${name}\0${id}`),
    };
  };

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byNumber = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order in which the server has put hits, for those of several collections. */
export const comparing =
  (order: Order) =>
  (a: Row, b: Row): number => {
    const tie = byText(a.tie, b.tie);
    switch (order.by) {
      case 'nothing':
        return tie;
      case 'words':
        return byNumber(b.score, a.score) || byNumber(b.popularity, a.popularity) || tie;
      case 'popularity':
        return byNumber(b.popularity, a.popularity) || tie;
      default: {
        if ((a.place === '') !== (b.place === '')) return a.place === '' ? 1 : -1;
        return (order.isAscending ? byText(a.place, b.place) : byText(b.place, a.place)) || tie;
      }
    }
  };

const addCounts = (counts: Map<string, Map<string, number>>, names: readonly string[], found: Found): boolean => {
  for (const { field_name: field, counts: values } of found.facet_counts) {
    if (field === UNCOUNTED) {
      if (values.some(({ value, count }) => value === 'true' && count > 0)) return false;
      continue;
    }
    // Whether there are more is not known then.
    if (values.length >= MOST_VALUES) return false;
    for (const name of names) {
      if (facetField(name) !== field) continue;
      const known = counts.get(name) ?? new Map<string, number>();
      counts.set(name, known);
      for (const { value, count } of values) {
        const text = countedValue(value);
        known.set(text, (known.get(text) ?? 0) + count);
      }
    }
  }
  return true;
};

/** Makes the answer of what was found; undefined where it turns out that the server has not answered what was asked. */
export const answerOf = (plan: Plan, size: number, found: readonly Found[]): EngineAnswer | undefined => {
  const counts = new Map<string, Map<string, number>>();
  const rows: Row[] = [];
  let total = 0;
  for (const { kind, pages, before, check, facets } of plan.kinds) {
    const hits = pages.flatMap((at) => found[at] ?? []);
    const [first] = hits;
    if (hits.length < pages.length) return undefined;
    // Words are found by equality as well: where a server finds fewer by its own means, it has missed some.
    if (hits.some((one) => one.found !== first?.found)) return undefined;
    if (check !== undefined && found[check]?.found !== first?.found) return undefined;
    total += first?.found ?? 0;
    rows.push(...hits.flatMap((one) => one.hits.map(rowOf(plan.order))).slice(before));
    const counted = facets === undefined ? undefined : found[facets];
    if (facets !== undefined && (!counted || !addCounts(counts, facetNames([kind]), counted))) return undefined;
  }
  // Where nothing has all the words that somebody typed, the graph looks for any of them.
  if (total === 0 && isTyped(plan.order)) return undefined;
  const ordered = plan.kinds.length > 1 ? rows.sort(comparing(plan.order)) : rows;
  const page = ordered.slice(plan.before, plan.before + size);
  return { rows: page.map(({ id, entityType, key, name }) => ({ id, entityType, key, name })), total, counts };
};
