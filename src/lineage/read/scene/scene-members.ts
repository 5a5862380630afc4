import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { InheritedNode, RefNode } from '../../../catalog/queries.ts';
import { filterNearest } from '../../../catalog/read/snapshot.ts';
import { chunk } from '../../../model/chunk.ts';
import { compareByFqn } from '../../../model/name.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import { levelOf, type SceneMember, type SceneRef } from './levels.ts';
import { type PlaceRow, readPlaces } from './queries.ts';

/** The number of records whose places one statement reads. */
const AT_ONCE = 1000;

/** Of several domains or data products the focus stands for its assets, otherwise the first one. */
const chooseHolder = <N extends RefNode>(nodes: readonly N[], focusId: string | undefined): N | undefined =>
  nodes.find(({ id }) => id === focusId) ?? [...nodes].sort(compareByFqn)[0];

const nearestDomains = (domains: readonly InheritedNode[]): readonly InheritedNode[] => [...filterNearest(domains)];

/** Reads what may stand for some records in a scene: what is above them, their domains and data products. */
export const readSceneMembers = async (
  engine: Engine,
  principal: Principal,
  nodes: readonly RefNode[],
  focusId: string | undefined,
): Promise<ReadonlyMap<string, SceneMember>> => {
  const rows: PlaceRow[] = [];
  for (const some of chunk(nodes, AT_ONCE)) {
    rows.push(...(await engine.graph.read(readPlaces, { ids: some.map(({ id }) => id) })));
  }
  const all = rows.flatMap(({ above, domains, products }) => [...above, ...domains, ...products]);
  const sees = await readNodeVisibility(engine, principal, all);
  const toRef = (node: RefNode | undefined): SceneRef | undefined =>
    node && { node, level: levelOf(engine.registry, node) };
  const places = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    nodes.flatMap((node): (readonly [string, SceneMember])[] => {
      const place = places.get(node.id);
      if (!place) return [];
      const above = place.above.filter(({ id }) => sees(id));
      const at = (level: SceneRef['level']) => above.find((one) => levelOf(engine.registry, one) === level);
      const service = at('service');
      const member: SceneMember = {
        self: { node, level: levelOf(engine.registry, node) },
        service: toRef(service),
        serviceType: service?.serviceType ?? undefined,
        database: toRef(at('database')),
        schema: toRef(at('schema')),
        domain: toRef(
          chooseHolder(
            nearestDomains(place.domains).filter(({ id }) => sees(id)),
            focusId,
          ),
        ),
        dataProduct: toRef(
          chooseHolder(
            place.products.filter(({ id }) => sees(id)),
            focusId,
          ),
        ),
      };
      return [[node.id, member]];
    }),
  );
};
