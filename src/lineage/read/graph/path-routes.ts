import type { Engine } from '../../../catalog/engine.ts';
import { createView } from '../../../catalog/read/answer.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { renderRef, type View } from '../../../catalog/read/render.ts';
import { badRequest } from '../../../errors.ts';
import { integerParameter, textParameter } from '../../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import { fqnPart } from '../../../model/name.ts';
import { LineagePaths } from '../../../model/schemas/lineage/lineage-graph.ts';
import { isUuid } from '../../../model/uuid.ts';
import { decodeDetails } from '../../edge.ts';
import { renderEdge } from '../../render-edge.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { readPipelineReferences, truncationHeaders } from '../entity-lineage.ts';
import { graphRouteAccess, readListParameter } from './graph-parameters.ts';
import type { GraphRoom } from './graph-room.ts';
import { findPathEndpoint } from './path-endpoints.ts';
import {
  type ColumnPaths,
  findColumnPaths,
  findRecordPaths,
  type PathRequest,
  pathEdgeKey,
  type RecordPaths,
} from './paths.ts';
import type { ShortestPaths } from './shortest-paths.ts';

const MAX_PATHS = 100;
const MAX_LENGTH = 50;

const readAvoidedIds = (call: Call): ReadonlySet<string> => {
  const ids = readListParameter(call, 'avoid').map((id) => id.toLowerCase());
  if (!ids.every(isUuid)) throw badRequest('[avoid must be a list of ids]');
  return new Set(ids);
};

const readPathRequest = (call: Call, { budget }: GraphRoom): PathRequest => ({
  maxPaths: integerParameter(call.query, 'maxPaths', 10, 1, MAX_PATHS),
  maxLength: integerParameter(call.query, 'maxLength', MAX_LENGTH, 1, MAX_LENGTH),
  maxHops: budget.edges,
  avoid: readAvoidedIds(call),
});

/** Returns the pairs of adjacent elements of a list. */
const pairSteps = (path: readonly string[]): readonly (readonly [string, string])[] =>
  path.slice(1).map((to, at) => [path[at] ?? '', to]);

const renderRecordPaths = async (
  engine: Engine,
  call: Call,
  { paths, truncated, nodes, edges }: RecordPaths,
  view: View,
): Promise<JsonObject> => {
  const carriers = [...edges.values()].map(([, , pipelineId]) => pipelineId);
  const carrierOf = await readPipelineReferences({ engine }, call, carriers, view);
  const end = (id: string) => ({ id, fullyQualifiedName: nodes.get(id)?.fullyQualifiedName ?? '' });
  const showStep = ([from, to]: readonly [string, string]): JsonObject => {
    const edge = edges.get(pathEdgeKey(from, to));
    if (!edge) return { fromEntity: from, toEntity: to };
    return renderEdge({ from: end(from), to: end(to) }, decodeDetails(edge[3], edge[2]), carrierOf);
  };
  const showNode = (id: string): JsonObject[] => {
    const node = nodes.get(id);
    return node ? [renderRef(node, view)] : [];
  };
  return {
    paths: paths.map((path) => ({
      length: path.length - 1,
      nodes: path.flatMap(showNode),
      edges: pairSteps(path).map(showStep),
    })),
    truncated,
  };
};

const renderColumnPaths = ({ paths, truncated, columns }: ColumnPaths, view: View): JsonObject => {
  const fqn = (key: string): string => {
    const at = columns.get(key);
    if (!at) return '';
    const { owner, name } = at;
    return name.startsWith(`${owner.fullyQualifiedName}.`) ? name : `${owner.fullyQualifiedName}.${fqnPart(name)}`;
  };
  const ownerId = (key: string): string => columns.get(key)?.owner.id ?? '';
  return {
    paths: paths.map((path) => ({
      length: path.length - 1,
      nodes: path.flatMap((key) => {
        const at = columns.get(key);
        return at ? [renderRef(at.owner, view)] : [];
      }),
      edges: pairSteps(path).map(([from, to]) => ({
        fromEntity: ownerId(from),
        fromColumn: fqn(from),
        toEntity: ownerId(to),
        toColumn: fqn(to),
      })),
    })),
    truncated,
  };
};

/** A cut search that still found as many paths as requested is not reported as truncated. */
const pathHeaders = ({ paths, truncated }: ShortestPaths, { maxPaths }: PathRequest) =>
  truncationHeaders(truncated && paths.length < maxPaths ? 'edges' : undefined);

const handlePaths =
  (all: GraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine } = room;
    const { principal } = call;
    const wish = readPathRequest(call, room);
    const [from, to] = await Promise.all([
      findPathEndpoint(engine, 'from', call.query.get('from')),
      findPathEndpoint(engine, 'to', call.query.get('to')),
    ]);
    for (const { site } of [from, to]) await authorizeRecord(engine, principal, VIEW_OPERATIONS, site);
    if (wish.avoid.has(from.site.id) || wish.avoid.has(to.site.id)) {
      return { status: 200, json: { paths: [], truncated: false } };
    }
    const view = createView(engine, call, NO_FIELDS);
    if (from.column || to.column) {
      const found = await findColumnPaths(engine, principal, [from, to], wish);
      return { status: 200, headers: pathHeaders(found, wish), json: renderColumnPaths(found, view) };
    }
    const found = await findRecordPaths(room, principal, [from.site, to.site], wish);
    return { status: 200, headers: pathHeaders(found, wish), json: await renderRecordPaths(engine, call, found, view) };
  };

const ENDPOINT_HELP = 'as an asset ID, or an entity link of an asset or column';

export const pathRoutes = (room: GraphRoom): Route[] => [
  {
    ...graphRouteAccess,
    method: 'GET',
    path: '/v1/lineage/paths',
    summary: 'Find the shortest lineage paths between two assets or columns',
    query: [
      textParameter('from', `Start of the paths, ${ENDPOINT_HELP}`),
      textParameter('to', `End of the paths, ${ENDPOINT_HELP}`),
      {
        name: 'maxPaths',
        description: 'Maximum number of paths to return',
        schema: { type: 'integer', minimum: 1, maximum: MAX_PATHS, default: 10 },
      },
      {
        name: 'maxLength',
        description: 'Maximum number of edges in a path',
        schema: { type: 'integer', minimum: 1, maximum: MAX_LENGTH, default: MAX_LENGTH },
      },
      textParameter('avoid', 'Comma-separated IDs of assets that no path may contain'),
    ],
    responses: { 200: LineagePaths },
    handle: handlePaths(room),
  },
];
