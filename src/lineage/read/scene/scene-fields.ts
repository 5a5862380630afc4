import type { Engine } from '../../../catalog/engine.ts';
import { createColumnFinder } from '../../../catalog/read/column-paths.ts';
import { chunk } from '../../../model/chunk.ts';
import { groupBy } from '../../../model/group-by.ts';
import type { JsonObject } from '../../../model/json.ts';
import { fieldIdOf, nodeOfEnd, type SceneEdge, type SceneNode } from './build-scene.ts';

/** Reads the fields of the assets in a scene, those first that its edges join. */

/** No asset shows more fields than these. */
const MOST_FIELDS = 50;
/** The number of records whose columns are in memory at once. */
const AT_ONCE = 100;

/** The fields of a node, and how many more it has. */
export type NodeFields = { readonly fields: readonly JsonObject[]; readonly hidden: number };

const NO_FIELDS: ReadonlySet<string> = new Set();

const joinedEnds = (edges: readonly SceneEdge[]): ReadonlySet<string> =>
  new Set(edges.flatMap(({ from, to }) => [from, to]));

export const readSceneFields = async (
  { registry, store }: Engine,
  nodes: readonly SceneNode[],
  edges: readonly SceneEdge[],
): Promise<ReadonlyMap<string, NodeFields>> => {
  const joined = joinedEnds(edges);
  const shown = new Map<string, NodeFields>();
  for (const [entityType, some] of groupBy(nodes, ({ ref }) => ref.node.entityType)) {
    const kind = registry.byType.get(entityType);
    if (!kind || kind.columnTrees.length === 0) continue;
    const nodeIds = new Map(some.map(({ id, ref }) => [ref.node.id, id]));
    for (const ids of chunk([...nodeIds.keys()], AT_ONCE)) {
      for (const { id, fullyQualifiedName, columns } of await store.records(kind, ids, NO_FIELDS)) {
        const nodeId = nodeIds.get(id) ?? '';
        const all = [...createColumnFinder(kind, columns).byKey.values()].map(({ node, above, name }) => {
          const fqn = `${fullyQualifiedName}.${name}`;
          const dataType = node.values['dataTypeDisplay'] ?? node.values['dataType'];
          const field = { id: fqn, name, fullyQualifiedName: fqn, ...(dataType ? { dataType } : {}) };
          return { field, isJoined: joined.has(fieldIdOf(nodeId, fqn)), isTop: above.length === 0 };
        });
        const listed = [...all.filter((one) => one.isJoined), ...all.filter((one) => !one.isJoined && one.isTop)];
        const fields = listed.slice(0, MOST_FIELDS).map(({ field }) => field);
        shown.set(nodeId, { fields, hidden: listed.length - fields.length });
      }
    }
  }
  return shown;
};

/** Keeps the edges whose fields are shown. */
export const edgesOfFields = (
  edges: readonly SceneEdge[],
  fields: ReadonlyMap<string, NodeFields>,
): readonly SceneEdge[] => {
  const ends = new Set(
    [...fields].flatMap(([id, own]) => own.fields.map((field) => fieldIdOf(id, String(field['id'])))),
  );
  const isShown = (end: string) => nodeOfEnd(end) === end || ends.has(end);
  return edges.filter(({ from, to }) => isShown(from) && isShown(to));
};
