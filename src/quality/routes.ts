import type { Engine } from '../catalog/engine.ts';
import type { Route } from '../http/route.ts';
import { caseRoutes } from './case-routes.ts';
import { type TestResultListener, testResultRoutes } from './result-routes.ts';
import { suiteRoutes } from './suite-routes.ts';

/** What tests of data have beside the operations of all kinds (data-quality.md). */
export const qualityRoutes = (engine: Engine, onResults: TestResultListener): Route[] => [
  ...suiteRoutes(engine),
  ...testResultRoutes({ engine, heard: onResults }),
  ...caseRoutes(engine),
];
