import type { Principal } from '../access/principal.ts';
import { changeEvent } from '../catalog/change-event.ts';
import { keptForm } from '../catalog/desk.ts';
import type { Engine } from '../catalog/engine.ts';
import { planPorts } from '../catalog/plan.ts';
import type { RefNode } from '../catalog/queries.ts';
import { renderRef, type View } from '../catalog/render.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
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
  const event = changeEvent({
    eventType: 'entityUpdated',
    record: { ...holder, updatedAt: engine.clock() },
    previousVersion: holder.version,
    entity: keptForm(engine, holder),
    principal,
    change: {
      previousVersion: holder.version,
      fieldsAdded: adds ? told : [],
      fieldsUpdated: [],
      fieldsDeleted: adds ? [] : told,
    },
  });
  return engine.serial(`${holder.kind.label} ${holder.id}`, () =>
    engine.commit(planPorts({ edge, holder, assets, adds, event })),
  );
};
