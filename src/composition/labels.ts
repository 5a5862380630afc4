import type { Engine } from '../catalog/engine.ts';
import { createLabelFollower, type LabelFollower } from '../insight/propagation/label-follower.ts';
import type { PropagationDeps } from '../insight/propagation/propagation-deps.ts';
import type { AppDeps } from './app-deps.ts';
import type { SharedServices } from './shared-services.ts';

/** How labels follow lineage: for the requests that ask, and by themselves. */
export type LabelServices = { readonly propagation: PropagationDeps; readonly follower: LabelFollower };

export const propagationDepsOf = (
  { limits, propagationBlockers }: AppDeps['config'],
  engine: Engine,
): PropagationDeps => ({
  engine,
  budget: { nodes: limits.lineageNodes, edges: limits.lineageEdges },
  maxDepth: limits.lineageDepth,
  blockers: propagationBlockers,
});

export const composeLabels = ({ config, log, bounds }: AppDeps, { engine, events }: SharedServices): LabelServices => {
  const propagation = propagationDepsOf(config, engine);
  const { tail } = events;
  return { propagation, follower: createLabelFollower({ propagation, tail, log, options: bounds?.labels ?? {} }) };
};
