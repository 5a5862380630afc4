import type { Operation, Outcome, Work } from '../../jobs/work.ts';
import type { JsonObject } from '../../model/json.ts';
import { documentIndex } from '../index/schema.ts';
import type { Beside } from './beside.ts';
import { compareAll, removeOrphans, searchable, typesOf } from './drift.ts';
import { countRecords, listIndexes, listRecords } from './queries.ts';
import { type Keeper, rewrite } from './refresh.ts';

/** Writing documents anew by a job: those of whole kinds, those that differ from their records, or those of some records. */

export const REINDEX = 'REINDEX';

/** What is written anew: `all` of some kinds, what `differs` in them, or what is `named` one by one. */
export type Extent = 'all' | 'differing' | 'named';

const WRITTEN_AT_ONCE = 500;

/** Records whose documents come next, and the id after which the job goes on when they are written. */
type Page = { readonly ids: readonly string[]; readonly looked: number; readonly after: string };

async function* everyRecord({ graph }: Keeper, types: readonly string[], from: string): AsyncGenerator<Page> {
  for (let after = from; ; ) {
    const ids = (await graph.read(listRecords, { after, limit: WRITTEN_AT_ONCE, types })).map(({ id }) => id);
    after = ids.at(-1) ?? after;
    if (ids.length > 0) yield { ids, looked: ids.length, after };
    if (ids.length < WRITTEN_AT_ONCE) return;
  }
}

async function* differingRecords(keeper: Keeper, types: readonly string[], from: string): AsyncGenerator<Page> {
  for await (const { types: compared, drifted, last } of compareAll(keeper, types, from)) {
    const looked = compared.reduce((sum, { records }) => sum + records, 0);
    yield { ids: drifted.map(({ id }) => id), looked, after: last };
  }
}

async function* namedRecords(work: Work): AsyncGenerator<Page> {
  for await (const piece of work.input()) {
    const ids = JSON.parse(piece) as readonly string[];
    yield { ids, looked: ids.length, after: '' };
  }
}

/** The types that are meant. A job that was asked for types that no program knows any more has nothing to do. */
const typesIn = (keeper: Keeper, { input }: Work['job']): readonly string[] => {
  const { entityTypes } = input;
  const all = typesOf(searchable(keeper));
  return Array.isArray(entityTypes) ? all.filter((type) => entityTypes.includes(type)) : all;
};

const pagesOf = (keeper: Keeper, work: Work, types: readonly string[]): AsyncGenerator<Page> => {
  const { extent } = work.job.input;
  const from = String(work.job.state['after'] ?? '');
  if (extent === 'named') return namedRecords(work);
  return extent === 'differing' ? differingRecords(keeper, types, from) : everyRecord(keeper, types, from);
};

const numberIn = (state: JsonObject, name: string): number => {
  const value = state[name];
  return typeof value === 'number' ? value : 0;
};

const sentence = (written: number, failed: number, orphaned: number): string =>
  [
    `${written} documents written`,
    ...(failed > 0 ? [`${failed} records have none, see /v1/search/reindex/failures`] : []),
    ...(orphaned > 0 ? [`${orphaned} of records that are gone removed`] : []),
  ].join(', ');

/** What a former version of the program has left, and nobody writes to any more; its name goes into the text of a command. */
const FORMER_INDEX = /^search_documents_[0-9a-f]{8}$/;

const dropFormerIndexes = async ({ graph, registry }: Keeper): Promise<void> => {
  const current = documentIndex(registry.kinds);
  for (const { name } of await graph.read(listIndexes, {})) {
    if (name !== current && FORMER_INDEX.test(name)) await graph.command(`DROP INDEX ${name} IF EXISTS`);
  }
};

/** The other engine is filled again beside what serves, or hears of what differs in it. Of single records it hears by itself. */
const followBeside = async (
  { registry }: Keeper,
  beside: Beside,
  work: Work,
  types: readonly string[],
): Promise<void> => {
  if (work.job.input['extent'] === 'differing') {
    await beside.mend();
    return;
  }
  const kinds = types.flatMap((type) => registry.byType.get(type) ?? []);
  const isWanted = () => {
    work.check();
    return true;
  };
  await beside.rebuild(kinds, { isWanted });
};

const SOME_FAILED = 10;

const runReindex = async (keeper: Keeper, beside: Beside | undefined, work: Work): Promise<Outcome> => {
  const types = typesIn(keeper, work.job);
  const isNamed = work.job.input['extent'] === 'named';
  let { written, failed, looked } = {
    written: numberIn(work.job.state, 'written'),
    failed: numberIn(work.job.state, 'failed'),
    looked: isNamed ? 0 : work.job.progress,
  };
  if (!isNamed) {
    const [counted] = await keeper.graph.read(countRecords, { types });
    await work.save({ total: counted?.total ?? 0 });
  }
  for await (const page of pagesOf(keeper, work, types)) {
    work.check();
    const failures = page.ids.length === 0 ? [] : await rewrite(keeper, page.ids);
    written += page.ids.length - failures.length;
    failed += failures.length;
    looked += page.looked;
    const told = failures.slice(0, SOME_FAILED).map(({ id, failure }) => `${id}: ${failure}`);
    await work.save({
      progress: looked,
      state: { after: page.after, written, failed },
      ...(told.length > 0 ? { log: { level: 'WARN', text: told.join('\n') } } : {}),
    });
  }
  // Of what is gone nothing says of which kind it was, so only whoever looks at everything looks for it.
  const isWhole = !isNamed && !Array.isArray(work.job.input['entityTypes']);
  const orphaned = isWhole ? await removeOrphans(keeper) : 0;
  if (isWhole) await dropFormerIndexes(keeper);
  if (beside && !isNamed) await followBeside(keeper, beside, work, types);
  return { message: sentence(written, failed, orphaned) };
};

/** The job that writes documents anew. A former run that was interrupted is gone on with where it had come to. */
export const reindexOperation = (keeper: Keeper, beside?: Beside): Operation => ({
  restart: 'resume',
  run: (work) => runReindex(keeper, beside, work),
});
