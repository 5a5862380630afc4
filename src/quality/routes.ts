import type { Engine } from '../catalog/engine.ts';
import type { Route } from '../http/route.ts';
import { caseRoutes } from './case-routes.ts';
import { type TestResultListener, testResultRoutes } from './result-routes.ts';
import { suiteRoutes } from './suite-routes.ts';

/**
 * Routes of data quality in addition to the operations of every kind (data-quality.md). This folder holds the write
 * hooks of tests (hooks.ts), their targets and parameters, and stored results (results.ts). Read hooks.ts first, then
 * results.ts; move-tests.ts explains how tests follow column changes.
 */
export const qualityRoutes = (engine: Engine, onResults: TestResultListener): Route[] => [
  ...suiteRoutes(engine),
  ...testResultRoutes({ engine, heard: onResults }),
  ...caseRoutes(engine),
];
