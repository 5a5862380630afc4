import type { JobOperation, JobWork, OperationOutcome } from '../../jobs/job-operation.ts';
import type { JsonObject } from '../../model/json.ts';
import { documentIndexName } from '../../search-documents/index/fulltext-index.ts';
import { compareDocuments, deleteOrphanedDocuments, entityTypesOf, searchableKinds } from './drift.ts';
import { countRecordsOfTypes, listIndexes, listRecordIds } from './queries.ts';
import { type MaintenanceEngine, rewriteDocuments } from './refresh-documents.ts';
import type { TypesenseMaintenance } from './typesense-drift.ts';

/**
 * The job that rewrites documents: those of whole kinds, those that differ from their records, or those of given
 * records.
 */

export const REINDEX_OPERATION = 'REINDEX';

/** Which documents to rewrite: `all` of some kinds, the `differing` ones, or the `named` ones. */
export type ReindexExtent = 'all' | 'differing' | 'named';

const WRITTEN_AT_ONCE = 500;

/** The records to rewrite next, and the id after which the job continues once they are written. */
type ReindexPage = { readonly ids: readonly string[]; readonly looked: number; readonly after: string };

async function* pageAllRecords(
  { graph }: MaintenanceEngine,
  types: readonly string[],
  from: string,
): AsyncGenerator<ReindexPage> {
  for (let after = from; ; ) {
    const ids = (await graph.read(listRecordIds, { after, limit: WRITTEN_AT_ONCE, types })).map(({ id }) => id);
    after = ids.at(-1) ?? after;
    if (ids.length > 0) yield { ids, looked: ids.length, after };
    if (ids.length < WRITTEN_AT_ONCE) return;
  }
}

async function* pageDifferingRecords(
  keeper: MaintenanceEngine,
  types: readonly string[],
  from: string,
): AsyncGenerator<ReindexPage> {
  for await (const { types: compared, drifted, last } of compareDocuments(keeper, types, from)) {
    const looked = compared.reduce((sum, { records }) => sum + records, 0);
    yield { ids: drifted.map(({ id }) => id), looked, after: last };
  }
}

async function* pageNamedRecords(work: JobWork): AsyncGenerator<ReindexPage> {
  for await (const piece of work.input()) {
    const ids = JSON.parse(piece) as readonly string[];
    yield { ids, looked: ids.length, after: '' };
  }
}

/** The requested types. Types that no longer exist are skipped. */
const requestedTypesOf = (keeper: MaintenanceEngine, { input }: JobWork['job']): readonly string[] => {
  const { entityTypes } = input;
  const all = entityTypesOf(searchableKinds(keeper));
  return Array.isArray(entityTypes) ? all.filter((type) => entityTypes.includes(type)) : all;
};

const reindexPagesOf = (
  keeper: MaintenanceEngine,
  work: JobWork,
  types: readonly string[],
): AsyncGenerator<ReindexPage> => {
  const { extent } = work.job.input;
  const from = String(work.job.state['after'] ?? '');
  if (extent === 'named') return pageNamedRecords(work);
  return extent === 'differing' ? pageDifferingRecords(keeper, types, from) : pageAllRecords(keeper, types, from);
};

const numberInState = (state: JsonObject, name: string): number => {
  const value = state[name];
  return typeof value === 'number' ? value : 0;
};

const reindexMessage = (written: number, failed: number, orphaned: number): string =>
  [
    `${written} documents written`,
    ...(failed > 0 ? [`${failed} records have none, see /v1/search/reindex/failures`] : []),
    ...(orphaned > 0 ? [`${orphaned} of records that are gone removed`] : []),
  ].join(', ');

/**
 * The names of indexes of earlier versions, which nothing writes to any more. The pattern is strict because the name
 * becomes part of a command.
 */
const OLD_INDEX_NAME = /^search_documents_[0-9a-f]{8}$/;

const dropOldIndexes = async ({ graph, registry }: MaintenanceEngine): Promise<void> => {
  const current = documentIndexName(registry.kinds);
  for (const { name } of await graph.read(listIndexes, {})) {
    if (name !== current && OLD_INDEX_NAME.test(name)) await graph.runSchemaCommand(`DROP INDEX ${name} IF EXISTS`);
  }
};

/**
 * Rebuilds Typesense next to the serving collections, or repairs its differences. For single records it is updated
 * without this.
 */
const reindexTypesense = async (
  { registry }: MaintenanceEngine,
  typesense: TypesenseMaintenance,
  work: JobWork,
  types: readonly string[],
): Promise<void> => {
  if (work.job.input['extent'] === 'differing') {
    await typesense.repair();
    return;
  }
  const kinds = types.flatMap((type) => registry.byType.get(type) ?? []);
  const isWanted = () => {
    work.check();
    return true;
  };
  await typesense.rebuild(kinds, { isWanted });
};

const MAX_LOGGED_FAILURES = 10;

const runReindex = async (
  keeper: MaintenanceEngine,
  typesense: TypesenseMaintenance | undefined,
  work: JobWork,
): Promise<OperationOutcome> => {
  const types = requestedTypesOf(keeper, work.job);
  const isNamed = work.job.input['extent'] === 'named';
  let { written, failed, looked } = {
    written: numberInState(work.job.state, 'written'),
    failed: numberInState(work.job.state, 'failed'),
    looked: isNamed ? 0 : work.job.progress,
  };
  if (!isNamed) {
    const [counted] = await keeper.graph.read(countRecordsOfTypes, { types });
    await work.save({ total: counted?.total ?? 0 });
  }
  for await (const page of reindexPagesOf(keeper, work, types)) {
    work.check();
    const failures = page.ids.length === 0 ? [] : await rewriteDocuments(keeper, page.ids);
    written += page.ids.length - failures.length;
    failed += failures.length;
    looked += page.looked;
    const logged = failures.slice(0, MAX_LOGGED_FAILURES).map(({ id, failure }) => `${id}: ${failure}`);
    await work.save({
      progress: looked,
      state: { after: page.after, written, failed },
      ...(logged.length > 0 ? { log: { level: 'WARN', text: logged.join('\n') } } : {}),
    });
  }
  // A document without a record does not tell its kind, so only a complete run looks for such documents.
  const isWhole = !isNamed && !Array.isArray(work.job.input['entityTypes']);
  const orphaned = isWhole ? await deleteOrphanedDocuments(keeper) : 0;
  if (isWhole) await dropOldIndexes(keeper);
  if (typesense && !isNamed) await reindexTypesense(keeper, typesense, work, types);
  return { message: reindexMessage(written, failed, orphaned) };
};

/** The reindex operation; an interrupted run continues from its saved position. */
export const createReindexOperation = (keeper: MaintenanceEngine, typesense?: TypesenseMaintenance): JobOperation => ({
  restart: 'resume',
  run: (work) => runReindex(keeper, typesense, work),
});
