import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { Endpoint } from '../../lineage/endpoints.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { listProductAssets } from './queries.ts';

/** The assets at which promises are kept, and whether there are more. */
export type Targets = { readonly ids: readonly string[]; readonly isCut: boolean };

/** The number of assets of a data product that are looked at. */
const MAX_TARGETS = 1000;

/**
 * Finds the assets that stand for a subject. Those of a data product are its output ports, or all its assets when it has
 * none; any other asset stands for itself.
 */
export const findTargets = async (engine: Engine, principal: Principal, subject: Endpoint): Promise<Targets> => {
  if (subject.kind.entityType !== 'dataProduct') return { ids: [subject.id], isCut: false };
  const rows = await engine.graph.read(listProductAssets, { id: subject.id, limit: MAX_TARGETS + 1 });
  const looked = rows.slice(0, MAX_TARGETS);
  const sees = await readNodeVisibility(engine, principal, looked);
  const seen = looked.filter(({ id }) => sees(id));
  const outputs = seen.filter(({ isOutput }) => isOutput);
  return {
    ids: (outputs.length > 0 ? outputs : seen).map(({ id }) => id),
    isCut: rows.length > looked.length,
  };
};
