import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { planUnversionedWrite } from '../catalog/plan/record.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import { buildUnversionedEvent } from '../catalog/plan/unversioned-event.ts';
import { type RefNode, unlinkEdges, upsertEdges } from '../catalog/queries.ts';
import { renderRef, type View } from '../catalog/read/render.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { Json } from '../model/json.ts';
import type { EdgeType } from '../model/kind/edges.ts';

export type PortChange = {
  readonly holder: Snapshot;
  readonly port: string;
  readonly edge: EdgeType;
  readonly assets: readonly RefNode[];
  readonly adds: boolean;
};

/**
 * Connects records to a port of a holder, or disconnects them. The holder's version does not change; a change event
 * reports it.
 */
export const changePorts = (engine: Engine, principal: Principal, view: View, change: PortChange): Promise<void> => {
  const { holder, port, edge, assets, adds } = change;
  const refs = JSON.stringify(assets.map((node) => renderRef(node, view)));
  const fieldChange: Json = [{ name: port, ...(adds ? { newValue: refs } : { oldValue: refs }) }];
  const event = buildUnversionedEvent(
    engine,
    principal,
    holder,
    adds ? { fieldsAdded: fieldChange } : { fieldsDeleted: fieldChange },
  );
  const rows = assets.map((node) => ({ from: holder.id, to: node.id, properties: {} }));
  const edgeStep = adds
    ? createStep(upsertEdges.for(edge), STEP_ORDER.link, rows, notFoundFactory(holder.kind.entityType, holder.id))
    : createStep(unlinkEdges.for(edge), STEP_ORDER.unlink, rows);
  return engine.serial(`${holder.kind.label} ${holder.id}`, () =>
    engine.commit(planUnversionedWrite(holder, [edgeStep], event)),
  );
};
