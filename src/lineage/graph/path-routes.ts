import type { Engine } from '../../catalog/engine.ts';
import { viewFor } from '../../catalog/read/answer.ts';
import { permit, VIEW } from '../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import { badRequest } from '../../errors.ts';
import { textParameter, wholeNumber } from '../../http/query.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { LineagePaths } from '../../model/lineage-graph-values.ts';
import { fqnPart } from '../../model/name.ts';
import { isUuid } from '../../model/uuid.ts';
import { showEdge } from '../details.ts';
import { decodeDetails } from '../edge.ts';
import { cutHeaders, readCarriers } from '../entity-lineage.ts';
import { heeding } from '../heed.ts';
import { viewing, wordsOf } from './ask.ts';
import {
  type ColumnPaths,
  type EntityPaths,
  edgeKey,
  type PathWish,
  pathsBetweenColumns,
  pathsBetweenRecords,
} from './paths.ts';
import { findPoint } from './points.ts';
import type { Room } from './room.ts';
import type { Paths } from './shortest.ts';

const MAX_PATHS = 100;
const MAX_LENGTH = 50;

const avoided = (call: Call): ReadonlySet<string> => {
  const ids = wordsOf(call, 'avoid').map((id) => id.toLowerCase());
  if (!ids.every(isUuid)) throw badRequest('[avoid must be a list of ids]');
  return new Set(ids);
};

const wishOf = (call: Call, { budget }: Room): PathWish => ({
  maxPaths: wholeNumber(call.query, 'maxPaths', 10, 1, MAX_PATHS),
  maxLength: wholeNumber(call.query, 'maxLength', MAX_LENGTH, 1, MAX_LENGTH),
  maxHops: budget.edges,
  avoid: avoided(call),
});

/** Each thing of a list with the one that comes after it. */
const steps = (path: readonly string[]): readonly (readonly [string, string])[] =>
  path.slice(1).map((to, at) => [path[at] ?? '', to]);

const showEntityPaths = async (
  engine: Engine,
  call: Call,
  { paths, truncated, nodes, edges }: EntityPaths,
  view: View,
): Promise<JsonObject> => {
  const carriers = [...edges.values()].map(([, , pipelineId]) => pipelineId);
  const carrierOf = await readCarriers({ engine }, call, carriers, view);
  const end = (id: string) => ({ id, fullyQualifiedName: nodes.get(id)?.fullyQualifiedName ?? '' });
  const showStep = ([from, to]: readonly [string, string]): JsonObject => {
    const edge = edges.get(edgeKey(from, to));
    if (!edge) return { fromEntity: from, toEntity: to };
    return showEdge({ from: end(from), to: end(to) }, decodeDetails(edge[3], edge[2]), carrierOf);
  };
  const showNode = (id: string): JsonObject[] => {
    const node = nodes.get(id);
    return node ? [renderRef(node, view)] : [];
  };
  return {
    paths: paths.map((path) => ({
      length: path.length - 1,
      nodes: path.flatMap(showNode),
      edges: steps(path).map(showStep),
    })),
    truncated,
  };
};

const showColumnPaths = ({ paths, truncated, columns }: ColumnPaths, view: View): JsonObject => {
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
      edges: steps(path).map(([from, to]) => ({
        fromEntity: ownerId(from),
        fromColumn: fqn(from),
        toEntity: ownerId(to),
        toColumn: fqn(to),
      })),
    })),
    truncated,
  };
};

/** Whoever wants no more paths than there are in the answer misses none of those; with fewer there was no more room. */
const headersOf = ({ paths, truncated }: Paths, { maxPaths }: PathWish) =>
  cutHeaders(truncated && paths.length < maxPaths ? 'edges' : undefined);

const readPaths =
  (all: Room) =>
  async (call: Call): Promise<Answer> => {
    const room = heeding(all, call.signal);
    const { engine } = room;
    const { principal } = call;
    const wish = wishOf(call, room);
    const [from, to] = await Promise.all([
      findPoint(engine, 'from', call.query.get('from')),
      findPoint(engine, 'to', call.query.get('to')),
    ]);
    for (const { site } of [from, to]) await permit(engine, principal, VIEW, site);
    if (wish.avoid.has(from.site.id) || wish.avoid.has(to.site.id)) {
      return { status: 200, json: { paths: [], truncated: false } };
    }
    const view = viewFor(engine, call, NO_FIELDS);
    if (from.column || to.column) {
      const found = await pathsBetweenColumns(engine, principal, [from, to], wish);
      return { status: 200, headers: headersOf(found, wish), json: showColumnPaths(found, view) };
    }
    const found = await pathsBetweenRecords(room, principal, [from.site, to.site], wish);
    return { status: 200, headers: headersOf(found, wish), json: await showEntityPaths(engine, call, found, view) };
  };

const END = 'as an id of a record, or as an entity link of a record or a column';

export const pathRoutes = (room: Room): Route[] => [
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/paths',
    summary: 'Find the shortest paths on which data gets from one record or column to another',
    query: [
      textParameter('from', `Where the paths begin, ${END}`),
      textParameter('to', `Where the paths end, ${END}`),
      {
        name: 'maxPaths',
        description: 'How many paths to answer at most',
        schema: { type: 'integer', minimum: 1, maximum: MAX_PATHS, default: 10 },
      },
      {
        name: 'maxLength',
        description: 'How many steps a path may have',
        schema: { type: 'integer', minimum: 1, maximum: MAX_LENGTH, default: MAX_LENGTH },
      },
      textParameter('avoid', 'Ids of records that no path may pass, separated by commas'),
    ],
    responses: { 200: LineagePaths },
    handle: readPaths(room),
  },
];
