import * as v from 'valibot';
import type { Json, JsonObject } from '../model/json.ts';
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
  return {
    nodes: [...rowsOf(graph['nodes'])].sort((a, b) => depthOf(a) - depthOf(b)),
    edges: rowsOf(graph['edges']),
    columnEdges: rowsOf(graph['columnEdges']),
    truncated: graph['truncated'] === true,
  };
};

/** What every answer about lineage says of itself: whether it is incomplete, or empty for a reason. */
export const lineageFacts = { truncated: v.boolean(), note: v.optional(v.string()) } as const;

/** Says why lineage is cut off or empty, and what to ask instead. */
export const noteLineage = ({ nodes, edges, truncated }: LineageAround): JsonObject => {
  if (truncated) {
    const note = `Only the ${nodes.length} nearest assets were read: ask in one direction, with less depth, or from an asset on the way.`;
    return { truncated, note };
  }
  if (edges.length > 0) return { truncated };
  return { truncated, note: 'No lineage is known here. get_asset names the dashboards of a chart, which have it.' };
};

export const nodeRow = v.strictObject({
  depth: v.number(),
  ...refSchema.entries,
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
