import { takePage } from '../../http/computed-page.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { SinglePointsAnswer } from '../../model/schemas/insight/single-points.ts';
import { readAssetRefs } from '../graph/insight-assets.ts';
import { type InsightRoom, openScopedView } from '../graph/insight-room.ts';
import { memoisePerView } from '../graph/lineage-view.ts';
import { answerPage, INSIGHT_PAGE_PARAMETERS, insightList, SCOPE_PARAMETER } from '../insight-parameters.ts';
import { isInScope } from '../scope.ts';
import { findWeakSpots, type WeakSpot, weakSpotKey } from './weak-spots.ts';

const findOnce = memoisePerView(findWeakSpots);

const CSV_COLUMNS = {
  entityType: ({ asset }: WeakSpot) => asset.entityType,
  entity: ({ asset }: WeakSpot) => asset.fullyQualifiedName,
  toEntityType: ({ to }: WeakSpot) => to?.entityType,
  toEntity: ({ to }: WeakSpot) => to?.fullyQualifiedName,
  separates: ({ separates }: WeakSpot) => separates,
};

const handleSinglePoints =
  (room: InsightRoom) =>
  async (call: Call): Promise<Answer> => {
    const { scope, view } = await openScopedView(room, call);
    const all = await findOnce(view);
    const rows = all.filter(
      ({ asset, to }) =>
        isInScope(scope, asset.fullyQualifiedName) || (to !== undefined && isInScope(scope, to.fullyQualifiedName)),
    );
    const page = takePage(call, { rows, cut: view.cut }, weakSpotKey);
    const refs = await readAssetRefs(
      room.engine,
      call,
      page.rows.flatMap(({ asset, to }) => (to ? [asset.id, to.id] : [asset.id])),
    );
    const shown = {
      ...page,
      rows: page.rows.filter(({ asset, to }) => refs.has(asset.id) && (!to || refs.has(to.id))),
    };
    return answerPage(call, shown, {
      columns: CSV_COLUMNS,
      render: () => ({
        data: shown.rows.flatMap(({ asset, to, separates }) => (to ? [] : [{ entity: refs.get(asset.id), separates }])),
        bridges: shown.rows.flatMap(({ asset, to, separates }) =>
          to ? [{ from: refs.get(asset.id), to: refs.get(to.id), separates }] : [],
        ),
        paging: shown.paging,
      }),
    });
  };

export const singlePointRoutes = (room: InsightRoom): Route[] => [
  {
    ...insightList,
    method: 'GET',
    path: '/v1/insight/single-points',
    summary: 'List single points of failure of lineage',
    query: [SCOPE_PARAMETER, ...INSIGHT_PAGE_PARAMETERS],
    responses: { 200: SinglePointsAnswer },
    handle: handleSinglePoints(room),
  },
];
