import type { Engine } from '../../catalog/engine.ts';
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
import { openLineageViews } from './lineage-view.ts';

/** Routes that compute on the lineage of the whole catalog. They run in the heavy lane, which alone holds the graph. */
export const wholeGraphRoutes = (engine: Engine, propagation: PropagationDeps): Route[] => {
  const room: InsightRoom = { engine, views: openLineageViews(engine) };
  const rooms = [importanceRoutes, singlePointRoutes, deadEndRoutes, communityRoutes, promiseRoutes, rootCauseRoutes];
  const routes = [
    ...rooms.flatMap((open) => open(room)),
    ...agreementRoutes(room, openEdgeStore(engine)),
    ...propagationRoutes({ ...propagation, views: room.views }),
  ];
  return routes.map((route) => ({ ...route, isHeavy: true }));
};
