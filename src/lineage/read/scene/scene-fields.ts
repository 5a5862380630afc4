import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import { createColumnFinder } from '../../../catalog/read/column-paths.ts';
import { chunk } from '../../../model/chunk.ts';
import { groupBy } from '../../../model/group-by.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import type { Kind } from '../../../model/kind/kind.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import { fieldIdOf, nodeOfEnd, type SceneEdge, type SceneNode } from './build-scene.ts';
import { listCharts } from './queries.ts';

/** Reads the fields of the assets in a scene, those first that its edges join. */

/** No asset shows more fields than these. */
const MOST_FIELDS = 50;
/** The number of records whose fields are in memory at once. */
const AT_ONCE = 100;

/** The fields of a node, and how many more it has. */
export type NodeFields = { readonly fields: readonly JsonObject[]; readonly hidden: number };

/** A column of a record, or a chart of a dashboard. */
type Field = { readonly name: string; readonly dataType: Json | undefined; readonly isTop: boolean };

type FieldReader = (nodes: readonly RefNode[]) => Promise<ReadonlyMap<string, readonly Field[]>>;

const NO_FIELDS: ReadonlySet<string> = new Set();

const idsOf = (nodes: readonly RefNode[]): readonly string[] => nodes.map(({ id }) => id);

const createColumnReader =
  ({ store }: Engine, kind: Kind): FieldReader =>
  async (nodes) => {
    const records = await store.records(kind, idsOf(nodes), NO_FIELDS);
    const fieldsOf = ({ columns }: (typeof records)[number]): readonly Field[] =>
      [...createColumnFinder(kind, columns).byKey.values()].map(({ node, above, name }) => {
        const dataType = node.values['dataTypeDisplay'] ?? node.values['dataType'];
        return { name, dataType, isTop: above.length === 0 };
      });
    return new Map(records.map((record) => [record.id, fieldsOf(record)]));
  };

const createChartReader =
  (engine: Engine, principal: Principal): FieldReader =>
  async (nodes) => {
    const rows = await engine.graph.read(listCharts, { ids: idsOf(nodes) });
    const sees = await readNodeVisibility(
      engine,
      principal,
      rows.map(({ chart }) => chart),
    );
    const seen = groupBy(
      rows.filter(({ chart }) => sees(chart.id)),
      ({ id }) => id,
    );
    const toField = ({ chart: { name, chartType } }: (typeof rows)[number]): Field => ({
      name,
      dataType: chartType ?? undefined,
      isTop: true,
    });
    return new Map(nodes.map(({ id }) => [id, (seen.get(id) ?? []).map(toField)]));
  };

const openReader = (engine: Engine, principal: Principal, entityType: string): FieldReader | undefined => {
  const kind = engine.registry.byType.get(entityType);
  if (kind?.lineageParts) return createChartReader(engine, principal);
  return kind && kind.columnTrees.length > 0 ? createColumnReader(engine, kind) : undefined;
};

const joinedEnds = (edges: readonly SceneEdge[]): ReadonlySet<string> =>
  new Set(edges.flatMap(({ from, to }) => [from, to]));

const chooseFields = ({ id, ref }: SceneNode, fields: readonly Field[], joined: ReadonlySet<string>): NodeFields => {
  const all = fields.map(({ name, dataType, isTop }) => {
    const fqn = `${ref.node.fullyQualifiedName}.${name}`;
    const field = { id: fqn, name, fullyQualifiedName: fqn, ...(dataType ? { dataType } : {}) };
    return { field, isJoined: joined.has(fieldIdOf(id, fqn)), isTop };
  });
  const listed = [...all.filter((one) => one.isJoined), ...all.filter((one) => !one.isJoined && one.isTop)];
  const shown = listed.slice(0, MOST_FIELDS).map(({ field }) => field);
  return { fields: shown, hidden: listed.length - shown.length };
};

export const readSceneFields = async (
  engine: Engine,
  principal: Principal,
  nodes: readonly SceneNode[],
  edges: readonly SceneEdge[],
): Promise<ReadonlyMap<string, NodeFields>> => {
  const joined = joinedEnds(edges);
  const shown = new Map<string, NodeFields>();
  for (const [entityType, all] of groupBy(nodes, ({ ref }) => ref.node.entityType)) {
    const read = openReader(engine, principal, entityType);
    if (!read) continue;
    for (const some of chunk(all, AT_ONCE)) {
      const fields = await read(some.map(({ ref }) => ref.node));
      for (const node of some) {
        const own = fields.get(node.ref.node.id);
        if (own) shown.set(node.id, chooseFields(node, own, joined));
      }
    }
  }
  return shown;
};

/**
 * Keeps the edges whose fields are shown. Assets that only other fields join are joined by one edge of their own, so that
 * no way through the scene is lost.
 */
export const edgesOfFields = (
  edges: readonly SceneEdge[],
  fields: ReadonlyMap<string, NodeFields>,
): readonly SceneEdge[] => {
  const ends = new Set(
    [...fields].flatMap(([id, own]) => own.fields.map((field) => fieldIdOf(id, String(field['id'])))),
  );
  const isShown = (end: string) => nodeOfEnd(end) === end || ends.has(end);
  const pairOf = ({ from, to }: SceneEdge): string => `${nodeOfEnd(from)} ${nodeOfEnd(to)}`;
  const kept = edges.filter(({ from, to }) => isShown(from) && isShown(to));
  const joined = new Set(kept.map(pairOf));
  const others = groupBy(
    edges.filter((edge) => !joined.has(pairOf(edge))),
    pairOf,
  );
  const whole = [...others.values()].flatMap(([edge]): readonly SceneEdge[] => {
    if (!edge) return [];
    const { transform: _ofField, ...rest } = edge;
    return [{ ...rest, from: nodeOfEnd(edge.from), to: nodeOfEnd(edge.to) }];
  });
  return [...kept, ...whole];
};
