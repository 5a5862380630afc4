import type { Engine } from '../catalog/engine.ts';
import type { Route } from '../http/route.ts';
import { allProfilesRoute } from './all-profiles-route.ts';
import { profilerConfigRoutes } from './config-routes.ts';
import { customMetricRoutes } from './custom-metric-routes.ts';
import { profileRoutes } from './profile-routes.ts';

/** What is measured of tables, and how. */
export const profilerRoutes = (engine: Engine): Route[] => [
  ...customMetricRoutes(engine),
  ...profilerConfigRoutes(engine),
  ...profileRoutes(engine),
  allProfilesRoute(engine),
];
