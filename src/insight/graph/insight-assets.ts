import type { Engine } from '../../catalog/engine.ts';
import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef } from '../../catalog/read/render.ts';
import type { Call } from '../../http/route.ts';
import { findEndpointsByIds } from '../../lineage/endpoints.ts';
import type { JsonObject } from '../../model/json.ts';

/** Reads references to assets as they are now; those that are gone since the graph was read have none. */
export const readAssetRefs = async (
  engine: Engine,
  call: Call,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> => {
  const view = createView(engine, call, NO_FIELDS);
  const found = await findEndpointsByIds(engine, [...new Set(ids)]);
  return new Map(
    found.flatMap(({ id, node }) => (node.deleted === true ? [] : [[id, renderRef(node, view)] as const])),
  );
};
