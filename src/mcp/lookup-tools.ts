import * as v from 'valibot';
import type { Json, JsonObject } from '../model/json.ts';
import type { ListRest } from './answer-budget.ts';
import { findPart, listParts } from './asset-part.ts';
import {
  assetPath,
  checkType,
  findAsset,
  INDEXES_WITH_CONTRACTS,
  MAX_OFFSET,
  namesOf,
  refsOf,
  rowsOf,
  searchSources,
} from './assets.ts';
import { refuseUnknownFilters } from './search-filters.ts';
import {
  answerArguments,
  assetFacts,
  assetName,
  assetType,
  countArgument,
  defineTool,
  nameArgument,
  refSchema,
  type Tool,
  textArgument,
} from './tool.ts';

/** Tools that find assets, and tell what an asset is and whom it belongs to. */

const MAX_HITS = 50;
const MAX_QUERY = 1000;
const MAX_DESCRIPTION = 200;

/** The beginning of a text, and how to get the rest of it. */
const shorten = (text: Json | undefined, whole: string): string => {
  const line = String(text ?? '').replace(/\s+/g, ' ');
  const rest = line.length - MAX_DESCRIPTION;
  return rest > 0 ? `${line.slice(0, MAX_DESCRIPTION)}… (${rest} more characters: ${whole})` : line;
};

const NARROWER = 'search with more words or a type';

/** What lies behind the hits of a search. */
const restOfHits = (total: number, next: number): ListRest | undefined => {
  if (next >= total) return undefined;
  return { count: total - next, more: next > MAX_OFFSET ? NARROWER : `offset=${next}` };
};

const search = defineTool({
  name: 'search',
  title: 'Search assets',
  description:
    'Finds tables, dashboards, pipelines, glossary terms, people and other assets by words, or by a query such as owners.name:mei or columns.tags.tagFQN:PII.Sensitive. Best hit first.',
  schema: v.strictObject({
    query: textArgument('Words, or a query with fields, AND, OR, NOT, phrases and wildcards', MAX_QUERY),
    type: v.optional(nameArgument('Entity type of the assets, for example table')),
    limit: countArgument('Maximum number of hits', 1, MAX_HITS, 10),
    offset: countArgument('Number of hits to pass over', 0, MAX_OFFSET, 0),
    ...answerArguments,
  }),
  answers: {
    facts: { total: v.number(), found: v.number() },
    lists: {
      hits: v.strictObject({
        ...assetFacts,
        displayName: v.optional(v.string()),
        description: v.optional(v.string()),
        owners: v.optional(v.array(v.string())),
      }),
    },
  },
  run: async (context, { query, type: entityType, limit, offset }) => {
    if (entityType !== undefined) checkType(context, entityType);
    const { sources, total } = await searchSources(context, {
      index: INDEXES_WITH_CONTRACTS,
      q: query,
      from: offset,
      size: limit,
      include_source_fields: 'fullyQualifiedName,entityType,displayName,description,owners',
      ...(entityType === undefined ? {} : { query_filter: JSON.stringify({ query: { term: { entityType } } }) }),
    });
    if (total === 0) await refuseUnknownFilters(context, query);
    const rows = sources.map((source): JsonObject => {
      const owners = namesOf(source['owners']);
      const description = shorten(source['description'], 'get_asset');
      const fqn = String(source['fullyQualifiedName'] ?? '');
      const displayName = source['displayName'] as string | undefined;
      return {
        type: source['entityType'] ?? '',
        fqn,
        ...(displayName === undefined || fqn.endsWith(displayName) ? {} : { displayName }),
        ...(description === '' ? {} : { description }),
        ...(owners.length > 0 ? { owners } : {}),
      };
    });
    return {
      facts: { total, found: rows.length },
      lists: [{ name: 'hits', rows, more: NARROWER, rest: restOfHits(total, offset + rows.length) }],
    };
  },
});

const pick = (record: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = record[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** The members that name the charts of a dashboard and the dashboards of a chart. */
const PARTS = ['dashboards', 'charts'] as const;

/** What is read of some types besides what every answer of the API contains. */
const FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['table', 'topic', 'container', 'dashboardDataModel', 'searchIndex', 'apiEndpoint', 'mlmodel', 'pipeline'].map(
      (type) => [type, 'tags'],
    ),
  ),
  chart: 'dashboards',
  dashboard: 'charts',
};

const describeVersion = (record: JsonObject): JsonObject => ({
  ...pick(record, ['id', 'version', 'updatedBy']),
  ...(record['updatedAt'] === undefined ? {} : { updatedAt: new Date(Number(record['updatedAt'])).toISOString() }),
});

const columnRow = v.strictObject({
  name: v.string(),
  dataType: v.optional(v.string()),
  constraint: v.optional(v.string()),
  description: v.optional(v.string()),
  tags: v.optional(v.array(v.string())),
});

/** The name of a column without that of its asset, as the arguments of tools take it. */
const relativeName = (fqn: string, column: JsonObject): string => {
  const name = String(column['fullyQualifiedName'] ?? column['name']);
  return name.startsWith(`${fqn}.`) ? name.slice(fqn.length + 1) : name;
};

const describeColumn = (fqn: string, column: JsonObject, isWhole: boolean): JsonObject => {
  const name = relativeName(fqn, column);
  const text = column['description'];
  const description = isWhole ? String(text ?? '') : shorten(text, `column=${name}`);
  const tags = rowsOf(column['tags']).map(({ tagFQN }) => String(tagFQN));
  return {
    name,
    ...pick(column, ['dataType', 'constraint']),
    ...(description === '' ? {} : { description }),
    ...(tags.length === 0 ? {} : { tags }),
  };
};

const getAsset = defineTool({
  name: 'get_asset',
  title: 'Get an asset',
  description:
    'Tells what a table, dashboard or other asset is and what it means: a Markdown page with owners, tags, description and neighbours, its columns, and for charts and dashboards each other.',
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    column: v.optional(nameArgument('The only column to answer, with its whole description')),
    ...answerArguments,
  }),
  answers: {
    facts: {
      ...assetFacts,
      page: v.optional(v.string()),
      id: v.string(),
      version: v.optional(v.number()),
      updatedAt: v.optional(v.string()),
      updatedBy: v.optional(v.string()),
    },
    lists: { columns: columnRow, dashboards: refSchema, charts: refSchema },
  },
  run: async (context, input) => {
    const asset = await findAsset(context, input.fqn, input.type);
    const place = assetPath(asset.path, asset.fqn);
    const [record, page] = await Promise.all([
      context.api.readJson({ path: place, query: { fields: FIELDS[asset.type] } }),
      context.api.read({ path: `${place}/context`, query: { columns: false } }),
    ]);
    const parts = input.column === undefined ? listParts(record) : [findPart({ asset, record }, input.column).value];
    const columns = parts.map((column) => describeColumn(asset.fqn, column, input.column !== undefined));
    return {
      page: page.text,
      facts: { type: asset.type, fqn: asset.fqn, ...describeVersion(record) },
      lists: [
        { name: 'columns', rows: columns },
        ...PARTS.flatMap((name) => (record[name] === undefined ? [] : [{ name, rows: refsOf(record[name]) }])),
      ].filter(({ rows }) => rows.length > 0),
    };
  },
});

const owners = defineTool({
  name: 'owners',
  title: 'Get the owners of an asset',
  description:
    'Tells who owns an asset and is responsible for it: people and teams, themselves or by what it lies in, and its domains and tier.',
  schema: v.strictObject({ fqn: assetName, type: assetType, ...answerArguments }),
  answers: {
    facts: { ...assetFacts, tier: v.optional(v.string()) },
    lists: {
      owners: v.strictObject({
        type: v.string(),
        name: v.string(),
        displayName: v.optional(v.string()),
        inherited: v.optional(v.boolean()),
      }),
      domains: refSchema,
    },
  },
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
        ...(node['tier'] === undefined ? {} : { tier: node['tier'] }),
      },
      lists: [
        { name: 'owners', rows },
        { name: 'domains', rows: refsOf(node['domains']) },
      ],
    };
  },
});

export const LOOKUP_TOOLS: readonly Tool[] = [search, getAsset, owners];
