import type { Engine } from '../../catalog/engine.ts';
import { viewFor } from '../../catalog/read/answer.ts';
import { answerFields } from '../../catalog/read/fields.ts';
import { render } from '../../catalog/read/render.ts';
import { kindNamed } from '../../catalog/registry.ts';
import type { JsonObject } from '../../model/json.ts';
import { sightOf } from '../sight.ts';
import type { Caller } from './ground.ts';

/** What data runs through: the whole record, and what type it is of. */
export type Carrier = { readonly entityType: string; readonly record: JsonObject };

export type CarrierById = (id: string | undefined) => Carrier | undefined;

/** The records that data runs through, whole, as far as the caller may see them. */
export const readWholeCarriers = async (
  engine: Engine,
  caller: Caller,
  carrierIds: readonly (string | null)[],
): Promise<CarrierById> => {
  const ids = [...new Set(carrierIds.flatMap((id) => id ?? []))];
  const found = (await Promise.all(ids.map((id) => engine.store.referenceById(id)))).flatMap((node) => node ?? []);
  const sees = await sightOf(engine, caller.principal, found);
  const carriers = new Map<string, Carrier>();
  for (const entityType of new Set(found.map((node) => node.entityType))) {
    const kind = kindNamed(engine.registry, entityType);
    const fields = answerFields(kind);
    const view = viewFor(engine, caller, fields);
    const seen = found.flatMap((node) => (node.entityType === entityType && sees(node.id) ? [node.id] : []));
    for (const record of await engine.store.records(kind, seen, fields)) {
      carriers.set(record.id, { entityType, record: render(record, view) });
    }
  }
  return (id) => (id === undefined ? undefined : carriers.get(id));
};
