import type { Engine } from '../../catalog/engine.ts';
import { queryFlag, viewFor } from '../../catalog/read/answer.ts';
import { permit, VIEW } from '../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { redactorFor } from '../../catalog/read/visibility.ts';
import { badRequest } from '../../errors.ts';
import { wholeNumber } from '../../http/query.ts';
import type { Answer, Call, QueryParameter, Route } from '../../http/route.ts';
import { LineageDiff, NativeGraph } from '../../model/lineage-graph-values.ts';
import { contractsOf } from '../contracts.ts';
import type { Site } from '../ends.ts';
import { cutHeaders, readCarriers } from '../entity-lineage.ts';
import { heeding } from '../heed.ts';
import { statesOf } from '../tests.ts';
import {
  FILTERS,
  filterOf,
  findRoot,
  INCLUDE,
  includeOf,
  ROOT,
  spanOf,
  spanParameters,
  timeOf,
  timeParameter,
  viewing,
} from './ask.ts';
import { compare } from './diff.ts';
import { type Drawing, draw, type Wish } from './draw.ts';
import { FORMATS } from './formats.ts';
import { healthRoutes } from './health-routes.ts';
import { impactRoutes } from './impact-routes.ts';
import { past, present } from './moment.ts';
import { pathRoutes } from './path-routes.ts';
import type { Room } from './room.ts';
import { columnsOf, type Showing } from './show.ts';

const momentAt = ({ engine, walker, budget }: Room, at: number | undefined) =>
  at === undefined ? present(engine.graph, walker, budget) : past(engine.graph, at, budget);

const permittedRoot = async (engine: Engine, call: Call, alsoDeleted = false): Promise<Site> => {
  const root = await findRoot(engine, call, alsoDeleted);
  await permit(engine, call.principal, VIEW, root);
  return root;
};

const showingOf = async (
  room: Room,
  call: Call,
  drawing: Drawing,
  { withColumns, isPresent }: { readonly withColumns: boolean; readonly isPresent: boolean },
): Promise<Showing> => {
  const view = viewFor(room.engine, call, NO_FIELDS);
  const carriers = drawing.edges.map(({ tuple }) => tuple?.[2]);
  return {
    drawing,
    view,
    redact: redactorFor(room.engine, call.principal),
    carrierOf: await readCarriers(room, call, carriers, view),
    names: new Map(drawing.nodes.map(({ node }) => [node.id, node.fullyQualifiedName])),
    columns: withColumns ? columnsOf(drawing.edges) : undefined,
    // What tests and contracts say today says nothing of the past.
    statesOf: isPresent ? (known) => statesOf(room.engine, call.principal, known) : () => Promise.resolve(new Map()),
    contractsOf: isPresent ? (ids) => contractsOf(room.engine, call.principal, ids) : () => Promise.resolve(new Map()),
  };
};

const formatOf = ({ query }: Call) => {
  const name = query.get('format') || 'json';
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (!format) throw badRequest(`[format must be one of ${Object.keys(FORMATS).join(', ')}]`);
  return format;
};

const readGraph =
  (all: Room) =>
  async (call: Call): Promise<Answer> => {
    const room = heeding(all, call.signal);
    const { engine, budget } = room;
    const span = spanOf(call, room.maxDepth);
    const include = includeOf(call);
    const filter = filterOf(engine, call);
    const at = timeOf(call, 'asOf');
    const maxNodes = wholeNumber(call.query, 'maxNodes', budget.nodes, 1, budget.nodes);
    const withColumns = queryFlag(call, 'columns');
    const { mediaType, pieces } = formatOf(call);
    const root = await permittedRoot(engine, call, include !== 'non-deleted');
    const easel = { engine, moment: momentAt(room, at), budget };
    const drawing = await draw(easel, call.principal, root, { span, filter, include, maxNodes });
    const showing = await showingOf(room, call, drawing, { withColumns, isPresent: at === undefined });
    const headers = { ...cutHeaders(drawing.truncated), 'Content-Type': mediaType };
    return { status: 200, headers, stream: pieces(engine, showing, at ?? engine.clock()) };
  };

const NO_FILTER: Wish['filter'] = { types: [], services: [], domains: [], tags: [] };

/** A time that a query must name. */
const requiredTime = (call: Call, name: string): number => {
  const at = timeOf(call, name);
  if (at === undefined) throw badRequest(`[${name} must be given, in milliseconds]`);
  return at;
};

const readDiff =
  (all: Room) =>
  async (call: Call): Promise<Answer> => {
    const room = heeding(all, call.signal);
    const { engine, budget } = room;
    const wish: Wish = {
      span: spanOf(call, room.maxDepth),
      filter: NO_FILTER,
      include: 'all',
      maxNodes: budget.nodes,
    };
    const times = [requiredTime(call, 'from'), requiredTime(call, 'to')];
    const root = await permittedRoot(engine, call, true);
    const [before, after] = await Promise.all(
      times.map(async (at) => {
        const easel = { engine, moment: momentAt(room, at), budget };
        return showingOf(room, call, await draw(easel, call.principal, root, wish), {
          withColumns: true,
          isPresent: false,
        });
      }),
    );
    if (!before || !after) throw new Error('two graphs are compared');
    const truncated = before.drawing.truncated ?? after.drawing.truncated;
    return { status: 200, headers: cutHeaders(truncated), json: compare(before, after) };
  };

const COLUMNS: QueryParameter = {
  name: 'columns',
  description: 'Also the columns that are joined, and which is made from which',
  schema: { type: 'boolean', default: false },
};

const FORMAT: QueryParameter = {
  name: 'format',
  description: 'How the graph is written down',
  schema: { type: 'string', enum: Object.keys(FORMATS), default: 'json' },
};

const maxNodesParameter = (most: number): QueryParameter => ({
  name: 'maxNodes',
  description: 'How many records to answer at most, nearest first',
  schema: { type: 'integer', minimum: 1, maximum: most, default: most },
});

/** What explorers of lineage ask for: graphs, paths, what changed, what a change would break, and what is amiss. */
export const graphRoutes = (room: Room): Route[] => [
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/graph',
    summary: 'Read the lineage around a record as a graph, filtered, by column, or as of a time',
    query: [
      ...ROOT,
      ...spanParameters(room.maxDepth),
      COLUMNS,
      ...FILTERS,
      INCLUDE,
      timeParameter('asOf', 'The time, in milliseconds, of which the lineage is asked for; now when absent'),
      maxNodesParameter(room.budget.nodes),
      FORMAT,
    ],
    responses: { 200: NativeGraph },
    handle: readGraph(room),
  },
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/diff',
    summary: 'Compare the lineage around a record at two times',
    query: [
      ...ROOT,
      ...spanParameters(room.maxDepth),
      timeParameter('from', 'The earlier time, in milliseconds'),
      timeParameter('to', 'The later time, in milliseconds'),
    ],
    responses: { 200: LineageDiff },
    handle: readDiff(room),
  },
  ...pathRoutes(room),
  ...impactRoutes(room),
  ...healthRoutes(room),
];
