import type { Engine } from '../catalog/engine.ts';
import { queryFlag, requiredJson, viewFor } from '../catalog/read/answer.ts';
import { permit, VIEW } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import * as schema from '../catalog/routes/schemas.ts';
import type { Config } from '../config.ts';
import { CatalogError } from '../errors.ts';
import { wholeNumber } from '../http/query.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import { AddLineage, EntityLineage, LineageDetails, LineageEdge, LineageRequest } from '../model/lineage-values.ts';
import { check, dropNulls } from '../model/validate.ts';
import { patchEdge, readDetails, removeEdge, removeSource, type ShowCarrier, sourceCalled } from './change.ts';
import type { AskBroken } from './contracts.ts';
import { showDetails } from './details.ts';
import { detailsText } from './edge.ts';
import { type Edges, openEdges } from './edges.ts';
import { findById, findPlace, idPlace, namePlace, type Place, permitEnds, type Site } from './ends.ts';
import {
  isCarrier,
  lineageAnswer,
  type Reaching,
  type Reader,
  readCarriers,
  readLineage,
  walkBothWays,
} from './entity-lineage.ts';
import { graphRoutes } from './graph/routes.ts';
import { needsParsing, openParser, type Parsed, type Parser } from './ingest/parsed.ts';
import { ingestRoutes, PARSE, preparing } from './ingest/routes.ts';
import { mapRoutes } from './map/routes.ts';
import { merge } from './merge.ts';
import { type AskedEdge, type Details, type Found, findAll, findEdge, type Put, putEdge } from './put.ts';
import type { EdgeTuple } from './queries.ts';
import type { Budget } from './subgraph.ts';
import { createWalker, MOST_BESIDE, type WalkerOfNow } from './walk.ts';

export type LineageDeps = { readonly engine: Engine; readonly limits: Config['limits'] };

type Room = Reader & {
  readonly walker: WalkerOfNow;
  readonly edges: Edges;
  readonly parser: Parser;
  readonly budget: Budget;
  readonly maxDepth: number;
  readonly broken: AskBroken;
};

const TAG = 'Lineage';
/** Beside the edge it put, an answer shows what is nearest, and no more than so many others. */
const BESIDE_PUT: Reaching = {
  span: { upstream: 1, downstream: 1 },
  budget: { nodes: MOST_BESIDE + 2, edges: MOST_BESIDE + 1 },
};

const strictly = (call: Call) => ({ strictColumns: queryFlag(call, 'strictColumns') });

/** An edge that was put, as walks answer it. */
const tupleOf = ({ from, to, settled }: Put): EdgeTuple | undefined => {
  const merged = settled.state && merge(settled.state.assertions);
  return merged && [from.id, to.id, merged.pipelineId ?? null, detailsText(merged)];
};

/** Says how much of the SQL nobody could make out. */
const UNRESOLVED_HEADER = 'X-Lineage-Unresolved';

const parsed = async (room: Room, call: Call, found: Found): Promise<Partial<Parsed> & { found: Found }> => {
  const prepare = preparing(room.parser, call);
  if (!prepare || !needsParsing(found)) return { found };
  await permitEnds(room.engine, call.principal, [found.from, found.to]);
  return prepare(found);
};

/** What is next to a record of which an edge was put; most records stand for none but themselves, and nothing runs through them. */
const besidePut = async (room: Room, call: Call, root: Site) => {
  if (root.kind.platformView || isCarrier(root)) {
    return { around: await walkBothWays(room, call, root, BESIDE_PUT), isCut: false };
  }
  const { up, down, isCut } = await room.walker.beside(root.id);
  return { around: [up, down] as const, isCut };
};

const putFound = async (room: Room, call: Call, asked: Found): Promise<Answer> => {
  const { found, unresolved } = await parsed(room, call, asked);
  const done = await putEdge(room.edges, call.principal, found, strictly(call));
  const edge = tupleOf(done);
  const surely = edge && { edge, node: done.to.node };
  const { around, isCut } = await besidePut(room, call, done.from);
  const shown = await readLineage(room, call, done.from, BESIDE_PUT, around, surely);
  const answer = lineageAnswer({ ...shown, truncated: shown.truncated ?? (isCut ? 'edges' : undefined) });
  if (unresolved === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, [UNRESOLVED_HEADER]: String(unresolved.length) } };
};

const put =
  (room: Room) =>
  async (call: Call): Promise<Answer> => {
    const body = check(AddLineage, dropNulls((await requiredJson(call)) as Json)) as unknown as {
      readonly edge: AskedEdge;
    };
    return putFound(room, call, await findEdge(room.edges, body.edge));
  };

type Ends = { readonly from: Site; readonly to: Site };

/** The two records that a path names. */
type PlacesOf = (engine: Engine, call: Call) => readonly [from: Place, to: Place];

const byIds: PlacesOf = (engine, { params }) => [
  idPlace(engine, params['fromType'] ?? '', params['fromId'] ?? ''),
  idPlace(engine, params['toType'] ?? '', params['toId'] ?? ''),
];

const byNames: PlacesOf = (engine, { params }) => [
  namePlace(engine, params['fromType'] ?? '', params['fromFQN'] ?? ''),
  namePlace(engine, params['toType'] ?? '', params['toFQN'] ?? ''),
];

const findBoth = async (room: Room, call: Call, placesOf: PlacesOf, alsoDeleted = false): Promise<Ends> => {
  const [one, other] = placesOf(room.engine, call);
  const [from, to] = await Promise.all([
    findPlace(room.engine, one, alsoDeleted),
    findPlace(room.engine, other, alsoDeleted),
  ]);
  return { from, to };
};

const putNamed =
  (room: Room) =>
  async (call: Call): Promise<Answer> => {
    const body = dropNulls(((await call.body.json()) ?? {}) as Json);
    const details = check(LineageRequest, body) as unknown as Details;
    const [one, other] = byNames(room.engine, call);
    const ends = () => [findPlace(room.engine, one), findPlace(room.engine, other)] as const;
    return putFound(room, call, await findAll(room.edges, ends, details));
  };

const placeOf = (engine: Engine, { params }: Call): Place =>
  'fqn' in params
    ? namePlace(engine, params['type'] ?? '', params['fqn'] ?? '')
    : idPlace(engine, params['type'] ?? '', params['id'] ?? '');

/** What a record or an edge of an answer costs: it is read, judged, rendered and written. */
const CHARACTERS_EACH = 250;

const spendOn = (call: Call, [up, down]: Awaited<ReturnType<typeof walkBothWays>>): void =>
  call.spend((up.nodes.length + up.edges.length + down.nodes.length + down.edges.length) * CHARACTERS_EACH);

const readGraph =
  (room: Room) =>
  async (call: Call): Promise<Answer> => {
    const span = {
      upstream: wholeNumber(call.query, 'upstreamDepth', 1, 0, room.maxDepth),
      downstream: wholeNumber(call.query, 'downstreamDepth', 1, 0, room.maxDepth),
    };
    const reaching = { span, budget: room.budget };
    const place = placeOf(room.engine, call);
    const find = async (): Promise<Site> => {
      const site = await findPlace(room.engine, place);
      await permit(room.engine, call.principal, VIEW, site);
      return site;
    };
    if (!('id' in place)) {
      const root = await find();
      const around = await walkBothWays(room, call, root, reaching);
      spendOn(call, around);
      return lineageAnswer(await readLineage(room, call, root, reaching, around));
    }
    // An id is all it takes to walk, so nobody waits for the record before the walk begins.
    const [root, around] = await Promise.all([find(), walkBothWays(room, call, place, reaching)]);
    spendOn(call, around);
    return lineageAnswer(await readLineage(room, call, root, reaching, around));
  };

const carrierShower =
  (room: Room, call: Call): ShowCarrier =>
  ({ pipelineId }) =>
    readCarriers(room, call, pipelineId === undefined ? [] : [pipelineId], viewFor(room.engine, call, NO_FIELDS));

const permitSight = async ({ engine }: Room, call: Call, sites: readonly Site[]): Promise<void> => {
  for (const site of sites) await permit(engine, call.principal, VIEW, site);
};

/** Two records that are told by their ids alone. */
const findByIds = async ({ engine }: Room, { params }: Call): Promise<Ends> => {
  const [one = '', other = ''] = [params['fromId'], params['toId']].map((id) => (id ?? '').toLowerCase());
  const [from, to] = await Promise.all([findById(engine, one), findById(engine, other)]);
  return { from, to };
};

const readOne =
  (room: Room, find: (room: Room, call: Call) => Promise<Ends>) =>
  async (call: Call): Promise<Answer> => {
    const { from, to } = await find(room, call);
    await permitSight(room, call, [from, to]);
    const { merged } = await readDetails(room.edges, from, to);
    const names = { from: from.fullyQualifiedName, to: to.fullyQualifiedName };
    const edge = showDetails(merged, names, await carrierShower(room, call)(merged));
    return { status: 200, json: { edge } };
  };

const patch =
  (room: Room, placesOf: PlacesOf) =>
  async (call: Call): Promise<Answer> => {
    const body = await requiredJson(call);
    const ends = await findBoth(room, call, placesOf);
    // The answer shows what is said of the edge, and so does whether a `test` of it holds.
    await permitSight(room, call, [ends.from, ends.to]);
    return {
      status: 200,
      json: await patchEdge(room.edges, call.principal, ends, body, carrierShower(room, call)),
    };
  };

const remove =
  (room: Room, placesOf: PlacesOf) =>
  async (call: Call): Promise<Answer> => {
    const { from, to } = await findBoth(room, call, placesOf, true);
    await removeEdge(room.edges, call.principal, from, to);
    return { status: 200 };
  };

const withdraw =
  (room: Room, find: (room: Room, call: Call) => Promise<Site | undefined>) =>
  async (call: Call): Promise<Answer> => {
    const source = sourceCalled(call.params['source'] ?? '');
    const site = await find(room, call);
    if (site) await removeSource(room.edges, call.principal, site, source);
    return { status: 200 };
  };

/** Clients take it for granted that whatever a record's id says, nothing of its source is left afterwards. */
const findIfThere = async (room: Room, call: Call): Promise<Site | undefined> => {
  try {
    return await findPlace(room.engine, placeOf(room.engine, call), true);
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'not_found') return undefined;
    throw failure;
  }
};

const findNamed = (room: Room, call: Call): Promise<Site> => findPlace(room.engine, placeOf(room.engine, call), true);

const depth = (name: string, what: string, most: number): QueryParameter => ({
  name,
  description: `How many steps to walk ${what}; 0 walks none`,
  schema: { type: 'integer', minimum: 0, maximum: most, default: 1 },
});

const STRICT: QueryParameter = {
  name: 'strictColumns',
  description: 'Columns that nobody knows are refused instead of being left out',
  schema: { type: 'boolean', default: false },
};

const BY_IDS = '{fromType}/{fromId}/{toType}/{toId}';
const BY_NAMES = '{fromType}/name/{fromFQN}/{toType}/name/{toFQN}';

const viewing = { tag: TAG, access: { operation: 'ViewBasic', resource: 'lineage' } } as const;
const editing = { tag: TAG, access: { operation: 'EditLineage', resource: 'lineage', also: 'at both ends' } } as const;
const JSON_BODY = ['application/json'] as const;
const PATCH_BODY = ['application/json-patch+json', 'application/json'] as const;

const putRoutes = (room: Room): Route[] => [
  {
    ...editing,
    method: 'PUT',
    path: '/v1/lineage',
    summary: 'Say that one record feeds another',
    query: [STRICT, ...PARSE],
    body: { schema: AddLineage, mediaTypes: JSON_BODY },
    responses: { 200: EntityLineage },
    handle: put(room),
  },
  {
    ...editing,
    method: 'PUT',
    path: `/v1/lineage/${BY_NAMES}`,
    summary: 'Say that one record feeds another, by their names',
    query: [STRICT, ...PARSE],
    body: { schema: LineageRequest, mediaTypes: JSON_BODY },
    responses: { 200: EntityLineage },
    handle: putNamed(room),
  },
];

const readRoutes = (room: Room): Route[] => [
  ...['{type}/{id}', '{type}/name/{fqn}'].map(
    (place): Route => ({
      ...viewing,
      method: 'GET',
      path: `/v1/lineage/${place}`,
      summary: 'Read the lineage around a record',
      query: [depth('upstreamDepth', 'upstream', room.maxDepth), depth('downstreamDepth', 'downstream', room.maxDepth)],
      responses: { 200: EntityLineage },
      handle: readGraph(room),
    }),
  ),
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/getLineageEdge/{fromId}/{toId}',
    summary: 'Read an edge',
    responses: { 200: LineageEdge },
    handle: readOne(room, findByIds),
  },
  {
    ...viewing,
    method: 'GET',
    path: `/v1/lineage/getLineageEdge/${BY_NAMES}`,
    summary: 'Read an edge, by the names of its ends',
    responses: { 200: LineageEdge },
    handle: readOne(room, (_, call) => findBoth(room, call, byNames)),
  },
];

const changeRoutes = (room: Room): Route[] => [
  ...(
    [
      [BY_IDS, byIds, ''],
      [BY_NAMES, byNames, ', by the names of its ends'],
    ] as const
  ).flatMap(([place, placesOf, how]): Route[] => [
    {
      ...editing,
      method: 'PATCH',
      path: `/v1/lineage/${place}`,
      summary: `Change an edge${how}`,
      body: { schema: schema.patch, mediaTypes: PATCH_BODY },
      responses: { 200: LineageDetails },
      handle: patch(room, placesOf),
    },
    {
      ...editing,
      method: 'DELETE',
      path: `/v1/lineage/${place}`,
      summary: `Remove an edge${how}`,
      responses: { 200: undefined },
      handle: remove(room, placesOf),
    },
  ]),
  ...(
    [
      ['{type}/{id}', findIfThere],
      ['source/name/{type}/{fqn}', findNamed],
    ] as const
  ).map(
    ([place, find]): Route => ({
      ...editing,
      method: 'DELETE',
      path: `/v1/lineage/${place}/type/{source}`,
      summary: 'Take back what a source says of the edges into a record, or through it',
      responses: { 200: undefined },
      handle: withdraw(room, find),
    }),
  ),
];

/** Which record feeds which, column by column: the heart of the catalog. */
export const lineageRoutes = ({ engine, limits }: LineageDeps, broken: AskBroken): Route[] => {
  const room: Room = {
    engine,
    walker: createWalker(engine.graph),
    edges: openEdges(engine),
    parser: openParser(engine),
    budget: { nodes: limits.lineageNodes, edges: limits.lineageEdges },
    maxDepth: limits.lineageDepth,
    broken,
  };
  return [
    ...putRoutes(room),
    ...readRoutes(room),
    ...changeRoutes(room),
    ...ingestRoutes(room.edges, room.parser),
    // Most of these walk as far as anybody asks, and what they find is read, rendered and written as a whole.
    ...[...graphRoutes(room), ...mapRoutes(room)].map((route) => ({ ...route, isHeavy: true })),
  ];
};
