import * as v from 'valibot';
import type { JsonObject } from '../model/json.ts';
import { assetPath, findAsset, refsOf, rowsOf, shortRef } from './assets.ts';
import { readEvents } from './events.ts';
import { describeNode, readLineageAround } from './lineage-graph.ts';
import {
  assetName,
  assetType,
  countArgument,
  defineTool,
  maxTokens,
  nameArgument,
  type Tool,
  type ToolContext,
} from './tool.ts';

/** Tools that look for what is wrong: upstream of an asset, and in the lineage of a scope. */

const DAY_MS = 24 * 3600 * 1000;

/** Bounds on what is read of the suspects: the nearest are the most probable. */
const MAX_SUSPECTS_READ = 10;
const MAX_TESTS = 10;
const MAX_PIPELINES = 10;
const MAX_CHANGED_ASSETS = 50;

const BAD_STATES = ['Failed', 'Aborted', 'PartialSuccess'];

const isSuspect = (node: JsonObject): boolean =>
  [node['testStatus'], node['contractStatus']].some((state) => BAD_STATES.includes(String(state)));

const readFailedTests = async (
  { api }: ToolContext,
  suspects: readonly JsonObject[],
): Promise<readonly JsonObject[]> => {
  const lists = await Promise.all(
    suspects.map(({ fullyQualifiedName }) =>
      api.readJson({
        path: 'dataQuality/testCases',
        query: {
          entityFQN: String(fullyQualifiedName),
          includeAllTests: true,
          testCaseStatus: 'Failed',
          fields: 'testCaseResult',
          limit: MAX_TESTS,
        },
      }),
    ),
  );
  return lists.flatMap((list) =>
    rowsOf(list['data']).map((test): JsonObject => {
      const result = (test['testCaseResult'] ?? {}) as JsonObject;
      return {
        test: test['fullyQualifiedName'] ?? '',
        of: test['entityFQN'] ?? '',
        ...(result['result'] === undefined ? {} : { result: result['result'] }),
        ...(result['timestamp'] === undefined ? {} : { at: new Date(Number(result['timestamp'])).toISOString() }),
      };
    }),
  );
};

/** The names of the pipelines that carry the edges. */
const carriersOf = (edges: readonly JsonObject[]): readonly string[] => {
  const pipelines = edges.map((edge) => ((edge['lineageDetails'] ?? {}) as JsonObject)['pipeline'] as JsonObject);
  return [...new Set(pipelines.flatMap((one) => one?.['fullyQualifiedName'] ?? []).map(String))];
};

const readFailedPipelines = async ({ api }: ToolContext, names: readonly string[]): Promise<readonly JsonObject[]> => {
  const query = { fields: 'pipelineStatus' };
  const read = await Promise.all(names.map((name) => api.readIfPresent({ path: assetPath('pipelines', name), query })));
  return read.flatMap((pipeline): JsonObject[] => {
    const status = (pipeline?.['pipelineStatus'] ?? {}) as JsonObject;
    if (pipeline === undefined || status['executionStatus'] !== 'Failed') return [];
    const at = new Date(Number(status['timestamp'])).toISOString();
    return [{ pipeline: pipeline['fullyQualifiedName'] ?? '', status: 'Failed', at }];
  });
};

const LIMITS = `Compares what the catalog knows now: test and contract results, last runs of pipelines, and change events. It reads the failed tests of the ${MAX_SUSPECTS_READ} nearest suspects, the runs of ${MAX_PIPELINES} pipelines and the changes of the ${MAX_CHANGED_ASSETS} nearest assets. It does not look at data, and a suspect is no proof.`;

const rootCause = defineTool({
  name: 'root_cause',
  title: 'Find the root cause',
  description:
    'Looks upstream of an asset for what may have broken it: failed tests and contracts, failed pipelines and recent changes, nearest first.',
  schema: v.strictObject({
    fqn: assetName,
    type: assetType,
    depth: countArgument('Number of upstream levels to look at', 1, 50, 10),
    days: countArgument('How many days back changes count', 1, 365, 7),
    maxTokens,
  }),
  run: async (context, { depth, days, ...input }) => {
    const asset = await findAsset(context, input.fqn, input.type);
    const around = await readLineageAround(context, asset, { upstreamDepth: depth, downstreamDepth: 0 }, false);
    const seen = around.nodes.filter(({ hidden }) => hidden !== true);
    const suspects = seen.filter(isSuspect);
    const from = context.now - days * DAY_MS;
    const ids = seen.slice(0, MAX_CHANGED_ASSETS).map(({ id }) => String(id));
    const [tests, pipelines, events] = await Promise.all([
      readFailedTests(context, suspects.slice(0, MAX_SUSPECTS_READ)),
      readFailedPipelines(context, carriersOf(around.edges).slice(0, MAX_PIPELINES)),
      readEvents(context.api, { from, to: context.now, ids, isWanted: () => true }),
    ]);
    const more = 'raise maxTokens, or lower depth';
    return {
      facts: {
        type: asset.type,
        fqn: asset.fqn,
        upstreamAssets: seen.filter(({ id }) => id !== asset.id).length,
        hiddenAssets: around.nodes.length - seen.length,
        truncated: around.truncated || events.stoppedAt !== undefined,
        limits: LIMITS,
      },
      lists: [
        { name: 'suspects', rows: suspects.map(describeNode), more },
        { name: 'failedTests', rows: tests, more },
        { name: 'failedPipelines', rows: pipelines, more },
        { name: 'recentChanges', rows: [...events.rows].reverse(), more: 'raise maxTokens, or lower days' },
      ],
    };
  },
});

const health = defineTool({
  name: 'health',
  title: 'Get the health of lineage',
  description:
    'Reports problems of the lineage of a scope: cycles, assets without lineage, unknown columns, unconfirmed edges and unowned hubs.',
  schema: v.strictObject({
    scope: v.optional(nameArgument('Fully qualified name of the asset to check; the whole catalog by default')),
    maxTokens,
  }),
  run: async (context, { scope }) => {
    const found = await context.api.readJson({ path: 'lineage/health', query: { scope, limit: 100 } });
    const more = 'raise maxTokens, or ask for a smaller scope';
    return {
      facts: { scope: scope ?? 'the whole catalog', truncated: found['truncated'] ?? [] },
      lists: [
        {
          name: 'cycles',
          rows: ((found['cycles'] ?? []) as readonly (readonly JsonObject[])[]).map((cycle) => cycle.map(shortRef)),
          more,
        },
        { name: 'orphans', rows: refsOf(found['orphans']), more },
        {
          name: 'danglingColumns',
          rows: rowsOf(found['danglingColumns']).map(({ entity, column }) => ({
            entity: shortRef(entity),
            column: column ?? '',
          })),
          more,
        },
        {
          name: 'unconfirmedEdges',
          rows: rowsOf(found['unconfirmedEdges']).map(({ fromEntity, toEntity }) => ({
            from: shortRef(fromEntity),
            to: shortRef(toEntity),
          })),
          more,
        },
        {
          name: 'unownedHubs',
          rows: rowsOf(found['unownedHubs']).map((hub) => ({ ...hub, entity: shortRef(hub['entity']) })),
          more,
        },
      ],
    };
  },
});

export const DIAGNOSIS_TOOLS: readonly Tool[] = [rootCause, health];
