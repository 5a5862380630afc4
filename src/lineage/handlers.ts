/** Request handlers of the lineage edge routes. */
import type { Engine } from '../catalog/engine.ts';
import { createView, parseQueryFlag, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Config } from '../config.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { integerParameter } from '../http/query-parameters.ts';
import type { Answer, Call } from '../http/route.ts';
import { isUuid } from '../model/uuid.ts';
import type { AssertionContent } from './edge.ts';
import {
  type Endpoint,
  type EntityRef,
  entityRefById,
  entityRefByName,
  findEndpoint,
  findEndpointById,
} from './endpoints.ts';
import type { EdgeSqlParser } from './ingest/edge-sql-parser.ts';
import type { FacetStores } from './openlineage/facets/facet-room.ts';
import { withAbortSignal } from './read/abort-signal.ts';
import { lineageAnswer, readPipelineReferences, renderEntityLineage } from './read/entity-lineage.ts';
import type { OpenScores } from './read/graph/graph-room.ts';
import { canKeepLineage, encodedLineage, type KeptLineage, lineageKey } from './read/kept-lineage.ts';
import {
  type FoundLineage,
  type LineageDepth,
  type LineageReader,
  readSubgraph,
  type SubgraphQuery,
  type WalkLimits,
} from './read/read-subgraph.ts';
import type { FindBrokenClauses } from './read/record-contracts.ts';
import type { LineageBudget } from './read/walk-edges.ts';
import { type PresentWalker, walkerWithAbortSignal } from './read/walker.ts';
import { type PipelineLookup, renderAssertion, renderEdgeDetails } from './render-edge.ts';
import { unknownColumnsHeader } from './unknown-columns.ts';
import {
  parseSource,
  patchEdge,
  type RenderPipeline,
  readPresentEdge,
  removeEdge,
  type Withdrawal,
  withdrawSource,
} from './write/change-edge.ts';
import type { EdgeStore } from './write/edge-store.ts';

export type LineageDeps = {
  readonly engine: Engine;
  readonly limits: Config['limits'];
  /** The OpenLineage namespaces that the setting assigns to records. */
  readonly namespaces: Config['openLineageNamespaces'];
  /** How important assets are. */
  readonly openScores: OpenScores;
  /** Writes what the facets of OpenLineage events say of the subjects of other rooms. */
  readonly stores: FacetStores;
};

export type LineageRoom = LineageReader & {
  readonly walker: PresentWalker;
  readonly kept: KeptLineage;
  readonly edges: EdgeStore;
  readonly parser: EdgeSqlParser;
  readonly budget: LineageBudget;
  readonly maxDepth: number;
  readonly findBrokenClauses: FindBrokenClauses;
  readonly openScores: OpenScores;
};

export const LINEAGE_TAG = 'Lineage';
/** What is read around a record: deleted records too, and derived edges between the records reached. */
export const aroundRecord = (root: SubgraphQuery['roots'][number], limits: WalkLimits): SubgraphQuery => ({
  roots: [root],
  ...limits,
  derived: { includeDeleted: true, beyond: false },
});

/** Returns a reader that stops when the caller has disconnected. Walks from most records are too short for more. */
export const readerOf = (
  { engine, walker }: LineageRoom,
  call: Call,
  { kind }: Pick<Endpoint, 'kind'>,
): LineageReader =>
  kind.platformView
    ? withAbortSignal({ engine, walker }, call.signal)
    : { engine, walker: walkerWithAbortSignal(walker, call) };

type PathEndpoints = { readonly from: Endpoint; readonly to: Endpoint };

/** Reads the two records that a path names. */
type ReadEntityRefs = (engine: Engine, call: Call) => readonly [from: EntityRef, to: EntityRef];

export const readRefsByIds: ReadEntityRefs = (engine, { params }) => [
  entityRefById(engine, params['fromType'] ?? '', params['fromId'] ?? ''),
  entityRefById(engine, params['toType'] ?? '', params['toId'] ?? ''),
];

export const readRefsByNames: ReadEntityRefs = (engine, { params }) => [
  entityRefByName(engine, params['fromType'] ?? '', params['fromFQN'] ?? ''),
  entityRefByName(engine, params['toType'] ?? '', params['toFQN'] ?? ''),
];

export const findPathEndpoints = async (
  room: LineageRoom,
  call: Call,
  placesOf: ReadEntityRefs,
  alsoDeleted = false,
): Promise<PathEndpoints> => {
  const [one, other] = placesOf(room.engine, call);
  const [from, to] = await Promise.all([
    findEndpoint(room.engine, one, alsoDeleted),
    findEndpoint(room.engine, other, alsoDeleted),
  ]);
  return { from, to };
};

const readEntityRef = (engine: Engine, { params }: Call): EntityRef =>
  'fqn' in params
    ? entityRefByName(engine, params['type'] ?? '', params['fqn'] ?? '')
    : entityRefById(engine, params['type'] ?? '', params['id'] ?? '');

/** The work one record or edge of an answer costs: it is read, authorized, rendered and written. */
const CHARACTERS_EACH = 250;

const chargeForWalk = (call: Call, { nodes, upstream, downstream, carried, derived }: FoundLineage): void => {
  const edges = upstream.length + downstream.length + carried.length + derived.length;
  call.countWork((nodes.size + edges) * CHARACTERS_EACH);
};

const findVisibleRoot = async ({ engine }: LineageRoom, call: Call, place: EntityRef): Promise<Endpoint> => {
  const root = await findEndpoint(engine, place);
  await authorizeRecord(engine, call.principal, VIEW_OPERATIONS, root);
  return root;
};

/** Keeps an answer that is whole, so that it can be given again. */
export const keepLineage = async (
  { kept }: LineageRoom,
  key: string,
  id: string,
  shown: Awaited<ReturnType<typeof renderEntityLineage>>,
): Promise<Answer> => {
  if (shown.truncated) return lineageAnswer(shown);
  const content = Buffer.from(JSON.stringify(shown.json));
  await kept.keep(key, id, shown.records, { content });
  return encodedLineage({ content });
};

/** Answers with the lineage of a record, from the graph or as it was kept. */
const answerLineage = async (
  room: LineageRoom,
  call: Call,
  place: Extract<EntityRef, { readonly id: string }>,
  span: LineageDepth,
  found?: Endpoint,
): Promise<Answer> => {
  const limits = { span, budget: room.budget };
  const key = lineageKey({ ...place, span, hrefBase: call.hrefBase });
  const isKeepable = canKeepLineage(room.engine, call.principal, place.kind);
  const known = isKeepable ? await room.kept.find(key) : undefined;
  if (known) return encodedLineage(known);
  // The walk needs only the ID, so it starts before the record is loaded.
  const [root, subgraph] = await Promise.all([
    found ?? findVisibleRoot(room, call, place),
    readSubgraph(readerOf(room, call, place), call.principal, aroundRecord(place, limits)),
  ]);
  chargeForWalk(call, subgraph);
  const shown = await renderEntityLineage(room, call, root, limits, subgraph);
  return isKeepable ? keepLineage(room, key, place.id, shown) : lineageAnswer(shown);
};

export const handleReadLineage =
  (room: LineageRoom) =>
  async (call: Call): Promise<Answer> => {
    const span = {
      upstream: integerParameter(call.query, 'upstreamDepth', 1, 0, room.maxDepth),
      downstream: integerParameter(call.query, 'downstreamDepth', 1, 0, room.maxDepth),
    };
    const place = readEntityRef(room.engine, call);
    if ('id' in place) return answerLineage(room, call, place, span);
    const root = await findVisibleRoot(room, call, place);
    return answerLineage(room, call, root, span, root);
  };

/** Reads the pipelines that edges or assertions name. */
const readCarriers = (
  room: LineageRoom,
  call: Call,
  named: readonly Pick<AssertionContent, 'pipelineId'>[],
): Promise<PipelineLookup> =>
  readPipelineReferences(
    room,
    call,
    named.flatMap(({ pipelineId }) => pipelineId ?? []),
    createView(room.engine, call, NO_FIELDS),
  );

const createPipelineRenderer =
  (room: LineageRoom, call: Call): RenderPipeline =>
  (merged) =>
    readCarriers(room, call, [merged]);

const permitView = async ({ engine }: LineageRoom, call: Call, sites: readonly Endpoint[]): Promise<void> => {
  for (const site of sites) await authorizeRecord(engine, call.principal, VIEW_OPERATIONS, site);
};

/** Finds the two endpoints from IDs alone, without their types. */
export const findEndpointPairByIds = async ({ engine }: LineageRoom, { params }: Call): Promise<PathEndpoints> => {
  const [one = '', other = ''] = [params['fromId'], params['toId']].map((id) => (id ?? '').toLowerCase());
  const [from, to] = await Promise.all([findEndpointById(engine, one), findEndpointById(engine, other)]);
  return { from, to };
};

export const handleReadEdge =
  (room: LineageRoom, find: (room: LineageRoom, call: Call) => Promise<PathEndpoints>) =>
  async (call: Call): Promise<Answer> => {
    const { from, to } = await find(room, call);
    await permitView(room, call, [from, to]);
    const { merged, state } = await readPresentEdge(room.edges, from, to);
    const names = { from: from.fullyQualifiedName, to: to.fullyQualifiedName };
    const newestFirst = parseQueryFlag(call, 'assertions')
      ? [...state.assertions].sort((a, b) => b.order - a.order)
      : undefined;
    const carrierOf = await readCarriers(room, call, [merged, ...(newestFirst ?? []).map(({ content }) => content)]);
    const json = {
      edge: renderEdgeDetails(merged, names, carrierOf),
      ...(newestFirst ? { assertions: newestFirst.map((one) => renderAssertion(one, names, carrierOf)) } : {}),
    };
    return { status: 200, json };
  };

export const handlePatchEdge =
  (room: LineageRoom, placesOf: ReadEntityRefs) =>
  async (call: Call): Promise<Answer> => {
    const body = await readRequiredJson(call);
    const ends = await findPathEndpoints(room, call, placesOf);
    // The answer shows the details of the edge, and a `test` operation in the patch reveals them too, so the caller
    // must be allowed to view both ends.
    await permitView(room, call, [ends.from, ends.to]);
    const options = { renderPipeline: createPipelineRenderer(room, call), isDryRun: parseQueryFlag(call, 'dryRun') };
    const { details, unknown } = await patchEdge(room.edges, call.principal, ends, body, options);
    return { status: 200, headers: unknownColumnsHeader(unknown), json: details };
  };

export const handleDeleteEdge =
  (room: LineageRoom, placesOf: ReadEntityRefs) =>
  async (call: Call): Promise<Answer> => {
    const { from, to } = await findPathEndpoints(room, call, placesOf, true);
    await removeEdge(room.edges, call.principal, from, to);
    return { status: 200 };
  };

const readWithdrawal = ({ params, query }: Call): Withdrawal => {
  const source = parseSource(params['source'] ?? '');
  const from = query.get('from');
  if (from !== null && !isUuid(from)) throw badRequest('[from must be a UUID]');
  return { source, sourceName: query.get('sourceName') ?? undefined, from: from?.toLowerCase() };
};

export const handleWithdraw =
  (room: LineageRoom, find: (room: LineageRoom, call: Call) => Promise<Endpoint | undefined>) =>
  async (call: Call): Promise<Answer> => {
    const withdrawal = readWithdrawal(call);
    const site = await find(room, call);
    if (site) await withdrawSource(room.edges, call.principal, site, withdrawal);
    return { status: 200 };
  };

/**
 * Returns undefined for a missing record instead of an error: clients rely on withdrawing a source by ID always
 * succeeding.
 */
export const findEndpointIfPresent = async (room: LineageRoom, call: Call): Promise<Endpoint | undefined> => {
  try {
    return await findEndpoint(room.engine, readEntityRef(room.engine, call), true);
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'not_found') return undefined;
    throw failure;
  }
};

export const findEndpointByName = (room: LineageRoom, call: Call): Promise<Endpoint> =>
  findEndpoint(room.engine, readEntityRef(room.engine, call), true);
