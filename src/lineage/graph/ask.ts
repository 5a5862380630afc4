import type { Engine } from '../../catalog/engine.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import { textParameter, wholeNumber } from '../../http/query.ts';
import type { Call, QueryParameter } from '../../http/route.ts';
import { isWithin } from '../../model/name.ts';
import { isUuid } from '../../model/uuid.ts';
import { findEnds, findPlace, idPlace, namePlace, type Site } from '../ends.ts';
import type { Span } from '../entity-lineage.ts';
import type { Description } from './describe.ts';

export const viewing = { tag: 'Lineage', access: { operation: 'ViewBasic', resource: 'lineage' } } as const;

export const ROOT: readonly QueryParameter[] = [
  textParameter('id', 'The record, by its id'),
  textParameter('type', 'The kind of the record; needed with `fqn`'),
  textParameter('fqn', 'The record, by its fully qualified name'),
];

/** The record that a query names by its id, or by its kind and name. */
export const findRoot = async (engine: Engine, { query }: Call, alsoDeleted = false): Promise<Site> => {
  const [id, type, fqn] = [query.get('id'), query.get('type'), query.get('fqn')];
  if (id) {
    if (type) return findPlace(engine, idPlace(engine, type, id), alsoDeleted);
    const [site] = isUuid(id) ? await findEnds(engine, [id.toLowerCase()]) : [];
    if (!site || (site.node.deleted === true && !alsoDeleted)) throw recordNotFound('entity', id);
    return site;
  }
  if (!type || !fqn) throw badRequest('[id, or type and fqn, must be given]');
  return findPlace(engine, namePlace(engine, type, fqn), alsoDeleted);
};

const depthParameter = (name: string, what: string, most: number): QueryParameter => ({
  name,
  description: `How many steps to walk ${what}; 0 walks none`,
  schema: { type: 'integer', minimum: 0, maximum: most, default: 1 },
});

export const spanParameters = (most: number): readonly QueryParameter[] => [
  depthParameter('upstreamDepth', 'upstream', most),
  depthParameter('downstreamDepth', 'downstream', most),
];

export const spanOf = ({ query }: Call, most: number): Span => ({
  upstream: wholeNumber(query, 'upstreamDepth', 1, 0, most),
  downstream: wholeNumber(query, 'downstreamDepth', 1, 0, most),
});

/** A time in a query, in milliseconds. */
export const timeOf = ({ query }: Call, name: string): number | undefined =>
  query.get(name) ? wholeNumber(query, name, 0, 0, Number.MAX_SAFE_INTEGER - 1) : undefined;

export const timeParameter = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: { type: 'integer', minimum: 0 },
});

/** The words of a list in a query, which may be given as several parameters or one with commas. */
export const wordsOf = ({ query }: Call, name: string): readonly string[] =>
  query
    .getAll(name)
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** Which records are kept, as a query says it; an empty list keeps all. */
export type Filter = {
  readonly types: readonly string[];
  readonly services: readonly string[];
  readonly domains: readonly string[];
  readonly tags: readonly string[];
};

export const FILTERS: readonly QueryParameter[] = [
  textParameter('types', 'Keep records of these kinds only, separated by commas, and bridge over the others'),
  textParameter('services', 'Keep records in these services only'),
  textParameter('domains', 'Keep records in these domains, or below them, only'),
  textParameter('tags', 'Keep records with these tags, or with tags below them, only'),
];

export const filterOf = (engine: Engine, call: Call): Filter => {
  const types = wordsOf(call, 'types');
  const unknown = types.find((type) => !engine.registry.byType.has(type));
  if (unknown !== undefined) throw badRequest(`Entity type ${unknown.slice(0, 100)} is not known`);
  return {
    types,
    services: wordsOf(call, 'services'),
    domains: wordsOf(call, 'domains'),
    tags: wordsOf(call, 'tags'),
  };
};

/** Whether it takes more than a record's kind to tell whether it is kept. */
export const asksMore = ({ services, domains, tags }: Filter): boolean =>
  services.length + domains.length + tags.length > 0;

export const matches = (filter: Filter, { service, domains, tags }: Description): boolean => {
  const { services, domains: wanted, tags: labels } = filter;
  if (services.length > 0 && !services.some((name) => name === service?.fullyQualifiedName || name === service?.name)) {
    return false;
  }
  if (wanted.length > 0 && !domains.some(({ node }) => wanted.some((fqn) => isWithin(node.fullyQualifiedName, fqn)))) {
    return false;
  }
  return labels.length === 0 || tags.some((tag) => labels.some((fqn) => isWithin(tag, fqn)));
};

const INCLUDES = ['non-deleted', 'deleted', 'all'] as const;
export type Include = (typeof INCLUDES)[number];

export const INCLUDE: QueryParameter = {
  name: 'include',
  description: 'Whether deleted records belong to the graph',
  schema: { type: 'string', enum: INCLUDES, default: 'non-deleted' },
};

export const includeOf = ({ query }: Call): Include => {
  const text = query.get('include');
  if (!text) return 'non-deleted';
  const known = INCLUDES.find((include) => include === text);
  if (!known) throw badRequest(`[include must be one of ${INCLUDES.join(', ')}]`);
  return known;
};
