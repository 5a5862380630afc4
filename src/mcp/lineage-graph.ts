import * as v from 'valibot';
import { type Json, type JsonObject, member } from '../model/json.ts';
import { type Asset, namesOf, rowsOf, shortRef } from './assets.ts';
import { type WalkDirection, walkColumns } from './column-walk.ts';
import { refSchema, type ToolContext } from './tool.ts';

/** Reads the lineage around an asset and describes its parts in few words. */

/** More assets than this help no assistant; the answer says when there are more. */
const MAX_NODES = 5000;

export const MAX_DEPTH = 50;

export type GraphSpan = { readonly upstreamDepth: number; readonly downstreamDepth: number };

export type LineageAround = {
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  readonly columnEdges: readonly JsonObject[];
  readonly truncated: boolean;
};

/** What the tools tell of assets, so that the answer of a large graph stays small. */
const NODE_FIELDS = 'fullyQualifiedName,depth,owners,tier,testStatus,contractStatus';

/** How many neighbours of an asset lie further away from where the walk began, and are not in the answer. */
const countBeyond = ({ id, depth }: JsonObject, hidden: JsonObject): number => {
  const { upstream = 0, downstream = 0 } = (member(hidden, String(id)) ?? {}) as JsonObject;
  const away = Number(depth ?? 0);
  return away === 0 ? 0 : Number(away < 0 ? upstream : downstream);
};

export const readLineageAround = async (
  { api, maxNodes }: ToolContext,
  { type, fqn }: Asset,
  span: GraphSpan,
  withColumns: boolean,
): Promise<LineageAround> => {
  const graph = await api.readJson({
    path: 'lineage/graph',
    query: {
      type,
      fqn,
      ...span,
      columns: withColumns,
      maxNodes: Math.min(MAX_NODES, maxNodes),
      fields: NODE_FIELDS,
    },
  });
  // Depths upstream are negative.
  const depthOf = (node: JsonObject): number => Math.abs(Number(node['depth'] ?? 0));
  const hidden = (graph['hiddenCounts'] ?? {}) as JsonObject;
  const nodes = rowsOf(graph['nodes']).map((node) => ({ ...node, beyond: countBeyond(node, hidden) }));
  return {
    nodes: nodes.sort((a, b) => depthOf(a) - depthOf(b)),
    edges: rowsOf(graph['edges']),
    columnEdges: rowsOf(graph['columnEdges']),
    truncated: graph['truncated'] === true,
  };
};

/** Says whether the service read all that is downstream, and how to ask for less. */
export const noteTruncation = (headers: Headers, narrower: string): JsonObject => {
  const truncated = headers.has('x-lineage-truncated');
  return { truncated, ...(truncated ? { note: `The service did not read all that is downstream: ${narrower}.` } : {}) };
};

/** What every answer about lineage says of itself: whether it is incomplete, or empty for a reason. */
export const lineageFacts = { truncated: v.boolean(), note: v.optional(v.string()) } as const;

/** Says why lineage is cut off or empty, and what to ask instead. */
export const noteLineage = ({ nodes, edges, truncated }: LineageAround, depth: number): JsonObject => {
  if (truncated) {
    const note = `Only the ${nodes.length} nearest assets were read: ask in one direction, with less depth, or from an asset on the way.`;
    return { truncated, note };
  }
  if (edges.length > 0) {
    const ends = nodes.filter(({ beyond }) => beyond !== 0).length;
    if (ends === 0) return { truncated };
    const deeper = depth < MAX_DEPTH ? 'raise depth, or ask' : 'ask';
    return {
      truncated,
      note: `Depth ${depth} ends at ${ends} assets with more neighbours (beyond): ${deeper} from one of them.`,
    };
  }
  return { truncated, note: 'No lineage is known here. get_asset names the dashboards of a chart, which have it.' };
};

export const nodeRow = v.strictObject({
  depth: v.number(),
  ...refSchema.entries,
  beyond: v.optional(v.number()),
  tier: v.optional(v.string()),
  testStatus: v.optional(v.string()),
  contractStatus: v.optional(v.string()),
  owners: v.optional(v.array(v.string())),
});

/** The members of an asset that an answer contains only if they say something. */
const KNOWN_STATES = ['tier', 'testStatus', 'contractStatus'] as const;

export const describeNode = (node: JsonObject): JsonObject => {
  const owners = namesOf(node['owners']);
  return {
    depth: node['depth'] ?? 0,
    ...(shortRef(node) as JsonObject),
    ...(node['beyond'] === 0 ? {} : { beyond: node['beyond'] ?? 0 }),
    ...Object.fromEntries(
      KNOWN_STATES.flatMap((name) => {
        const value = node[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    ...(owners.length > 0 ? { owners } : {}),
  };
};

/** Names the ends of edges by full names; an end that the caller may not see is called hidden. */
export const describeEdges = ({ nodes, edges }: LineageAround): Json[] => {
  const names = new Map(nodes.map((node) => [node['id'], node['fullyQualifiedName'] ?? 'hidden']));
  return edges.map((edge) => {
    const details = (edge['lineageDetails'] ?? {}) as JsonObject;
    const pipeline = details['pipeline'];
    return {
      from: names.get(edge['fromEntity']) ?? 'not shown',
      to: names.get(edge['toEntity']) ?? 'not shown',
      ...(details['source'] === undefined ? {} : { source: details['source'] }),
      ...(pipeline === undefined ? {} : { pipeline: (pipeline as JsonObject)['fullyQualifiedName'] ?? '' }),
    };
  });
};

/** Finds the full name of a column as the lineage API writes it. Throws not_found when the asset has none such. */
export const findColumn = async ({ api }: ToolContext, asset: Asset, column: string): Promise<string> => {
  const { type, fqn } = asset;
  await api.readJson({ path: 'lineage/impact', query: { type, fqn, column, maxDepth: 1 } });
  return column.startsWith(`${fqn}.`) ? column : `${fqn}.${column}`;
};

/** The spelling of a column in the edges, which may quote its name. */
export const followColumn = (around: LineageAround, column: string, direction: WalkDirection) => {
  const plain = (text: Json | undefined): string => String(text ?? '').replaceAll('"', '');
  const ends = around.columnEdges.flatMap((edge) => [edge['fromColumn'], edge['toColumn']]);
  const known = ends.find((end) => end === column) ?? ends.find((end) => plain(end) === plain(column));
  return walkColumns(around.columnEdges, String(known ?? column), direction);
};
