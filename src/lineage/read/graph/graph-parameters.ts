import type { Engine } from '../../../catalog/engine.ts';
import { badRequest, recordNotFound } from '../../../errors.ts';
import { integerParameter, textParameter } from '../../../http/query-parameters.ts';
import type { Call, QueryParameter } from '../../../http/route.ts';
import { isFqnWithin } from '../../../model/name.ts';
import { isUuid } from '../../../model/uuid.ts';
import { type Endpoint, entityRefById, entityRefByName, findEndpoint, findEndpointsByIds } from '../../endpoints.ts';
import type { LineageDepth } from '../read-subgraph.ts';
import type { NodeDescription } from './node-descriptions.ts';

/** Reads the query parameters that several graph routes share. */

export const graphRouteAccess = {
  tag: 'Lineage',
  access: { operation: 'ViewBasic', resource: 'lineage' },
  sends: ['X-Lineage-Truncated'],
  isOwn: true,
} as const;

export const GRAPH_ROOT_PARAMETERS: readonly QueryParameter[] = [
  textParameter('id', 'ID of the asset'),
  textParameter('type', 'Entity type of the asset; required with `fqn`'),
  textParameter('fqn', 'Fully qualified name of the asset'),
];

/** The maximum number of assets around which one graph is drawn. */
const MAX_ROOTS = 100;

/** Those of graphs that may be drawn around several assets. */
export const GRAPH_ROOTS_PARAMETERS: readonly QueryParameter[] = [
  textParameter('id', `ID of the asset, or comma-separated IDs of up to ${MAX_ROOTS} assets`),
  ...GRAPH_ROOT_PARAMETERS.slice(1),
];

const findById = async (engine: Engine, id: string, type: string | null, alsoDeleted: boolean): Promise<Endpoint> => {
  if (type) return findEndpoint(engine, entityRefById(engine, type, id), alsoDeleted);
  const [site] = isUuid(id) ? await findEndpointsByIds(engine, [id]) : [];
  if (!site || (site.node.deleted === true && !alsoDeleted)) throw recordNotFound('entity', id);
  return site;
};

/** Finds the roots that a query names by ID, or the one that it names by type and full name. */
export const findGraphRoots = async (
  engine: Engine,
  call: Call,
  alsoDeleted = false,
): Promise<readonly [Endpoint, ...Endpoint[]]> => {
  const [type, fqn] = [call.query.get('type'), call.query.get('fqn')];
  const ids = [...new Set(readListParameter(call, 'id').map((id) => id.toLowerCase()))];
  if (ids.length > MAX_ROOTS) throw badRequest(`[id must name at most ${MAX_ROOTS} assets]`);
  const [first, ...others] = await Promise.all(ids.map((id) => findById(engine, id, type, alsoDeleted)));
  if (first) return [first, ...others];
  if (!type || !fqn) throw badRequest('[id, or type and fqn, must be given]');
  return [await findEndpoint(engine, entityRefByName(engine, type, fqn), alsoDeleted)];
};

/** Finds the only root that a query names. */
export const findGraphRoot = async (engine: Engine, call: Call, alsoDeleted = false): Promise<Endpoint> => {
  const [root, ...others] = await findGraphRoots(engine, call, alsoDeleted);
  if (others.length > 0) throw badRequest('[id must name one asset]');
  return root;
};

const depthParameter = (name: string, what: string, most: number): QueryParameter => ({
  name,
  description: `Number of ${what} levels to return; 0 for none`,
  schema: { type: 'integer', minimum: 0, maximum: most, default: 1 },
});

export const graphDepthParameters = (most: number): readonly QueryParameter[] => [
  depthParameter('upstreamDepth', 'upstream', most),
  depthParameter('downstreamDepth', 'downstream', most),
];

export const readGraphDepth = ({ query }: Call, most: number, fallback = 1): LineageDepth => ({
  upstream: integerParameter(query, 'upstreamDepth', fallback, 0, most),
  downstream: integerParameter(query, 'downstreamDepth', fallback, 0, most),
});

export const COLUMNS_PARAMETER: QueryParameter = {
  name: 'columns',
  description: 'Whether to include columns and column lineage',
  schema: { type: 'boolean', default: false },
};

/** The maximum number of columns whose trails one graph shows. */
const MAX_TRAIL_COLUMNS = 100;

export const TRAIL_PARAMETER: QueryParameter = textParameter(
  'column',
  `Name of a column of the asset, relative to it or fully qualified, to whose trail the graph is reduced; may be repeated, up to ${MAX_TRAIL_COLUMNS} times. Depths are not limited then by default`,
);

/** Reads the names of the columns whose trail a graph shows. */
export const readTrailNames = ({ query }: Call): readonly string[] => {
  const names = [...new Set(query.getAll('column').filter((name) => name !== ''))];
  if (names.length > MAX_TRAIL_COLUMNS) throw badRequest(`[column must be given at most ${MAX_TRAIL_COLUMNS} times]`);
  return names;
};

/** Reads a list from the query, given as repeated parameters or one value with commas. */
export const readListParameter = ({ query }: Call, name: string): readonly string[] =>
  query
    .getAll(name)
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** The filter for records; an empty list matches all. */
export type GraphFilter = {
  readonly types: readonly string[];
  readonly services: readonly string[];
  readonly domains: readonly string[];
  readonly tags: readonly string[];
};

/** Filters by what describes an asset. */
export const DESCRIBED_FILTER_PARAMETERS: readonly QueryParameter[] = [
  textParameter('services', 'Comma-separated services whose assets are kept'),
  textParameter('domains', 'Comma-separated domains whose assets, including those of sub-domains, are kept'),
  textParameter('tags', 'Comma-separated tags; assets with one of them or of their descendants are kept'),
];

export const GRAPH_FILTER_PARAMETERS: readonly QueryParameter[] = [
  textParameter('types', 'Comma-separated entity types to keep; edges bridge the assets of other types'),
  ...DESCRIBED_FILTER_PARAMETERS,
];

/** Reads entity types from the query. */
export const readTypes = ({ registry }: Engine, call: Call, name = 'types'): readonly string[] => {
  const types = readListParameter(call, name);
  const unknown = types.find((type) => !registry.byType.has(type));
  if (unknown !== undefined) throw badRequest(`Entity type ${unknown.slice(0, 100)} is not known`);
  return types;
};

export const readGraphFilter = (engine: Engine, call: Call): GraphFilter => ({
  types: readTypes(engine, call),
  services: readListParameter(call, 'services'),
  domains: readListParameter(call, 'domains'),
  tags: readListParameter(call, 'tags'),
});

/** Whether the filter needs the description of a record, not only its kind. */
export const needsDescription = ({ services, domains, tags }: GraphFilter): boolean =>
  services.length + domains.length + tags.length > 0;

export const matchesGraphFilter = (filter: GraphFilter, { service, domains, tags }: NodeDescription): boolean => {
  const { services, domains: wanted, tags: labels } = filter;
  if (services.length > 0 && !services.some((name) => name === service?.fullyQualifiedName || name === service?.name)) {
    return false;
  }
  if (
    wanted.length > 0 &&
    !domains.some(({ node }) => wanted.some((fqn) => isFqnWithin(node.fullyQualifiedName, fqn)))
  ) {
    return false;
  }
  return labels.length === 0 || tags.some((tag) => labels.some((fqn) => isFqnWithin(tag, fqn)));
};

const INCLUDE_VALUES = ['non-deleted', 'deleted', 'all'] as const;
export type GraphInclude = (typeof INCLUDE_VALUES)[number];

export const INCLUDE_PARAMETER: QueryParameter = {
  name: 'include',
  description: 'Deletion state of the assets in the graph',
  schema: { type: 'string', enum: INCLUDE_VALUES, default: 'non-deleted' },
};

export const readInclude = ({ query }: Call): GraphInclude => {
  const text = query.get('include');
  if (!text) return 'non-deleted';
  const known = INCLUDE_VALUES.find((include) => include === text);
  if (!known) throw badRequest(`[include must be one of ${INCLUDE_VALUES.join(', ')}]`);
  return known;
};
