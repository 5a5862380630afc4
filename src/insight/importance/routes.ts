import { badRequest } from '../../errors.ts';
import { takePage } from '../../http/computed-page.ts';
import { textParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { ImportanceAnswer } from '../../model/schemas/insight/importance.ts';
import { readAssetRefs } from '../graph/insight-assets.ts';
import { type InsightRoom, openScopedView } from '../graph/insight-room.ts';
import { answerPage, INSIGHT_PAGE_PARAMETERS, insightList, SCOPE_PARAMETER } from '../insight-parameters.ts';
import { isInScope } from '../scope.ts';
import { type RankedAsset, rankOnce } from './importance.ts';

const readType = ({ engine }: InsightRoom, { query }: Call): string | undefined => {
  const type = query.get('type') || undefined;
  if (type !== undefined && !engine.registry.byType.has(type)) {
    throw badRequest(`Entity type ${type.slice(0, 100)} is not known`);
  }
  return type;
};

const CSV_COLUMNS = {
  rank: ({ rank }: RankedAsset) => rank,
  score: ({ score }: RankedAsset) => score,
  entityType: ({ asset }: RankedAsset) => asset.entityType,
  entity: ({ asset }: RankedAsset) => asset.fullyQualifiedName,
  lineage: ({ parts }: RankedAsset) => parts.lineage,
  usage: ({ parts }: RankedAsset) => parts.usage,
  contracts: ({ parts }: RankedAsset) => parts.contracts,
  tier: ({ parts }: RankedAsset) => parts.tier,
};

const handleImportance =
  (room: InsightRoom) =>
  async (call: Call): Promise<Answer> => {
    const type = readType(room, call);
    const { scope, view } = await openScopedView(room, call);
    const all = await rankOnce(view);
    const rows = all.filter(
      ({ asset }) => (type === undefined || asset.entityType === type) && isInScope(scope, asset.fullyQualifiedName),
    );
    const page = takePage(call, { rows, cut: view.cut }, ({ asset }) => asset.id);
    const refs = await readAssetRefs(
      room.engine,
      call,
      page.rows.map(({ asset }) => asset.id),
    );
    const shown = { ...page, rows: page.rows.filter(({ asset }) => refs.has(asset.id)) };
    return answerPage(call, shown, {
      columns: CSV_COLUMNS,
      render: () => ({
        data: shown.rows.map(({ asset, score, rank, parts }) => ({ entity: refs.get(asset.id), score, rank, parts })),
        computedAt: view.asOf,
        paging: shown.paging,
      }),
    });
  };

export const importanceRoutes = (room: InsightRoom): Route[] => [
  {
    ...insightList,
    method: 'GET',
    path: '/v1/insight/importance',
    summary: 'List assets by importance',
    query: [textParameter('type', 'Entity type of the assets to list'), SCOPE_PARAMETER, ...INSIGHT_PAGE_PARAMETERS],
    responses: { 200: ImportanceAnswer },
    handle: handleImportance(room),
  },
];
