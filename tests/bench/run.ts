/**
 * `npm run bench`: measures the service beside the bare driver on one database and prints how they compare.
 *   --quick          a small data set and short rounds, to see that it works
 *   --tables N       how many tables are loaded
 *   --rows a,b       only these rows
 *   --seconds S      how long one turn of one side lasts
 *   --profiles N     how many profiles of columns are told
 *   --workers N      how many workers answer requests; 1 unless given
 *   --heap 4g        heap of the database; its default unless given
 *   --pagecache 8g   page cache of the database; its default unless given
 *   --folder DIR     keeps the store there, for later runs with other rows
 *   --json FILE      where the figures go
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Layered, loadLayers } from './lineage-stand.ts';
import { type Options, parseOptions, type RowName } from './options.ts';
import { contextLine, documentOf, tableOf } from './report.ts';
import { measureBackup } from './rows-backup.ts';
import { loadOnly, measureBulk, measureKinds, measureSame } from './rows-bulk.ts';
import { measureCompression } from './rows-compression.ts';
import { measureContracts } from './rows-contracts.ts';
import { measureFiles } from './rows-csv.ts';
import { measureDecisions } from './rows-decide.ts';
import { measureEventLag } from './rows-event-lag.ts';
import { measureEventLoop } from './rows-event-loop.ts';
import { measureFirst } from './rows-first.ts';
import { measureGraphQuery } from './rows-graph-query.ts';
import { measureHostileInput, measureHostileRequests } from './rows-hostile.ts';
import { measureHostileTexts } from './rows-hostile-texts.ts';
import { measureInsight } from './rows-insight.ts';
import { measureAgreement } from './rows-insight-agreement.ts';
import { measureChanges } from './rows-insight-changes.ts';
import { measureCommunities } from './rows-insight-communities.ts';
import { measureFlows } from './rows-insight-flows.ts';
import { measureRootCause } from './rows-insight-root-cause.ts';
import {
  measureKeptGet,
  measureKeptGraph,
  measureKeptLineage,
  measureKeptList,
  measureKeptMap,
  measureKeptSearch,
} from './rows-kept.ts';
import { measureLineageBulk } from './rows-lineage.ts';
import { measureImpact, measurePaths } from './rows-lineage-ask.ts';
import { measureFeed, measureHub, measureOpenLineage } from './rows-lineage-put.ts';
import { measureFullGraph, measureParallel, measureWalk } from './rows-lineage-walk.ts';
import { measureDepth, measureStream } from './rows-list.ts';
import { measureProfiles } from './rows-profiles.ts';
import { measureGet, measurePost } from './rows-rate.ts';
import { measureResults } from './rows-results.ts';
import { measureRights } from './rows-rights.ts';
import { measureCommon, measureCounted, measureSearch, measureUpkeep } from './rows-search.ts';
import { measureMemory, measureStart, restart } from './rows-start.ts';
import { measureStreams } from './rows-streams.ts';
import { measureTokens } from './rows-token.ts';
import { measureTracing } from './rows-tracing.ts';
import { measureVersions } from './rows-versions.ts';
import { measureWebhooks } from './rows-webhooks.ts';
import { measureWideWrites } from './rows-wide-writes.ts';
import { calibrate, prepare, type Result, type Stand, withStand } from './stand.ts';

/** Rows about lineage share one graph. Those that add to it come last, because the others count what is there. */
const lineagePlan = (stand: Stand): readonly (readonly [RowName, () => Promise<Result>])[] => {
  let loading: Promise<Layered> | undefined;
  const layered = (measure: (stand: Stand, graph: Layered) => Promise<Result>) => async () => {
    loading ??= loadLayers(stand);
    return measure(stand, await loading);
  };
  return [
    ['lineage-walk', layered(measureWalk)],
    ['lineage-parallel', layered(measureParallel)],
    ['compression', layered(measureCompression)],
    ['lineage-impact', layered(measureImpact)],
    ['lineage-paths', layered(measurePaths)],
    ['insight-changes', layered(measureChanges)],
    ['insight-graph', layered(measureInsight)],
    ['insight-communities', layered(measureCommunities)],
    ['insight-agreement', layered(measureAgreement)],
    ['insight-root-cause', layered(measureRootCause)],
    ['insight-flows', layered(measureFlows)],
    ['graph-query', layered(measureGraphQuery)],
    ['lineage-stream', layered(measureFullGraph)],
    ['kept-lineage-1', layered((at, graph) => measureKeptLineage(at, graph, 1))],
    ['kept-lineage-3', layered((at, graph) => measureKeptLineage(at, graph, 3))],
    ['kept-lineage-10', layered((at, graph) => measureKeptLineage(at, graph, 10))],
    ['kept-map', layered(measureKeptMap)],
    ['kept-graph', layered(measureKeptGraph)],
    ['lineage-put-16', layered((at, graph) => measureFeed(at, graph, 16))],
    ['lineage-put-64', layered((at, graph) => measureFeed(at, graph, 64))],
    ['lineage-hub', layered(measureHub)],
    ['lineage-openlineage', layered(measureOpenLineage)],
    ['lineage-bulk', () => measureLineageBulk(stand)],
  ];
};

/** The rows in the order in which they can share one store. */
const plan = (stand: Stand): readonly (readonly [RowName, () => Promise<Result>])[] => {
  const veryFirstMs = stand.service.readyMs;
  return [
    ['bulk', () => measureBulk(stand)],
    ['bulk-same', () => measureSame(stand)],
    ['bulk-kinds', () => measureKinds(stand)],
    ['get-64', () => measureGet(stand, 64)],
    ['get-1', () => measureGet(stand, 1)],
    ['kept-get-64', () => measureKeptGet(stand, 64)],
    ['kept-get-1', () => measureKeptGet(stand, 1)],
    ['kept-list', () => measureKeptList(stand)],
    ['kept-search', () => measureKeptSearch(stand)],
    ['post-1', () => measurePost(stand, 1)],
    ['post-16', () => measurePost(stand, 16)],
    ['post-64', () => measurePost(stand, 64)],
    ['decisions', () => measureDecisions()],
    ['tokens', () => measureTokens()],
    ['hostile-texts', () => measureHostileTexts()],
    ['rights', () => measureRights(stand)],
    ['webhooks', () => measureWebhooks(stand)],
    ['streams', () => measureStreams(stand)],
    ['event-lag', () => measureEventLag(stand)],
    ['search', () => measureSearch(stand)],
    ['search-counted', () => measureCounted(stand)],
    ['search-common', () => measureCommon(stand)],
    ['search-upkeep', () => measureUpkeep(stand)],
    ['results', () => measureResults(stand)],
    ['list-depth', () => measureDepth(stand)],
    ['first-answers', () => measureFirst(stand)],
    ['memory', () => measureMemory(stand)],
    ['start', () => measureStart(stand, veryFirstMs)],
    ['backup', () => measureBackup(stand)],
    [
      'list-memory',
      async () => {
        // Memory that an earlier row left behind would hide the growth.
        await restart(stand);
        return measureStream(stand);
      },
    ],
    ...lineagePlan(stand),
    ['profiles', () => measureProfiles(stand)],
    ['contracts', () => measureContracts(stand)],
    ['csv', () => measureFiles(stand)],
    ['tracing', () => measureTracing(stand)],
    ['hostile-input', () => measureHostileInput()],
    ['hostile-requests', () => measureHostileRequests(stand)],
    ['versions', () => measureVersions(stand)],
    ['event-loop', () => measureEventLoop(stand)],
    ['wide-writes', () => measureWideWrites(stand)],
  ];
};

const measureAll = async (stand: Stand): Promise<Result[]> => {
  const { rows } = stand.options;
  const results: Result[] = [];
  await prepare(stand);
  if (!rows.has('bulk')) await loadOnly(stand);
  for (const [row, measure] of plan(stand)) {
    if (!rows.has(row)) continue;
    stand.say(`measuring ${row}`);
    const result = await measure();
    stand.say(`${result.work}: ${result.reached}`);
    results.push(result);
  }
  return results;
};

const run = (options: Options): Promise<void> =>
  withStand(options, async (stand) => {
    const started = Date.now();
    const reach = await calibrate(stand);
    const results = await measureAll(stand);
    const context = { options, reach, minutes: (Date.now() - started) / 60_000 };
    const path = options.json ?? join(stand.folder, 'bench.json');
    await writeFile(path, documentOf(results, context));
    console.log(`${tableOf(results)}\n\n${contextLine(context)}\nfigures: ${path}`);
  });

await run(parseOptions(process.argv.slice(2)));
