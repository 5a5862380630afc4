import { type ComputedPage, takePage } from '../../http/computed-page.ts';
import { integerParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import { DeadEndsAnswer } from '../../model/schemas/insight/dead-ends.ts';
import { daysBefore } from '../../model/schemas/usage/usage-summary.ts';
import { readAssetRefs } from '../graph/insight-assets.ts';
import { type InsightRoom, openScopedView } from '../graph/insight-room.ts';
import type { LineageView } from '../graph/lineage-view.ts';
import { answerPage, INSIGHT_PAGE_PARAMETERS, insightList, SCOPE_PARAMETER } from '../insight-parameters.ts';
import { isInScope } from '../scope.ts';
import { type DeadEnd, findDeadEnds } from './dead-ends.ts';

const UNUSED_DAYS = { fallback: 90, min: 1, max: 3650 } as const;

const UNUSED_DAYS_PARAMETER: QueryParameter = {
  name: 'unusedDays',
  description: 'Number of days without use after which an asset counts as unused',
  schema: { type: 'integer', minimum: UNUSED_DAYS.min, maximum: UNUSED_DAYS.max, default: UNUSED_DAYS.fallback },
};

/** The number of assets upstream that a page names. */
const MAX_UPSTREAM = 10_000;

/** The results of the last question, which its next pages use. */
const known = new WeakMap<LineageView, { readonly usedSince: string; readonly deadEnds: readonly DeadEnd[] }>();

const findOnce = (view: LineageView, usedSince: string): readonly DeadEnd[] => {
  const last = known.get(view);
  if (last?.usedSince === usedSince) return last.deadEnds;
  const deadEnds = findDeadEnds(view, usedSince);
  known.set(view, { usedSince, deadEnds });
  return deadEnds;
};

/** Cuts the lists of upstream assets when a page would name too many. */
const limitUpstream = (page: ComputedPage<DeadEnd>): ComputedPage<DeadEnd> => {
  let left = MAX_UPSTREAM;
  let isCut = false;
  const rows = page.rows.map((row) => {
    const upstream = row.upstream.slice(0, left);
    left -= upstream.length;
    isCut ||= upstream.length < row.upstream.length;
    return { ...row, upstream };
  });
  return isCut ? { rows, cut: page.cut ?? 'upstream', paging: { ...page.paging, truncated: true } } : page;
};

const CSV_COLUMNS = {
  entityType: ({ asset }: DeadEnd) => asset.entityType,
  entity: ({ asset }: DeadEnd) => asset.fullyQualifiedName,
  lastUsed: ({ asset }: DeadEnd) => asset.usedOn,
  upstreamOnlyFor: ({ upstream }: DeadEnd) => upstream.map(({ fullyQualifiedName }) => fullyQualifiedName).join('; '),
};

const handleDeadEnds =
  (room: InsightRoom) =>
  async (call: Call): Promise<Answer> => {
    const { fallback, min, max } = UNUSED_DAYS;
    const days = integerParameter(call.query, 'unusedDays', fallback, min, max);
    const today = new Date(room.engine.clock()).toISOString().slice(0, 10);
    const { scope, view } = await openScopedView(room, call);
    const rows = findOnce(view, daysBefore(today, days)).filter(({ asset }) =>
      isInScope(scope, asset.fullyQualifiedName),
    );
    const page = limitUpstream(takePage(call, { rows, cut: view.cut }, ({ asset }) => asset.id));
    const ids = page.rows.flatMap(({ asset, upstream }) => [asset.id, ...upstream.map(({ id }) => id)]);
    const refs = await readAssetRefs(room.engine, call, ids);
    const present = page.rows.filter(({ asset }) => refs.has(asset.id));
    const shown = {
      ...page,
      rows: present.map((row) => ({ ...row, upstream: row.upstream.filter(({ id }) => refs.has(id)) })),
    };
    return answerPage(call, shown, {
      columns: CSV_COLUMNS,
      render: () => ({
        data: shown.rows.map(({ asset, upstream }) => ({
          entity: refs.get(asset.id),
          ...(asset.usedOn === undefined ? {} : { lastUsed: asset.usedOn }),
          upstreamOnlyFor: upstream.map(({ id }) => refs.get(id)),
        })),
        paging: shown.paging,
      }),
    });
  };

export const deadEndRoutes = (room: InsightRoom): Route[] => [
  {
    ...insightList,
    method: 'GET',
    path: '/v1/insight/dead-ends',
    summary: 'List assets that nothing reads',
    query: [UNUSED_DAYS_PARAMETER, SCOPE_PARAMETER, ...INSIGHT_PAGE_PARAMETERS],
    responses: { 200: DeadEndsAnswer },
    handle: handleDeadEnds(room),
  },
];
