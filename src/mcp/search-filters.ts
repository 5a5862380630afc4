import { recordNotFound } from '../errors.ts';
import { searchSources, suggestAssetNames } from './assets.ts';
import type { ToolContext } from './tool.ts';

/** Explains a search without hits: whether it filters by a person, tag, domain, service or column that there is not. */

type Filter = {
  readonly field: RegExp;
  /** What a value of the field names. */
  readonly what: string;
  /** Whether a type is one of those that a value may name. Columns are no records. */
  readonly isOf?: (type: string) => boolean;
};

const isOneOf =
  (...types: readonly string[]) =>
  (type: string): boolean =>
    types.includes(type);

const FILTERS: readonly Filter[] = [
  { field: /^owners\./, what: 'user or team', isOf: isOneOf('user', 'team') },
  { field: /(?:^|\.)tagFQN$/, what: 'tag or glossary term', isOf: isOneOf('tag', 'glossaryTerm') },
  { field: /^(?:domain|domains)\./, what: 'domain', isOf: isOneOf('domain') },
  { field: /^service\./, what: 'service', isOf: (type) => type.endsWith('Service') },
  { field: /^columns\.name$/, what: 'column' },
];

/** A field with a plain word or phrase. Patterns, ranges and similar words name nothing in particular. */
const TERM = /(?<![\w.])([a-zA-Z][\w.]*):(?:"([^"\\]+)"|([^\s()"*?~^[\]{}<>/\\]+)(?=[\s)]|$))/g;

/** The names that an asset is looked for by. */
const NAMES = ['name', 'displayName', 'fullyQualifiedName'] as const;

/** So many filters are looked at: each costs a search. */
const MAX_FILTERS = 5;

const isKnown = async (context: ToolContext, value: string, types: readonly string[] | undefined): Promise<boolean> => {
  const fields = types === undefined ? ['columns.name'] : NAMES;
  const { total } = await searchSources(context, {
    q: fields.map((field) => `${field}:"${value}"`).join(' OR '),
    size: 0,
    ...(types === undefined ? {} : { query_filter: JSON.stringify({ query: { terms: { entityType: types } } }) }),
  });
  return total > 0;
};

/** Throws not_found for the first filter whose value names nothing that the caller sees. */
export const refuseUnknownFilters = async (context: ToolContext, query: string): Promise<void> => {
  const terms = [...query.matchAll(TERM)].flatMap(([, field = '', phrase, word]) => {
    const filter = FILTERS.find((one) => one.field.test(field));
    return filter === undefined ? [] : [{ ...filter, value: phrase ?? word ?? '' }];
  });
  for (const { what, isOf, value } of terms.slice(0, MAX_FILTERS)) {
    const types = isOf && [...context.paths.keys()].filter(isOf);
    if (await isKnown(context, value, types)) continue;
    throw recordNotFound(what, value, types && (await suggestAssetNames(context, value, types)));
  }
};
