import type { Engine } from '../../../catalog/engine.ts';
import { createView } from '../../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { renderRef, type View } from '../../../catalog/read/render.ts';
import { badRequest } from '../../../errors.ts';
import { integerParameter, textParameter } from '../../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import { fqnPart } from '../../../model/name.ts';
import { LineagePathsAnswer } from '../../../model/schemas/lineage/lineage-graph.ts';
import { isUuid } from '../../../model/uuid.ts';
import { decodeDetails } from '../../edge.ts';
import { renderEdge } from '../../render-edge.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { readPipelineReferences, truncationHeaders } from '../entity-lineage.ts';
import {
  type AnswerFit,
  ASSET_FIELDS,
  answerFitParameters,
  EDGE_FIELDS_PARAMETER,
  readAnswerFit,
} from './answer-fit.ts';
import { fitAnswer, readAssetDescriptions } from './fit-answer.ts';
import { graphRouteAccess, readListParameter, readTypes } from './graph-parameters.ts';
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

const readPathRequest = (call: Call, { engine, budget }: GraphRoom): PathRequest => ({
  maxPaths: integerParameter(call.query, 'maxPaths', 10, 1, MAX_PATHS),
  maxLength: integerParameter(call.query, 'maxLength', MAX_LENGTH, 1, MAX_LENGTH),
  maxHops: budget.edges,
  avoid: readAvoidedIds(call),
  types: readTypes(engine, call),
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

type PathAnswer = {
  readonly paths: readonly { readonly nodes: readonly JsonObject[]; readonly edges: readonly JsonObject[] }[];
};

/** Describes the assets on the paths where the fit needs it, and fits the answer. */
const fitPaths = async (
  engine: Engine,
  { principal }: Call,
  fit: AnswerFit,
  answer: JsonObject,
  view: View,
): Promise<JsonObject> => {
  const { paths } = answer as unknown as PathAnswer;
  const assets = new Map(paths.flatMap(({ nodes }) => nodes).map((node) => [String(node['id']), node]));
  const { describe, describeFully } = await readAssetDescriptions(engine, fit, view, [...assets.keys()]);
  return fitAnswer(engine, principal, fit, {
    answer: { ...answer, paths: paths.map((path) => ({ ...path, nodes: path.nodes.map(describe) })) },
    listAssets: () => [...assets.values()].map(describeFully),
    reshape: (shown, { fitAsset, fitEdge }) => ({
      ...shown,
      paths: (shown as unknown as PathAnswer).paths.map((path) => ({
        ...path,
        nodes: path.nodes.map(fitAsset),
        edges: path.edges.map(fitEdge),
      })),
    }),
  });
};

const NO_PATHS: JsonObject = { paths: [], truncated: false };

const handlePaths =
  (all: GraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine } = room;
    const { principal } = call;
    const wish = readPathRequest(call, room);
    const fit = readAnswerFit(call, ASSET_FIELDS);
    const [from, to] = await Promise.all([
      findPathEndpoint(engine, principal, 'from', call.query.get('from')),
      findPathEndpoint(engine, principal, 'to', call.query.get('to')),
    ]);
    const view = createView(engine, call, NO_FIELDS);
    const answerWith = async (json: JsonObject, headers = {}): Promise<Answer> => ({
      status: 200,
      headers,
      json: await fitPaths(engine, call, fit, json, view),
    });
    if (wish.avoid.has(from.site.id) || wish.avoid.has(to.site.id)) return answerWith(NO_PATHS);
    if (from.column || to.column) {
      const found = await findColumnPaths(engine, principal, [from, to], wish);
      return answerWith(renderColumnPaths(found, view), pathHeaders(found, wish));
    }
    const found = await findRecordPaths(room, principal, [from.site, to.site], wish);
    return answerWith(await renderRecordPaths(engine, call, found, view), pathHeaders(found, wish));
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
      textParameter(
        'types',
        'Comma-separated entity types of the assets that a path may lead through; its ends may be of any',
      ),
      ...answerFitParameters('the assets on the paths', ASSET_FIELDS),
      EDGE_FIELDS_PARAMETER,
    ],
    responses: { 200: LineagePathsAnswer },
    handle: handlePaths(room),
  },
];
