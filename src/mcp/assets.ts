import { badRequest, recordNotFound } from '../errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { askWhetherMeant, suggestionQuery } from '../model/name-suggestion.ts';
import { encodeName } from './catalog-api.ts';
import type { ToolContext } from './tool.ts';

/** Finds assets by name, and renders references to them in few words. */

/** An asset that a tool is asked about. */
export type Asset = { readonly type: string; readonly fqn: string; readonly id: string; readonly path: string };

const MAX_SAME_NAMES = 10;

const pathOf = ({ paths }: ToolContext, type: string): string => {
  const path = paths.get(type);
  if (path === undefined)
    throw badRequest(`[type "${type}" is unknown, expected one of ${[...paths.keys()].join(', ')}]`);
  return path;
};

/** Refuses a type that no asset has, which would otherwise find nothing. */
export const checkType = (context: ToolContext, type: string): void => {
  pathOf(context, type);
};

/** The path below `/v1/` of an asset by its name. */
export const assetPath = (path: string, fqn: string): string => `${path}/name/${encodeName(fqn)}`;

const readById = async (context: ToolContext, type: string, fqn: string): Promise<Asset> => {
  const path = pathOf(context, type);
  const record = await context.api.readJson({ path: assetPath(path, fqn) });
  return { type, fqn: String(record['fullyQualifiedName']), id: String(record['id']), path };
};

/** What is searched unless a type is named; a search looks into tables alone unless it names others. */
const SEARCHED_INDEXES = 'all,user,team';

/** Contracts have synonyms of what they are about, and are named after it, which lists and suggestions of names need not repeat. */
export const INDEXES_WITH_CONTRACTS = `${SEARCHED_INDEXES},dataContract`;

/** A search reaches no further. */
export const MAX_OFFSET = 9950;

/** Reads the members of the hits of a search. */
export const searchSources = async (
  { api }: ToolContext,
  query: Readonly<Record<string, string | number | boolean>>,
): Promise<{ readonly sources: readonly JsonObject[]; readonly total: number }> => {
  const answer = await api.readJson({
    path: 'search/query',
    query: { index: SEARCHED_INDEXES, include_aggregations: false, track_total_hits: true, ...query },
  });
  const hits = answer['hits'] as { hits: readonly { _source: JsonObject }[]; total: { value: number } };
  return { sources: hits.hits.map(({ _source }) => _source), total: hits.total.value };
};

/** Suggests assets that are called like a name that none has, or undefined. The caller may see them. */
export const suggestAssetNames = async (
  context: ToolContext,
  name: string,
  types: readonly string[] = [],
): Promise<string | undefined> => {
  const query = suggestionQuery(name);
  if (query === undefined) return undefined;
  const { sources } = await searchSources(context, {
    ...query,
    ...(types.length === 0 ? {} : { query_filter: JSON.stringify({ query: { terms: { entityType: types } } }) }),
  });
  return askWhetherMeant(sources);
};

/** Finds the types of the assets that have a full name. Throws not_found, also when the caller sees none of them. */
const findTypes = async (context: ToolContext, fqn: string): Promise<readonly [string, ...string[]]> => {
  const { sources } = await searchSources(context, {
    q: '*',
    query_filter: JSON.stringify({ query: { term: { 'fullyQualifiedName.keyword': fqn } } }),
    size: MAX_SAME_NAMES,
    include_source_fields: 'id,fullyQualifiedName,entityType',
  });
  const named = sources.filter((source) => source['fullyQualifiedName'] === fqn);
  const [first, ...others] = new Set(named.map((source) => String(source['entityType'])));
  if (first === undefined) throw recordNotFound('asset', fqn, await suggestAssetNames(context, fqn));
  return [first, ...others];
};

/** Refuses a scope that names nothing, in which there would be nothing to report. */
export const checkScope = async (context: ToolContext, fqn: string): Promise<void> => {
  await findTypes(context, fqn);
};

/** Finds an asset by its full name, of whatever type unless one is given. Throws not_found, also for a hidden one. */
export const findAsset = async (context: ToolContext, fqn: string, type?: string): Promise<Asset> => {
  if (type !== undefined) return readById(context, type, fqn);
  const [first, ...others] = await findTypes(context, fqn);
  if (others.length === 0) return readById(context, first, fqn);
  throw badRequest(`[type must be given: ${fqn} is the name of a ${[first, ...others].join(' and of a ')}]`);
};

/** Renders a reference by type and name. An asset that the caller may not see stays without a name. */
export const shortRef = (ref: Json | undefined): Json => {
  const { id, type, fullyQualifiedName, hidden } = (ref ?? {}) as JsonObject;
  if (hidden === true) return { type: type ?? 'asset', hidden: true };
  return { type: type ?? '', fqn: fullyQualifiedName ?? id ?? '' };
};

export const refsOf = (value: Json | undefined): Json[] => ((value ?? []) as readonly Json[]).map(shortRef);

/** The names of owners, tests or other references, without their types. */
export const namesOf = (value: Json | undefined): string[] =>
  ((value ?? []) as readonly JsonObject[]).map((ref) => String(ref['fullyQualifiedName'] ?? ref['name'] ?? ''));

export const rowsOf = (value: Json | undefined): readonly JsonObject[] => (value ?? []) as readonly JsonObject[];
