import { badRequest } from '../../errors.ts';
import type { RelationAttribute } from '../../model/kind/attribute.ts';
import type { Engine } from '../engine.ts';
import { type RefNode, walkCycles } from '../queries.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { isInSharedDomain } from './references.ts';

type NewRelation = {
  readonly name: string;
  readonly attribute: RelationAttribute;
  /** Whether the record existed before the relation. */
  readonly isExistingRecord: boolean;
  readonly added: readonly RefNode[];
};

const refuseCycles = async (engine: Engine, after: Snapshot, tie: NewRelation): Promise<void> => {
  const { name, attribute, added } = tie;
  const rows = added.map((node, at) =>
    attribute.direction === 'out' ? { from: after.id, to: node.id, at } : { from: node.id, to: after.id, at },
  );
  const leadsBack = () => badRequest(`[${name} must not form a cycle]`);
  if (added.some((node) => node.id === after.id)) throw leadsBack();
  const cycles = tie.isExistingRecord ? await engine.graph.read(walkCycles.for(attribute.edge), { rows }) : [];
  if (cycles.length > 0) throw leadsBack();
};

const refuseForeignDomains = async (engine: Engine, after: Snapshot, { name, added }: NewRelation): Promise<void> => {
  const isInDomain = await Promise.all(added.map((node) => isInSharedDomain(engine, node, after.domains ?? [])));
  const outsider = added.find((_, at) => !isInDomain[at]);
  if (outsider)
    throw badRequest(`[${name}: ${outsider.fullyQualifiedName} belongs to none of the domains of the asset]`);
};

/** Refuses new relations that lead from a record back to itself, or out of the domains it must stay in. */
export const checkRelations = async (engine: Engine, before: Snapshot | undefined, after: Snapshot): Promise<void> => {
  for (const [name, attribute] of Object.entries(after.kind.attributes)) {
    if (attribute.store !== 'relation' || !(attribute.acyclic || attribute.withinDomains)) continue;
    const known = new Set((before?.related[name] ?? []).map((node) => node.id));
    const added = (after.related[name] ?? []).filter((node) => !known.has(node.id));
    if (added.length === 0) continue;
    const tie = { name, attribute, isExistingRecord: before !== undefined, added };
    if (attribute.acyclic) await refuseCycles(engine, after, tie);
    if (attribute.withinDomains) await refuseForeignDomains(engine, after, tie);
  }
};
