import { takePage } from '../../http/computed-page.ts';
import { integerParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { CommunitiesAnswer } from '../../model/schemas/insight/communities.ts';
import { readAssetRefs } from '../graph/insight-assets.ts';
import { type InsightRoom, openScopedView } from '../graph/insight-room.ts';
import { memoisePerView } from '../graph/lineage-view.ts';
import { answerPage, INSIGHT_PAGE_PARAMETERS, insightList, SCOPE_PARAMETER } from '../insight-parameters.ts';
import { isInScope } from '../scope.ts';
import { type AssetDomains, createDomainReader } from './asset-domains.ts';
import { type Community, describeCommunities } from './communities.ts';
import { type CommunityDomain, judgeDomain } from './community-domain.ts';

const describeOnce = memoisePerView(describeCommunities);

const MIN_SIZE = { fallback: 3, min: 1, max: 1_000_000 } as const;

const MIN_SIZE_PARAMETER: QueryParameter = {
  name: 'minSize',
  description: 'Minimum number of members',
  schema: { type: 'integer', minimum: MIN_SIZE.min, maximum: MIN_SIZE.max, default: MIN_SIZE.fallback },
};

/** The number of members that a row names, and that all rows of a page name together. */
const MAX_MEMBERS = 100;
const MAX_MEMBERS_PER_PAGE = 10_000;

type Row = CommunityDomain & Pick<Community, 'id' | 'crossing' | 'members'> & { readonly size: number };

const CSV_COLUMNS = {
  id: ({ id }: Row) => id,
  size: ({ size }: Row) => size,
  suggestedName: ({ suggestedName }: Row) => suggestedName,
  domain: ({ domain }: Row) => domain?.fullyQualifiedName,
  agreement: ({ agreement }: Row) => agreement,
  crossing: ({ crossing }: Row) => crossing,
  members: ({ members }: Row) => members.map(({ fullyQualifiedName }) => fullyQualifiedName).join('; '),
};

const handleCommunities =
  (room: InsightRoom, readDomains: (view: Parameters<typeof describeOnce>[0]) => Promise<AssetDomains>) =>
  async (call: Call): Promise<Answer> => {
    const { engine } = room;
    const minSize = integerParameter(call.query, 'minSize', MIN_SIZE.fallback, MIN_SIZE.min, MIN_SIZE.max);
    const { scope, view } = await openScopedView(room, call);
    const all = await describeOnce(view);
    const rows = all.filter(
      ({ members }) =>
        members.length >= minSize && members.some(({ fullyQualifiedName }) => isInScope(scope, fullyQualifiedName)),
    );
    const page = takePage(call, { rows, cut: view.cut }, ({ id }) => id);
    const domains = await readDomains(view);
    const seesDomain = await readNodeVisibility(
      engine,
      call.principal,
      [...domains.domains.keys()].map((id) => ({ id, entityType: 'domain' })),
    );
    const named = Math.min(MAX_MEMBERS, Math.floor(MAX_MEMBERS_PER_PAGE / Math.max(1, page.rows.length)));
    const found = page.rows.map((community): Row => {
      const { id, crossing, members } = community;
      const size = members.length;
      return { id, size, crossing, members: members.slice(0, named), ...judgeDomain(community, domains, seesDomain) };
    });
    const ids = found.flatMap(({ members, domain }) => [
      ...members.map(({ id }) => id),
      ...(domain ? [domain.id] : []),
    ]);
    const refs = await readAssetRefs(engine, call, ids);
    const shown = {
      ...page,
      rows: found
        .map((row) => ({ ...row, members: row.members.filter(({ id }) => refs.has(id)) }))
        .filter(({ members }) => members.length > 0),
    };
    return answerPage(call, shown, {
      columns: CSV_COLUMNS,
      render: () => ({
        data: shown.rows.map(({ members, domain, ...row }) => ({
          ...row,
          members: members.map(({ id }) => refs.get(id)),
          domain: refs.get(domain?.id ?? '') ?? null,
        })),
        paging: shown.paging,
      }),
    });
  };

export const communityRoutes = (room: InsightRoom): Route[] => [
  {
    ...insightList,
    method: 'GET',
    path: '/v1/insight/communities',
    summary: 'List communities of lineage',
    query: [MIN_SIZE_PARAMETER, SCOPE_PARAMETER, ...INSIGHT_PAGE_PARAMETERS],
    responses: { 200: CommunitiesAnswer },
    handle: handleCommunities(room, createDomainReader(room.engine)),
  },
];
