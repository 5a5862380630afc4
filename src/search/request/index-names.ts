import { badRequest } from '../../errors.ts';
import type { Kind } from '../../model/kind/kind.ts';

/** Resolves index names to the kinds that a search covers (search.md 2). */

export type SearchedIndexes = {
  /** The kinds whose documents are searched, in the order of their declaration. */
  readonly kinds: readonly Kind[];
  /** The number of indexes, including those without documents. */
  readonly indexes: number;
};

/** An index with all its names, and the kind of its documents if that kind is stored. */
type NamedIndex = { readonly name: string; readonly names: readonly string[]; readonly kind: Kind | undefined };

/** Indexes that clients name although their record types are not stored, with their aliases. */
const EMPTY_INDEXES: Readonly<Record<string, readonly string[]>> = {
  test_case_result_search_index: ['testCaseResult', 'testCase', 'testSuite'],
  test_case_resolution_status_search_index: ['testCaseResolutionStatus'],
  metadata_service_search_index: ['metadataService'],
  spreadsheet_search_index: ['spreadsheet', 'all'],
  worksheet_search_index: ['worksheet', 'all'],
};

const indexesOf = (kinds: readonly Kind[]): readonly NamedIndex[] => {
  const stored = kinds.flatMap((kind): NamedIndex[] => {
    const { index, aliases = [] } = kind.search;
    return index === undefined ? [] : [{ name: index, names: [index, kind.entityType, ...aliases], kind }];
  });
  const known = new Set(stored.map(({ name }) => name));
  const empty = Object.entries(EMPTY_INDEXES).filter(([name]) => !known.has(name));
  return [...stored, ...empty.map(([name, aliases]) => ({ name, names: [name, ...aliases], kind: undefined }))];
};

/** Groups the indexes by name. A name may be both the entity type of one index and the parent alias of others. */
const groupByName = (indexes: readonly NamedIndex[]): ReadonlyMap<string, ReadonlySet<NamedIndex>> => {
  const named = new Map<string, Set<NamedIndex>>();
  for (const index of indexes) {
    for (const name of index.names) named.set(name, (named.get(name) ?? new Set()).add(index));
  }
  return named;
};

const createIndexResolver = (kinds: readonly Kind[]): ((text: string) => SearchedIndexes) => {
  const indexes = indexesOf(kinds);
  const named = groupByName(indexes);
  return (text) => {
    const names = new Set(text.split(',').map((name) => name.trim()));
    names.delete('');
    if (names.size === 0) throw badRequest('[index must name an index]');
    const found = new Set<NamedIndex>();
    for (const name of names) {
      const behind = named.get(name);
      if (!behind) throw badRequest(`[index ${name} is not known]`);
      for (const index of behind) found.add(index);
    }
    const searched = indexes.filter((index) => found.has(index));
    return { kinds: searched.flatMap(({ kind }) => kind ?? []), indexes: searched.length };
  };
};

const resolvers = new WeakMap<readonly Kind[], (text: string) => SearchedIndexes>();

/** Parses comma-separated names and aliases of indexes. Throws bad_request when a name is unknown or none is given. */
export const indexResolverOf = (kinds: readonly Kind[]): ((text: string) => SearchedIndexes) => {
  const known = resolvers.get(kinds) ?? createIndexResolver(kinds);
  resolvers.set(kinds, known);
  return known;
};
