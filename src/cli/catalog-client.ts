import { StartupError } from '../errors.ts';
import { askWhetherMeant, suggestionQuery } from '../model/name-suggestion.ts';
import { stripControls } from './output.ts';
import { createServiceRequest, type ServiceConnection } from './service-client.ts';

/** Reads from the catalog of a running service, for the commands that show it. */

/** An object of an answer; what is not there or of another type is read as nothing. */
export type CatalogAnswer = { readonly [member: string]: unknown };

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

export const objectOf = (value: unknown): CatalogAnswer =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as CatalogAnswer) : {};

export const readList = (value: unknown): readonly CatalogAnswer[] => (Array.isArray(value) ? value.map(objectOf) : []);

/** The names of references as people call them, one after the other. */
export const listNames = (value: unknown): string =>
  readList(value)
    .map(({ displayName, name }) => textOf(displayName) || textOf(name))
    .join(', ');

export type CatalogClient = {
  readonly server: string;
  readJson(
    path: string,
    query?: Readonly<Record<string, string | number | boolean | undefined>>,
  ): Promise<CatalogAnswer>;
  readText(path: string): Promise<string>;
};

export const openCatalog = (remote: ServiceConnection, command: string): CatalogClient => {
  const ask = createServiceRequest(remote);
  return {
    server: remote.server,
    readJson: async (path, query = {}) => {
      const given = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
      return objectOf(await (await ask(command, 'GET', `${path}${given.size > 0 ? `?${given}` : ''}`)).json());
    },
    readText: async (path) => (await ask(command, 'GET', path)).text(),
  };
};

/** An asset that a command was asked about. */
export type NamedAsset = { readonly type: string; readonly fqn: string };

const MAX_SAME_NAMES = 10;

/** Where the API has an asset. */
export type AssetPlace = NamedAsset & { readonly id: string; readonly collection: string };

/** The hits of a search, and how many there are. */
export const searchCatalog = async (
  catalog: CatalogClient,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): Promise<{ readonly sources: readonly CatalogAnswer[]; readonly total: number }> => {
  const answer = await catalog.readJson('search/query', {
    index: 'all',
    include_aggregations: false,
    track_total_hits: true,
    ...query,
  });
  const hits = objectOf(answer['hits']);
  return {
    sources: readList(hits['hits']).map((hit) => objectOf(hit['_source'])),
    total: Number(objectOf(hits['total'])['value'] ?? 0),
  };
};

/** Says that nothing has a name, and what is called like it. */
const unknownNameError = async (catalog: CatalogClient, fqn: string): Promise<StartupError> => {
  const query = suggestionQuery(fqn);
  const meant = query && askWhetherMeant((await searchCatalog(catalog, query)).sources);
  return new StartupError(stripControls(`There is no asset ${fqn}. ${meant ?? '«tributary search» finds names.'}`));
};

/** Finds the type of an asset by its full name, unless it is given. */
export const findNamedAsset = async (catalog: CatalogClient, fqn: string, type?: string): Promise<NamedAsset> => {
  if (type !== undefined) return { type, fqn };
  const { sources } = await searchCatalog(catalog, {
    q: '*',
    query_filter: JSON.stringify({ query: { term: { 'fullyQualifiedName.keyword': fqn } } }),
    size: MAX_SAME_NAMES,
    include_source_fields: 'fullyQualifiedName,entityType',
  });
  const named = sources.filter((source) => source['fullyQualifiedName'] === fqn);
  const types = [...new Set(named.map((source) => textOf(source['entityType'])))];
  const [only] = types;
  if (only === undefined) throw await unknownNameError(catalog, fqn);
  if (types.length > 1) throw new StartupError(`${fqn} is the name of a ${types.join(' and of a ')}: choose by --type`);
  return { type: only, fqn };
};

/** Finds the collection and the ID of an asset by its full name. */
export const locateAsset = async (catalog: CatalogClient, fqn: string, type?: string): Promise<AssetPlace> => {
  const asset = await findNamedAsset(catalog, fqn, type);
  const { root } = await catalog.readJson('lineage/graph', { ...asset, upstreamDepth: 0, downstreamDepth: 0 });
  const { id, href } = objectOf(root);
  const [, collection = ''] = /\/v1\/(.+)\/[^/]+$/.exec(textOf(href)) ?? [];
  return { ...asset, id: textOf(id), collection };
};
