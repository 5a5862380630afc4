import type { Call } from '../../http/route.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { PreviewRequest } from '../../model/schemas/search/search-settings.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { runSearch } from '../find/run-search.ts';
import type { SearchContext } from '../find/search-context.ts';
import { createCustomRanking, type SearchSettings } from '../request/custom-ranking.ts';
import { readSearchRequest } from '../request/search-request.ts';

/** POST /v1/search/preview: answers a search with other weights and boosts (search.md 3.6). */

type PreviewBody = {
  readonly query: string;
  readonly index: string;
  readonly searchSettings: SearchSettings;
  readonly from?: number;
  readonly size?: number;
  readonly sortField?: string;
  readonly sortOrder?: string;
  readonly trackTotalHits?: boolean;
  readonly queryFilter?: string;
  readonly postFilter?: string;
  readonly deleted?: boolean;
  readonly fetchSource?: boolean;
  readonly includeSourceFields?: readonly string[];
  readonly explain?: boolean;
};

/** The query parameters of a plain search for the members of the body. */
const PARAMETER_NAMES: Readonly<Partial<Record<keyof PreviewBody, string>>> = {
  query: 'q',
  index: 'index',
  from: 'from',
  size: 'size',
  sortField: 'sort_field',
  sortOrder: 'sort_order',
  trackTotalHits: 'track_total_hits',
  queryFilter: 'query_filter',
  postFilter: 'post_filter',
  fetchSource: 'fetch_source',
  explain: 'explain',
};

const parametersOf = (body: PreviewBody): URLSearchParams => {
  const parameters = new URLSearchParams({ deleted: String(body.deleted ?? false) });
  for (const [member, name] of Object.entries(PARAMETER_NAMES)) {
    const value = body[member as keyof PreviewBody];
    if (value !== undefined) parameters.set(name, String(value));
  }
  for (const name of body.includeSourceFields ?? []) parameters.append('include_source_fields', name);
  return parameters;
};

export const previewSearch = async (context: SearchContext, call: Call): Promise<JsonObject> => {
  const body = validate(PreviewRequest, dropNulls(((await call.body.json()) ?? {}) as Json)) as unknown as PreviewBody;
  const request = readSearchRequest(
    context.engine.registry.kinds,
    { query: parametersOf(body) },
    { onHint: context.onHint },
  );
  return runSearch(context, { ...request, customRanking: createCustomRanking(body.searchSettings) }, call);
};
