import * as v from 'valibot';
import type { Json, JsonObject } from '../model/json.ts';
import { assetPath, findAsset, namesOf, refsOf, rowsOf, searchSources } from './assets.ts';
import {
  assetName,
  assetType,
  countArgument,
  defineTool,
  maxTokens,
  nameArgument,
  type Tool,
  textArgument,
} from './tool.ts';

/** Tools that find assets, and tell what an asset is and whom it belongs to. */

const MAX_HITS = 50;
const MAX_QUERY = 1000;
const MAX_DESCRIPTION = 200;

const shorten = (text: Json | undefined): string => {
  const line = String(text ?? '').replace(/\s+/g, ' ');
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION)}…` : line;
};

const search = defineTool({
  name: 'search',
  title: 'Search assets',
  description:
    'Finds tables, dashboards, pipelines, glossary terms and other assets by words or by a query. Best hit first.',
  schema: v.strictObject({
    query: textArgument('Words, or a query with fields, AND, OR, NOT, phrases and wildcards', MAX_QUERY),
    type: v.optional(nameArgument('Entity type of the assets, for example table')),
    limit: countArgument('Maximum number of hits', 1, MAX_HITS, 10),
    maxTokens,
  }),
  run: async (context, { query, type: entityType, limit }) => {
    const { sources, total } = await searchSources(context, {
      q: query,
      size: limit,
      include_source_fields: 'fullyQualifiedName,entityType,displayName,description,owners',
      ...(entityType === undefined ? {} : { query_filter: JSON.stringify({ query: { term: { entityType } } }) }),
    });
    const rows = sources.map((source): JsonObject => {
      const owners = namesOf(source['owners']);
      const description = shorten(source['description']);
      return {
        type: source['entityType'] ?? '',
        fqn: source['fullyQualifiedName'] ?? '',
        ...(description === '' ? {} : { description }),
        ...(owners.length > 0 ? { owners } : {}),
      };
    });
    return {
      facts: { total, shown: rows.length },
      lists: [{ name: 'hits', rows, more: 'raise maxTokens, or search with more words or a type' }],
    };
  },
});

const FACTS = ['id', 'version', 'updatedAt', 'updatedBy', 'href'] as const;

const pick = (record: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = record[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const getAsset = defineTool({
  name: 'get_asset',
  title: 'Get an asset',
  description:
    'Tells what an asset is: a Markdown page with owners, tags, description, neighbours and columns, and its identity and columns as JSON.',
  schema: v.strictObject({ fqn: assetName, type: assetType, maxTokens }),
  run: async (context, input) => {
    const asset = await findAsset(context, input.fqn, input.type);
    const place = assetPath(asset.path, asset.fqn);
    const [record, page] = await Promise.all([
      context.api.readJson({ path: place }),
      context.api.read({ path: `${place}/context` }),
    ]);
    const columns = rowsOf(record['columns']).map((column) => pick(column, ['name', 'dataType', 'constraint']));
    return {
      page: page.text,
      facts: { type: asset.type, fqn: asset.fqn, ...pick(record, FACTS) },
      lists: columns.length > 0 ? [{ name: 'columns', rows: columns, more: 'raise maxTokens' }] : [],
    };
  },
});

const owners = defineTool({
  name: 'owners',
  title: 'Get the owners of an asset',
  description: 'Tells which people and teams own an asset, themselves or by what it lies in, and its domains and tier.',
  schema: v.strictObject({ fqn: assetName, type: assetType, maxTokens }),
  run: async (context, input) => {
    const asset = await findAsset(context, input.fqn, input.type);
    const graph = await context.api.readJson({
      path: 'lineage/graph',
      query: { type: asset.type, fqn: asset.fqn, upstreamDepth: 0, downstreamDepth: 0 },
    });
    const node = rowsOf(graph['nodes']).find(({ id }) => id === asset.id) ?? {};
    const rows = rowsOf(node['owners']).map(
      (owner): JsonObject => ({
        type: owner['type'] ?? '',
        name: owner['name'] ?? '',
        ...(owner['displayName'] === undefined ? {} : { displayName: owner['displayName'] }),
        ...(owner['inherited'] === true ? { inherited: true } : {}),
      }),
    );
    return {
      facts: {
        type: asset.type,
        fqn: asset.fqn,
        domains: refsOf(node['domains']),
        ...(node['tier'] === undefined ? {} : { tier: node['tier'] }),
      },
      lists: [{ name: 'owners', rows, more: 'raise maxTokens' }],
    };
  },
});

export const LOOKUP_TOOLS: readonly Tool[] = [search, getAsset, owners];
