import type { Engine } from '../../catalog/engine.ts';
import type { Call } from '../../http/route.ts';
import { requireScope, type Scope } from '../scope.ts';
import type { LineageView, LineageViews } from './lineage-view.ts';

/** The dependencies of the operations on the whole graph. */
export type InsightRoom = { readonly engine: Engine; readonly views: LineageViews };

/** Reads the scope of a request, and what its caller may see of the graph. */
export const openScopedView = async (
  { engine, views }: InsightRoom,
  { principal, query }: Call,
): Promise<{ readonly scope: Scope; readonly view: LineageView }> => {
  const scope = await requireScope(engine, principal, query.get('scope') ?? '');
  return { scope, view: await views.viewFor(principal) };
};
