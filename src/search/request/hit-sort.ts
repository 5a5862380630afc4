import { badRequest } from '../../errors.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createFieldLookup, type FieldClass } from '../../search-documents/fields.ts';
import { indexedFieldOf } from '../../search-documents/index/indexed-field.ts';
import { termNumber, termPrefix, termText } from '../../search-documents/index/terms.ts';
import { foldText } from '../../search-documents/tokens.ts';

/** The sort values after which a page begins. */
export type SearchAfter = {
  readonly isMissing: boolean;
  readonly key: string | number;
  readonly name: string;
  readonly id: string;
};

/** A hit with its sort values. */
export type HitRow = {
  readonly id: string;
  readonly entityType: string;
  readonly key: string | number;
  readonly name: string;
};

/** The sort order of a search, and how a page encodes where the next one begins (search.md 3.3, 3.4). */
export type HitSort = {
  readonly by: 'score' | 'property' | 'term';
  /** The property, or the prefix of the term. */
  readonly member: string;
  /** Whether terms that keep their case are sorted regardless of case. */
  readonly folds?: boolean;
  readonly isAscending: boolean;
  /** The tie-breakers, without the one that the sort field already is. */
  readonly tieBreakers: readonly ('name' | 'id')[];
  /** Formats a sort key for answers. */
  readonly show: (key: HitRow['key']) => string | number | boolean;
  readonly read: (text: string) => HitRow['key'];
};

const UNCHANGED = { show: (key: HitRow['key']) => key, read: (text: string) => text };

const SCORE_SORT = { by: 'score', member: '', tieBreakers: ['name', 'id'], ...UNCHANGED, read: Number } as const;

const PROPERTY_SORTS: Readonly<Record<string, Omit<HitSort, 'isAscending'>>> = {
  _score: SCORE_SORT,
  name: { by: 'property', member: 'nameSort', tieBreakers: ['id'], ...UNCHANGED },
  displayName: { by: 'property', member: 'displayNameSort', tieBreakers: ['name', 'id'], ...UNCHANGED },
  fullyQualifiedName: { by: 'property', member: 'fqnSort', tieBreakers: ['name', 'id'], ...UNCHANGED },
  id: { by: 'property', member: 'id', tieBreakers: ['name'], ...UNCHANGED },
};

/** A Map rather than an object, because callers choose the names that are looked up. */
const SORT_ALIASES: ReadonlyMap<string, string> = new Map([
  ['_id', 'id'],
  ['owners.displayName', 'ownerDisplayName'],
  ['owners.name', 'ownerName'],
]);

type Sortable = Exclude<FieldClass, 'text' | 'object' | 'any'>;

const isSortable = (known: FieldClass): known is Sortable => known !== 'text' && known !== 'object' && known !== 'any';

const TERM_FORMS = { folded: 'folded', exact: 'exact', number: 'number', date: 'number', flag: 'folded' } as const;

/** Formats and parses the value of a term after its prefix. */
const termCodec = (start: string, how: Sortable): Pick<HitSort, 'show' | 'read'> => {
  const isNumber = how === 'number' || how === 'date';
  return {
    show: (key) => {
      const text = String(key).slice(start.length);
      if (isNumber) return termNumber(text);
      return how === 'flag' ? text === 'true' : termText(text);
    },
    read: (text) => {
      if (!isNumber) return start + termText.write(foldText(text));
      const number = Number(text);
      return Number.isNaN(number) ? number : start + termNumber.write(number);
    },
  };
};

const termSort = (kinds: readonly Kind[], name: string): Omit<HitSort, 'isAscending'> | undefined => {
  for (const kind of kinds) {
    const field = createFieldLookup(kind)(name);
    if (!field || !isSortable(field.class)) continue;
    const place = indexedFieldOf(kind, field.path);
    if (!place.hasTerms) continue;
    const start = termPrefix(place.code, place.class === 'text' ? 'folded' : TERM_FORMS[field.class]);
    const folds = start === termPrefix(place.code, 'exact');
    return { by: 'term', member: start, folds, tieBreakers: ['name', 'id'], ...termCodec(start, field.class) };
  }
  return undefined;
};

/** Reads the sort order. Throws bad_request when no document has such a field. */
export const readHitSort = (kinds: readonly Kind[], sortField: string, order: string): HitSort => {
  const direction = order.toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') throw badRequest('[sort_order must be asc or desc]');
  const bare = sortField.endsWith('.keyword') ? sortField.slice(0, -'.keyword'.length) : sortField;
  const name = SORT_ALIASES.get(bare) ?? bare;
  const propertySort = Object.hasOwn(PROPERTY_SORTS, name) ? PROPERTY_SORTS[name] : undefined;
  const sort = propertySort ?? termSort(kinds, name) ?? termSort(kinds, sortField);
  if (!sort) throw badRequest(`[sort_field ${sortField} is not a sortable field]`);
  return { ...sort, isAscending: direction === 'asc' };
};

const isMissing = (text: string): boolean => text === '' || text === 'null' || text === 'None';

/** The sort values of a hit, as answers show them. */
export const sortValues = (sort: HitSort, row: HitRow): readonly (string | number | boolean)[] => [
  row.key === '' ? '' : sort.show(row.key),
  ...sort.tieBreakers.map((tie) => row[tie]),
];

/** Reads where a page begins from the sort values of the hit before it. */
export const readSearchAfter = (sort: HitSort, given: readonly string[]): SearchAfter | null => {
  const count = 1 + sort.tieBreakers.length;
  const values = given.length === 1 && count > 1 ? (given[0] ?? '').split(',') : given;
  if (values.length === 0 || (values.length === 1 && values[0] === '')) return null;
  if (values.length !== count) throw badRequest(`[search_after must have ${count} values]`);
  const [first = '', ...rest] = values;
  const key = isMissing(first) ? '' : sort.read(first);
  if (typeof key === 'number' && Number.isNaN(key)) throw badRequest('[search_after must be the sort values of a hit]');
  const tieBreaker = (name: 'name' | 'id', fallback: string) => rest[sort.tieBreakers.indexOf(name)] ?? fallback;
  return { isMissing: key === '', key, name: tieBreaker('name', first), id: tieBreaker('id', first) };
};
