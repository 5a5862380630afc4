import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { eventBeside } from '../catalog/plan/beside.ts';
import { planWithin } from '../catalog/plan/record.ts';
import { gone, ORDER, step } from '../catalog/plan/step.ts';
import { mergeEdges, type RefNode, unlinkEdges } from '../catalog/queries.ts';
import { renderRef, type View } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { EdgeType } from '../model/edges.ts';
import type { Json } from '../model/json.ts';

export type PortChange = {
  readonly holder: Snapshot;
  readonly port: string;
  readonly edge: EdgeType;
  readonly assets: readonly RefNode[];
  readonly adds: boolean;
};

/** Joins records to a port of a holder, or parts them from it; the holder's version stays, and an event tells of it. */
export const changePorts = (engine: Engine, principal: Principal, view: View, change: PortChange): Promise<void> => {
  const { holder, port, edge, assets, adds } = change;
  const refs = JSON.stringify(assets.map((node) => renderRef(node, view)));
  const told: Json = [{ name: port, ...(adds ? { newValue: refs } : { oldValue: refs }) }];
  const event = eventBeside(engine, principal, holder, adds ? { fieldsAdded: told } : { fieldsDeleted: told });
  const rows = assets.map((node) => ({ from: holder.id, to: node.id, properties: {} }));
  const joined = adds
    ? step(mergeEdges.for(edge), ORDER.link, rows, gone(holder.kind.entityType, holder.id))
    : step(unlinkEdges.for(edge), ORDER.unlink, rows);
  return engine.serial(`${holder.kind.label} ${holder.id}`, () => engine.commit(planWithin(holder, [joined], event)));
};
