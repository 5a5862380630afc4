import { readDocuments } from '../../catalog/read/documents.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { createRedactor } from '../../catalog/read/redaction.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import type { Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createFieldLookup } from '../../search-documents/fields.ts';
import { MATCH_ALL, type SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { parseWildcard } from '../../search-documents/filter/wildcard.ts';
import { runSearch } from '../find/run-search.ts';
import { type SearchContext, upstreamTargetOf } from '../find/search-context.ts';
import { indexResolverOf } from '../request/index-names.ts';
import { type RequestDefaults, readSearchRequest } from '../request/search-request.ts';

/** Variants of the plain search with other parameters (search.md 3.6). */

const requiredParameter = (query: URLSearchParams, name: string): string => {
  const text = query.get(name);
  if (!text) throw badRequest(`[${name} must not be empty]`);
  return text;
};

/** Selects the form of a text field that is compared as a whole. */
const wholeValueField = (kinds: readonly Kind[], name: string): string =>
  kinds.some((kind) => createFieldLookup(kind)(name)?.class === 'text') ? `${name}.keyword` : name;

/** GET /v1/search/fieldQuery: documents with a value of this pattern in a field. */
export const searchByField = (context: SearchContext, call: Call): Promise<JsonObject> => {
  const { kinds } = context.engine.registry;
  const parseQuery: RequestDefaults['parseQuery'] = (query) => ({
    is: 'wildcard',
    field: wholeValueField(kinds, requiredParameter(query, 'fieldName')),
    pattern: parseWildcard(requiredParameter(query, 'fieldValue')),
    // Lower-cased fields match in any case anyway.
    anyCase: false,
  });
  return runSearch(context, readSearchRequest(kinds, call, { parseQuery }), call);
};

/** GET /v1/search/sourceUrl: documents with this source URL. */
export const searchBySourceUrl = (context: SearchContext, call: Call): Promise<JsonObject> => {
  const parseQuery: RequestDefaults['parseQuery'] = (query) => ({
    is: 'term',
    field: 'sourceUrl',
    values: [requiredParameter(query, 'sourceUrl')],
    anyCase: false,
  });
  return runSearch(context, readSearchRequest(context.engine.registry.kinds, call, { index: 'all', parseQuery }), call);
};

const MAX_TYPED_LENGTH = 4096;

const freeTextFilter = (text: string): SearchFilter => {
  if (text.length > MAX_TYPED_LENGTH) throw badRequest(`[q must be at most ${MAX_TYPED_LENGTH} characters long]`);
  return text === '' || text === '*' ? MATCH_ALL : { is: 'simple', text };
};

/** GET /v1/search/nlq/query: searches for the whole text, without query syntax. */
export const searchByText = (context: SearchContext, call: Call): Promise<JsonObject> => {
  const parseQuery: RequestDefaults['parseQuery'] = (query) => freeTextFilter((query.get('q') ?? '').trim());
  return runSearch(context, readSearchRequest(context.engine.registry.kinds, call, { parseQuery }), call);
};

type TermsAggregations = { readonly [name: string]: { readonly buckets: JsonObject[] } };

/** GET /v1/search/entityTypeCounts: the number of documents of each type. */
export const countEntityTypes = async (context: SearchContext, call: Call): Promise<JsonObject> => {
  const request = readSearchRequest(context.engine.registry.kinds, call, {
    index: 'all',
    size: 0,
    onHint: context.onHint,
  });
  // Counts must be current, so this bypasses the cache.
  const answer = await runSearch(context, { ...request, tracksTotal: true, aggregates: true, isMatchAll: false }, call);
  const types = (answer['aggregations'] as TermsAggregations | undefined)?.['sterms#entityType'];
  return { ...answer, aggregations: { entityType: { buckets: types?.buckets ?? [] } } };
};

/** GET /v1/search/get/{index}/doc/{id}: one document, for callers who may see its record. */
export const readSearchDocument = async ({ engine, upstreamOf }: SearchContext, call: Call): Promise<JsonObject> => {
  const { index = '', id = '' } = call.params;
  const { kinds } = indexResolverOf(engine.registry.kinds)(index);
  const redact = createRedactor(engine, call.principal);
  const documents = await readDocuments(engine, [id.toLowerCase()], {
    hrefBase: call.hrefBase,
    countWork: call.countWork,
    redact,
  });
  const document = documents.get(id.toLowerCase());
  const kind = document && kinds.find(({ entityType }) => entityType === document['entityType']);
  if (!document || !kind?.search.index) throw recordNotFound(index, id);
  await authorizeRecord(engine, call.principal, VIEW_OPERATIONS, { kind, id: id.toLowerCase() });
  const target = upstreamTargetOf(document);
  const upstreamLineage = (await upstreamOf(call, [target.id]))([target]).get(target.id) ?? [];
  return { _index: kind.search.index, _id: target.id, found: true, _source: { ...document, upstreamLineage } };
};
