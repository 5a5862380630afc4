import * as v from 'valibot';
import type { Json, JsonObject } from '../model/json.ts';
import { rowsOf } from './assets.ts';
import { answerArguments, countArgument, defineTool, nameArgument, type Tool } from './tool.ts';

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

/** The number of members that tell what a community is about. */
const NAMED_MEMBERS = 10;

const importantAssets = defineTool({
  name: 'important_assets',
  title: 'Rank assets by importance',
  description:
    'Lists the assets that most depends on, the most important first, with what their scores are made of: lineage, use, contracts and tier.',
  schema: v.strictObject({
    scope,
    type: v.optional(nameArgument('Entity type of the assets to list, such as table')),
    limit: countArgument('Maximum number of assets', 1, 1000, 20),
    ...answerArguments,
  }),
  answers: {
    facts: { ranked: v.optional(v.number()) },
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
  run: async (context, { scope: part, type, limit }) => {
    const query = { limit, ...(part === undefined ? {} : { scope: part }), ...(type === undefined ? {} : { type }) };
    const found = await context.api.readJson({ path: 'insight/importance', query });
    const total = (found['paging'] as JsonObject)['total'];
    const rows = rowsOf(found['data']).map((row) => ({
      rank: row['rank'] ?? 0,
      ...assetOf(row),
      score: row['score'] ?? 0,
      ...(row['parts'] as JsonObject),
    }));
    return {
      facts: total === undefined ? {} : { ranked: total },
      lists: [{ name: 'assets', rows, more: 'name a scope or a type' }],
    };
  },
});

const singlePoints = defineTool({
  name: 'single_points',
  title: 'Find single points of failure',
  description:
    'Lists the assets that alone hold lineage together: without one of them, as many assets as `separates` says lose their connection to the rest.',
  schema: v.strictObject({ scope, limit: countArgument('Maximum number of assets', 1, 1000, 20), ...answerArguments }),
  answers: {
    facts: {},
    lists: { assets: v.strictObject({ type: v.string(), fqn: v.string(), separates: v.number() }) },
  },
  run: async (context, { scope: part, limit }) => {
    const query = { limit, ...(part === undefined ? {} : { scope: part }) };
    const found = await context.api.readJson({ path: 'insight/single-points', query });
    const rows = rowsOf(found['data']).map((row) => ({ ...assetOf(row), separates: row['separates'] ?? 0 }));
    return { facts: {}, lists: [{ name: 'assets', rows, more: 'name a scope' }] };
  },
});

const communities = defineTool({
  name: 'communities',
  title: 'Find what belongs together',
  description:
    'Lists groups of assets that lineage joins closely, as suggested domains or data products: a name, the size, the domain that most members have and their share, the edges that leave, and the members with the most edges.',
  schema: v.strictObject({
    scope,
    minSize: countArgument('Minimum number of members', 1, 1000, 3),
    limit: countArgument('Maximum number of communities', 1, 1000, 20),
    ...answerArguments,
  }),
  answers: {
    facts: { communities: v.optional(v.number()) },
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
  run: async (context, { scope: part, minSize, limit }) => {
    const query = { minSize, limit, ...(part === undefined ? {} : { scope: part }) };
    const found = await context.api.readJson({ path: 'insight/communities', query });
    const total = (found['paging'] as JsonObject)['total'];
    const rows = rowsOf(found['data']).map((row) => ({
      name: row['suggestedName'] ?? '',
      size: row['size'] ?? 0,
      domain: (row['domain'] as JsonObject | null)?.['fullyQualifiedName'] ?? null,
      agreement: row['agreement'] ?? 0,
      crossing: row['crossing'] ?? 0,
      members: namesIn(row['members']).slice(0, NAMED_MEMBERS),
    }));
    return {
      facts: total === undefined ? {} : { communities: total },
      lists: [{ name: 'groups', rows, more: 'name a scope or a larger minSize' }],
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
    limit: countArgument('Maximum number of ways', 1, 1000, 20),
    ...answerArguments,
  }),
  answers: {
    facts: { paths: v.number(), broken: v.number() },
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
  run: async (context, { type, fqn, limit }) => {
    const found = await context.api.readJson({ path: 'insight/promises', query: { type, fqn, limit } });
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
    return { facts: { paths, broken }, lists: [{ name: 'ways', rows, more: 'ask for an asset further upstream' }] };
  },
});

export const IMPORTANCE_TOOLS: readonly Tool[] = [importantAssets, singlePoints, communities, promises];
