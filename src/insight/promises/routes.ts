import { authorizeRecord, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { takePage } from '../../http/computed-page.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { findGraphRoot, GRAPH_ROOT_PARAMETERS } from '../../lineage/read/graph/graph-parameters.ts';
import { md5Hex } from '../../model/checksum.ts';
import type { JsonObject } from '../../model/json.ts';
import { PromisesAnswer } from '../../model/schemas/insight/promises.ts';
import { readAssetRefs } from '../graph/insight-assets.ts';
import type { InsightRoom } from '../graph/insight-room.ts';
import { answerPage, INSIGHT_PAGE_PARAMETERS, insightList } from '../insight-parameters.ts';
import { findOwned } from './find-owners.ts';
import { findTargets } from './find-targets.ts';
import { createSecondsOfDay, isBroken, type JudgedWay, judgeWay } from './judge-way.ts';
import { readServiceLevels } from './service-levels.ts';
import { listWays, type Ways } from './ways.ts';

const LIMITS = { ways: 10_000, length: 50 } as const;

const wayKey = ({ path }: JudgedWay): string => md5Hex(path.join());

const worstFirst = (one: JudgedWay, other: JudgedWay): number =>
  Number(isBroken(other)) - Number(isBroken(one)) || one.path.length - other.path.length;

/** Finds and judges all ways to what a request names. */
const judgeSubject = async ({ engine, views }: InsightRoom, call: Call) => {
  const { principal } = call;
  const subject = await findGraphRoot(engine, call);
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, subject);
  const targets = await findTargets(engine, principal, subject);
  const view = await views.viewFor(principal);
  const { ways, cut }: Ways = listWays(view.network, targets.ids, LIMITS);
  const ids = new Set([subject.id, ...ways.flat()]);
  const levels = await readServiceLevels(engine, principal, [...ids]);
  const product = targets.ids.includes(subject.id) ? undefined : levels.get(subject.id);
  const agreements = { product, levels, secondsOfDay: createSecondsOfDay(engine.clock()) };
  const rows = ways.map((way) => judgeWay(way, agreements)).sort(worstFirst);
  return { rows, cut: view.cut ?? (targets.isCut ? 'assets' : cut) };
};

/** A page row: references instead of IDs. */
type Row = {
  readonly path: readonly JsonObject[];
  readonly uncovered: readonly JsonObject[];
  readonly freshness: JudgedWay['freshness'];
  readonly availability: JudgedWay['availability'];
  readonly unowned: readonly JsonObject[];
};

const namesOf = (refs: readonly JsonObject[], separator: string): string =>
  refs.map(({ fullyQualifiedName }) => String(fullyQualifiedName)).join(separator);

const textOf = (value: boolean | null): string => (value === null ? '' : String(value));

const CSV_COLUMNS = {
  path: ({ path }: Row) => namesOf(path, ' → '),
  uncovered: ({ uncovered }: Row) => namesOf(uncovered, '; '),
  freshnessPromised: ({ freshness }: Row) => freshness.promised ?? undefined,
  freshnessUpstream: ({ freshness }: Row) => freshness.upstream ?? undefined,
  freshnessHolds: ({ freshness }: Row) => textOf(freshness.holds),
  availabilityPromised: ({ availability }: Row) => availability.promised ?? undefined,
  availabilityUpstream: ({ availability }: Row) => availability.upstream ?? undefined,
  availabilityHolds: ({ availability }: Row) => textOf(availability.holds),
  unowned: ({ unowned }: Row) => namesOf(unowned, '; '),
};

const handlePromises =
  (room: InsightRoom) =>
  async (call: Call): Promise<Answer> => {
    const { engine } = room;
    const { rows, cut } = await judgeSubject(room, call);
    const page = takePage(call, { rows, cut }, wayKey);
    const ids = [...new Set(page.rows.flatMap(({ path }) => path))];
    const [refs, owned] = await Promise.all([readAssetRefs(engine, call, ids), findOwned(engine, call.principal, ids)]);
    const refsOf = (some: readonly string[]): readonly JsonObject[] =>
      some.flatMap((id) => {
        const ref = refs.get(id);
        return ref ? [ref] : [];
      });
    const data = page.rows.map(
      ({ path, uncovered, ...checks }): Row => ({
        path: refsOf(path),
        uncovered: refsOf(uncovered),
        ...checks,
        unowned: refsOf(path.filter((id) => !owned.has(id))),
      }),
    );
    const summary = { paths: rows.length, broken: rows.filter(isBroken).length };
    return answerPage(
      call,
      { ...page, rows: data },
      { columns: CSV_COLUMNS, render: () => ({ data, summary, paging: page.paging }) },
    );
  };

export const promiseRoutes = (room: InsightRoom): Route[] => [
  {
    ...insightList,
    method: 'GET',
    path: '/v1/insight/promises',
    summary: 'List whether promises can hold',
    query: [...GRAPH_ROOT_PARAMETERS, ...INSIGHT_PAGE_PARAMETERS],
    responses: { 200: PromisesAnswer },
    handle: handlePromises(room),
  },
];
