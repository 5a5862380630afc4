import { badRequest } from '../../errors.ts';
import type { Kind } from '../../model/kind.ts';
import { type FieldClass, fieldsOf } from '../fields.ts';
import { placeOf } from '../index/places.ts';
import { numberIn, stem, textIn } from '../index/terms.ts';
import { fold } from '../tokens.ts';

/** Where a page begins: behind what is put in order like this. */
export type Behind = {
  readonly isMissing: boolean;
  readonly key: string | number;
  readonly name: string;
  readonly id: string;
};

/** A hit, by what it is put in order. */
export type PageRow = {
  readonly id: string;
  readonly entityType: string;
  readonly key: string | number;
  readonly name: string;
};

/** By what the hits of a search are put in order, and how a page says where the next begins (search.md 3.3, 3.4). */
export type Sort = {
  readonly by: 'score' | 'property' | 'term';
  /** The property, or how the term begins. */
  readonly member: string;
  /** Whether terms that are kept as they are written are put in order without regard to their case. */
  readonly folds?: boolean;
  readonly isAscending: boolean;
  /** What breaks ties is left out where it is what is sorted by. */
  readonly ties: readonly ('name' | 'id')[];
  /** What is sorted by, as answers show it. */
  readonly show: (key: PageRow['key']) => string | number | boolean;
  readonly read: (text: string) => PageRow['key'];
};

const asItIs = { show: (key: PageRow['key']) => key, read: (text: string) => text };

const SCORE = { by: 'score', member: '', ties: ['name', 'id'], ...asItIs, read: Number } as const;

const KEPT: Readonly<Record<string, Omit<Sort, 'isAscending'>>> = {
  _score: SCORE,
  name: { by: 'property', member: 'nameSort', ties: ['id'], ...asItIs },
  displayName: { by: 'property', member: 'displayNameSort', ties: ['name', 'id'], ...asItIs },
  fullyQualifiedName: { by: 'property', member: 'fqnSort', ties: ['name', 'id'], ...asItIs },
  id: { by: 'property', member: 'id', ties: ['name'], ...asItIs },
};

/** A map, because callers choose the names that are looked up. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['_id', 'id'],
  ['owners.displayName', 'ownerDisplayName'],
  ['owners.name', 'ownerName'],
]);

type Sortable = Exclude<FieldClass, 'text' | 'object' | 'any'>;

const isSortable = (known: FieldClass): known is Sortable => known !== 'text' && known !== 'object' && known !== 'any';

const SORTS = { folded: 'folded', exact: 'exact', number: 'number', date: 'number', flag: 'folded' } as const;

/** What of a term is behind its beginning, as a value. */
const byTerm = (start: string, how: Sortable): Pick<Sort, 'show' | 'read'> => {
  const isNumber = how === 'number' || how === 'date';
  return {
    show: (key) => {
      const text = String(key).slice(start.length);
      if (isNumber) return numberIn(text);
      return how === 'flag' ? text === 'true' : textIn(text);
    },
    read: (text) => {
      if (!isNumber) return start + textIn.write(fold(text));
      const number = Number(text);
      return Number.isNaN(number) ? number : start + numberIn.write(number);
    },
  };
};

const termSort = (kinds: readonly Kind[], name: string): Omit<Sort, 'isAscending'> | undefined => {
  for (const kind of kinds) {
    const field = fieldsOf(kind)(name);
    if (!field || !isSortable(field.class)) continue;
    const place = placeOf(kind, field.path);
    if (!place.isApart) continue;
    const start = stem(place.code, place.class === 'text' ? 'folded' : SORTS[field.class]);
    const folds = start === stem(place.code, 'exact');
    return { by: 'term', member: start, folds, ties: ['name', 'id'], ...byTerm(start, field.class) };
  }
  return undefined;
};

/** Reads by what hits are to be sorted. Throws bad_request where no document has such a field. */
export const readSort = (kinds: readonly Kind[], asked: string, order: string): Sort => {
  const direction = order.toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') throw badRequest('[sort_order must be asc or desc]');
  const bare = asked.endsWith('.keyword') ? asked.slice(0, -'.keyword'.length) : asked;
  const name = OTHER_NAMES.get(bare) ?? bare;
  const kept = Object.hasOwn(KEPT, name) ? KEPT[name] : undefined;
  const sort = kept ?? termSort(kinds, name) ?? termSort(kinds, asked);
  if (!sort) throw badRequest(`[sort_field ${asked} is no field to sort by]`);
  return { ...sort, isAscending: direction === 'asc' };
};

const isMissing = (text: string): boolean => text === '' || text === 'null' || text === 'None';

/** What a hit is put in order by, as it is answered. */
export const sortValues = (sort: Sort, row: PageRow): readonly (string | number | boolean)[] => [
  row.key === '' ? '' : sort.show(row.key),
  ...sort.ties.map((tie) => row[tie]),
];

/** Where the page behind a hit begins, from what the hit was put in order by. */
export const readBehind = (sort: Sort, given: readonly string[]): Behind | null => {
  const count = 1 + sort.ties.length;
  const values = given.length === 1 && count > 1 ? (given[0] ?? '').split(',') : given;
  if (values.length === 0 || (values.length === 1 && values[0] === '')) return null;
  if (values.length !== count) throw badRequest(`[search_after must have ${count} values]`);
  const [first = '', ...rest] = values;
  const key = isMissing(first) ? '' : sort.read(first);
  if (typeof key === 'number' && Number.isNaN(key)) throw badRequest('[search_after must be what a hit was sorted by]');
  const tie = (name: 'name' | 'id', fallback: string) => rest[sort.ties.indexOf(name)] ?? fallback;
  return { isMissing: key === '', key, name: tie('name', first), id: tie('id', first) };
};
