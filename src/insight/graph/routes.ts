import type { Route } from '../../http/route.ts';
import { openEdgeStore } from '../../lineage/write/edge-store.ts';
import { agreementRoutes } from '../agreement/routes.ts';
import { communityRoutes } from '../communities/routes.ts';
import { deadEndRoutes } from '../dead-ends/routes.ts';
import { importanceRoutes } from '../importance/routes.ts';
import { promiseRoutes } from '../promises/routes.ts';
import type { PropagationDeps } from '../propagation/propagation-deps.ts';
import { propagationRoutes } from '../propagation/routes.ts';
import { rootCauseRoutes } from '../root-cause/routes.ts';
import { singlePointRoutes } from '../single-points/routes.ts';
import type { InsightRoom } from './insight-room.ts';

/** Routes that compute on the lineage of the whole catalog. They run in the heavy lane, which alone holds the graph. */
export const wholeGraphRoutes = (room: InsightRoom, propagation: PropagationDeps): Route[] => {
  const rooms = [importanceRoutes, singlePointRoutes, deadEndRoutes, communityRoutes, promiseRoutes, rootCauseRoutes];
  const routes = [
    ...rooms.flatMap((open) => open(room)),
    ...agreementRoutes(room, openEdgeStore(room.engine)),
    ...propagationRoutes({ ...propagation, views: room.views }),
  ];
  return routes.map((route) => ({ ...route, isHeavy: true }));
};
