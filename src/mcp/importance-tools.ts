import * as v from 'valibot';
import type { Json, JsonObject } from '../model/json.ts';
import { rowsOf, shortRef } from './assets.ts';
import { describePage, pageArguments, pageFacts } from './list-page.ts';
import { countArgument, defineTool, nameArgument, refSchema, type Tool } from './tool.ts';

/** Tools about the whole lineage: what matters, what everything hangs on, what belongs together, and what holds. */

const scope = v.optional(
  nameArgument('Fully qualified name of the part of the catalog to look at; all of it by default'),
);

const assetOf = (row: JsonObject): JsonObject => {
  const { type = '', fullyQualifiedName = '' } = row['entity'] as JsonObject;
  return { type, fqn: fullyQualifiedName };
};

const namesIn = (refs: Json | undefined): readonly Json[] =>
  rowsOf(refs).map(({ fullyQualifiedName = '' }) => fullyQualifiedName);

const importantAssets = defineTool({
  name: 'important_assets',
  title: 'Rank assets by importance',
  description:
    'Lists the assets that most depends on, the most important first, with what their scores are made of: lineage, use, contracts and tier.',
  schema: v.strictObject({
    scope,
    type: v.optional(nameArgument('Entity type of the assets to list, such as table')),
    ...pageArguments('assets', 20),
  }),
  answers: {
    facts: { ranked: v.optional(v.number()), ...pageFacts },
    lists: {
      assets: v.strictObject({
        rank: v.number(),
        type: v.string(),
        fqn: v.string(),
        score: v.number(),
        lineage: v.number(),
        usage: v.number(),
        contracts: v.number(),
        tier: v.number(),
      }),
    },
  },
  run: async (context, { scope: part, type, limit, after }) => {
    const query = { limit, after, scope: part, type };
    const found = await context.api.readJson({ path: 'insight/importance', query });
    const total = (found['paging'] as JsonObject)['total'];
    const rows = rowsOf(found['data']).map((row) => ({
      rank: row['rank'] ?? 0,
      ...assetOf(row),
      score: row['score'] ?? 0,
      ...(row['parts'] as JsonObject),
    }));
    const page = describePage(found, { limit, after }, rows.length, 'name a scope or a type');
    return {
      facts: { ...(total === undefined ? {} : { ranked: total }), ...page.facts },
      lists: [{ name: 'assets', rows, ...page.list }],
    };
  },
});

const singlePoints = defineTool({
  name: 'single_points',
  title: 'Find single points of failure',
  description:
    'Lists the assets, and the bridges between two assets, that alone hold lineage together: without one of them, as many assets as `separates` says lose their connection to the rest.',
  schema: v.strictObject({ scope, ...pageArguments('assets and bridges', 20) }),
  answers: {
    facts: pageFacts,
    lists: {
      assets: v.strictObject({ type: v.string(), fqn: v.string(), separates: v.number() }),
      bridges: v.strictObject({ from: refSchema, to: refSchema, separates: v.number() }),
    },
  },
  run: async (context, { scope: part, limit, after }) => {
    const found = await context.api.readJson({ path: 'insight/single-points', query: { limit, after, scope: part } });
    const assets = rowsOf(found['data']).map((row) => ({ ...assetOf(row), separates: row['separates'] ?? 0 }));
    const bridges = rowsOf(found['bridges']).map(({ from, to, separates = 0 }) => ({
      from: shortRef(from),
      to: shortRef(to),
      separates,
    }));
    const { facts, list } = describePage(found, { limit, after }, assets.length + bridges.length, 'name a scope');
    return {
      facts,
      lists: [
        { name: 'assets', rows: assets, ...list },
        { name: 'bridges', rows: bridges, more: list.more },
      ],
    };
  },
});

const communities = defineTool({
  name: 'communities',
  title: 'Find what belongs together',
  description:
    'Lists groups of assets that lineage joins closely, as suggested domains or data products: a name, the size, the domain that most members have and their share, the edges that leave, and of its members those with the most edges.',
  schema: v.strictObject({
    scope,
    minSize: countArgument('Minimum number of members', 1, 1000, 3),
    members: countArgument('Maximum number of members to name of each; size counts all', 1, 100, 10),
    ...pageArguments('communities', 20),
  }),
  answers: {
    facts: { communities: v.optional(v.number()), ...pageFacts },
    lists: {
      groups: v.strictObject({
        name: v.string(),
        size: v.number(),
        domain: v.nullable(v.string()),
        agreement: v.number(),
        crossing: v.number(),
        members: v.array(v.string()),
      }),
    },
  },
  run: async (context, { scope: part, minSize, members, limit, after }) => {
    const query = { minSize, limit, after, scope: part };
    const found = await context.api.readJson({ path: 'insight/communities', query });
    const total = (found['paging'] as JsonObject)['total'];
    const rows = rowsOf(found['data']).map((row) => ({
      name: row['suggestedName'] ?? '',
      size: row['size'] ?? 0,
      domain: (row['domain'] as JsonObject | null)?.['fullyQualifiedName'] ?? null,
      agreement: row['agreement'] ?? 0,
      crossing: row['crossing'] ?? 0,
      members: namesIn(row['members']).slice(0, members),
    }));
    const page = describePage(found, { limit, after }, rows.length, 'name a scope or a larger minSize');
    return {
      facts: { ...(total === undefined ? {} : { communities: total }), ...page.facts },
      lists: [{ name: 'groups', rows, ...page.list }],
    };
  },
});

const secondsOrNull = v.nullable(v.number());

const promises = defineTool({
  name: 'promises',
  title: 'Check whether promises can hold',
  description:
    'Lists the ways along lineage to a data product or another asset, the broken ones first. Per way: the age of data in seconds that is promised and the sum that contracts upstream allow, the time of day promised and the latest upstream (seconds after midnight), and the assets without a contract or an owner.',
  schema: v.strictObject({
    type: nameArgument('Entity type, such as dataProduct or table'),
    fqn: nameArgument('Fully qualified name of the data product or asset'),
    ...pageArguments('ways', 20),
  }),
  answers: {
    facts: { paths: v.number(), broken: v.number(), ...pageFacts },
    lists: {
      ways: v.strictObject({
        path: v.array(v.string()),
        broken: v.boolean(),
        ageSeconds: secondsOrNull,
        ageUpstream: secondsOrNull,
        timeOfDay: secondsOrNull,
        timeUpstream: secondsOrNull,
        uncovered: v.array(v.string()),
        unowned: v.array(v.string()),
      }),
    },
  },
  run: async (context, { type, fqn, limit, after }) => {
    const found = await context.api.readJson({ path: 'insight/promises', query: { type, fqn, limit, after } });
    const { paths = 0, broken = 0 } = found['summary'] as JsonObject;
    const rows = rowsOf(found['data']).map((row) => {
      const [age, time] = [row['freshness'] as JsonObject, row['availability'] as JsonObject];
      return {
        path: namesIn(row['path']),
        broken: age['holds'] === false || time['holds'] === false,
        ageSeconds: age['promised'] ?? null,
        ageUpstream: age['upstream'] ?? null,
        timeOfDay: time['promised'] ?? null,
        timeUpstream: time['upstream'] ?? null,
        uncovered: namesIn(row['uncovered']),
        unowned: namesIn(row['unowned']),
      };
    });
    const page = describePage(found, { limit, after }, rows.length, 'ask for an asset further upstream');
    return { facts: { paths, broken, ...page.facts }, lists: [{ name: 'ways', rows, ...page.list }] };
  },
});

export const IMPORTANCE_TOOLS: readonly Tool[] = [importantAssets, singlePoints, communities, promises];
