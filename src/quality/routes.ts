import type { Engine } from '../catalog/engine.ts';
import type { Route } from '../http/route.ts';
import { caseRoutes } from './case-routes.ts';
import { type Heard, resultRoutes } from './result-routes.ts';
import { suiteRoutes } from './suite-routes.ts';

/** What tests of data have beside the operations of all kinds (data-quality.md). */
export const qualityRoutes = (engine: Engine, heard: Heard): Route[] => [
  ...suiteRoutes(engine),
  ...resultRoutes({ engine, heard }),
  ...caseRoutes(engine),
];
