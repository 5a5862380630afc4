import type { Engine } from '../catalog/engine.ts';
import type { Route } from '../http/route.ts';
import { allProfilesRoute } from './all-profiles-route.ts';
import { profilerConfigRoutes } from './config-routes.ts';
import { customMetricRoutes } from './custom-metric-routes.ts';
import { profileRoutes } from './profile-routes.ts';

/**
 * Routes of profiles, profiler configuration and custom metrics. Read sort-key.ts first for the order of profiles,
 * then ingest.ts for writing, and profile-source.ts and page.ts for reading; retention.ts and orphaned-profiles.ts
 * delete old profiles.
 */
export const profilerRoutes = (engine: Engine): Route[] => [
  ...customMetricRoutes(engine),
  ...profilerConfigRoutes(engine),
  ...profileRoutes(engine),
  allProfilesRoute(engine),
];
