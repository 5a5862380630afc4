import { badRequest } from '../errors.ts';
import type { Engine } from './engine.ts';
import { walkCycles } from './queries.ts';
import type { Snapshot } from './snapshot.ts';

/** Refuses relations that would lead from a record back to itself. */
export const checkTies = async (engine: Engine, before: Snapshot | undefined, after: Snapshot): Promise<void> => {
  for (const [name, attribute] of Object.entries(after.kind.attributes)) {
    if (attribute.store !== 'relation' || !attribute.acyclic) continue;
    const known = new Set((before?.related[name] ?? []).map((node) => node.id));
    const added = (after.related[name] ?? []).filter((node) => !known.has(node.id));
    if (added.length === 0) continue;
    const rows = added.map((node, at) =>
      attribute.direction === 'out' ? { from: after.id, to: node.id, at } : { from: node.id, to: after.id, at },
    );
    if (added.some((node) => node.id === after.id))
      throw badRequest(`[${name} must not lead back to the record itself]`);
    const cycles = before ? await engine.graph.read(walkCycles.for(attribute.edge), { rows }) : [];
    if (cycles.length > 0) throw badRequest(`[${name} must not lead back to the record itself]`);
  }
};
