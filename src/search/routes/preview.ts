import type { Call } from '../../http/route.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { PreviewRequest } from '../../model/search-settings-values.ts';
import { check, dropNulls } from '../../model/validate.ts';
import { readAsked } from '../asked/parameters.ts';
import { type SearchSettings, tasteOf } from '../asked/settings.ts';
import { find } from '../find/find.ts';
import type { SearchRoom } from '../find/room.ts';

/** POST /v1/search/preview: what a search would answer if other weights and boosts counted (search.md 3.6). */

type Request = {
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

/** What the members of the body are called in the query of a plain search. */
const PARAMETERS: Readonly<Partial<Record<keyof Request, string>>> = {
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

const parametersOf = (body: Request): URLSearchParams => {
  const parameters = new URLSearchParams({ deleted: String(body.deleted ?? false) });
  for (const [member, name] of Object.entries(PARAMETERS)) {
    const value = body[member as keyof Request];
    if (value !== undefined) parameters.set(name, String(value));
  }
  for (const name of body.includeSourceFields ?? []) parameters.append('include_source_fields', name);
  return parameters;
};

export const preview = async (room: SearchRoom, call: Call): Promise<JsonObject> => {
  const body = check(PreviewRequest, dropNulls(((await call.body.json()) ?? {}) as Json)) as unknown as Request;
  const asked = readAsked(room.engine.registry.kinds, { query: parametersOf(body) });
  return find(room, { ...asked, taste: tasteOf(body.searchSettings) }, call);
};
