import { type Chosen, FACET_NAMES, type FacetField } from '../api/facets.ts';
import { SORTS, type SortName } from '../api/sorts.ts';

/** What a search page shows. All of it stands in the address, so that every search can be shared and saved. */
export type SearchChoice = { readonly text: string; readonly chosen: Chosen; readonly sort: SortName };

/** More values than this make the address too long for some proxies. */
const MOST_VALUES = 50;

const isSort = (text: string | null): text is SortName => text !== null && Object.hasOwn(SORTS, text);

export const readSearchChoice = (params: URLSearchParams): SearchChoice => {
  const sort = params.get('sort');
  const chosen = FACET_NAMES.flatMap((name) => {
    const values = [...new Set(params.getAll(name).filter(Boolean))].slice(0, MOST_VALUES);
    return values.length === 0 ? [] : [[name, values] as const];
  });
  return { text: params.get('q') ?? '', chosen: Object.fromEntries(chosen), sort: isSort(sort) ? sort : 'relevance' };
};

export const writeSearchChoice = ({ text, chosen, sort }: SearchChoice): URLSearchParams => {
  const params = new URLSearchParams();
  if (text.trim() !== '') params.set('q', text);
  for (const name of FACET_NAMES) for (const value of chosen[name] ?? []) params.append(name, value);
  if (sort !== 'relevance') params.set('sort', sort);
  return params;
};

export const toggleValue = (choice: SearchChoice, name: FacetField, value: string): SearchChoice => {
  const values = choice.chosen[name] ?? [];
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return { ...choice, chosen: { ...choice.chosen, [name]: next } };
};

/** The chosen values in the order of the facets. */
export const listChosen = (chosen: Chosen): readonly { readonly name: FacetField; readonly value: string }[] =>
  FACET_NAMES.flatMap((name) => (chosen[name] ?? []).map((value) => ({ name, value })));

const OPERATORS = /[*?()"[\]{}+~^\\!:|&/]|(?<=^|\s)-|\b(?:AND|OR|NOT)\b/g;

/** The words of a query without what the grammar of queries gives a meaning to. */
export const plainWords = (text: string): string => text.replace(OPERATORS, ' ').replace(/\s+/g, ' ').trim();
