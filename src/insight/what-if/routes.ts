import { setMaxListeners } from 'node:events';
import type { Engine } from '../../catalog/engine.ts';
import { createView, readRequiredJson } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import type { Config } from '../../config.ts';
import type { OdcsDocuments } from '../../contracts/odcs/texts/documents.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import type { BrokenClauseFinder } from '../../impact/broken-contracts.ts';
import { findEndpointsByIds } from '../../lineage/endpoints.ts';
import { engineWithAbortSignal } from '../../lineage/read/abort-signal.ts';
import { compareLineage } from '../../lineage/read/graph/diff-routes.ts';
import { createPresentReader } from '../../lineage/read/graph/graph-reader.ts';
import type { GraphRoom } from '../../lineage/read/graph/graph-room.ts';
import { handleImpact } from '../../lineage/read/graph/impact-routes.ts';
import { createLineageWalker, type LineageWalker, walkerWithAbortSignal } from '../../lineage/read/walker.ts';
import { openSqlReader, type SqlReader } from '../../lineage/sql/reader.ts';
import type { Json } from '../../model/json.ts';
import { WhatIf, WhatIfAnswer } from '../../model/schemas/insight/what-if.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import type { PropagationDeps } from '../propagation/propagation-deps.ts';
import { answerTagPropagation } from '../propagation/routes.ts';
import { applyChanges, openChangeTools, refuseWrongMembers } from './apply-changes.ts';
import { judgeContracts, listChangedAssets } from './judge-contracts.ts';
import { createOverlay, type Overlay } from './overlay.ts';
import { createOverlayEngine } from './overlay-engine.ts';
import { createOverlayGraph } from './overlay-graph.ts';
import { indexOverlay } from './overlay-index.ts';
import { createOverlayWalker } from './overlay-walker.ts';
import { createOverlayClauseFinder } from './propose-contract.ts';
import { callOf, refuseIdleParameters, type WhatIfPart, type WhatIfQuestion } from './question.ts';

/**
 * The route that answers what changes would do. `apply-changes.ts` applies them to an overlay in memory, and the
 * operations that answer such questions about the catalog are asked as if it had the changes: `overlay-engine.ts`,
 * `overlay-graph.ts` and `overlay-walker.ts` are what they read instead. Nothing is written.
 */

type WhatIfRoom = {
  readonly engine: Engine;
  readonly limits: Config['limits'];
  readonly breaks: BrokenClauseFinder;
  readonly documents: OdcsDocuments;
  readonly propagation: PropagationDeps;
  readonly walker: LineageWalker;
  readonly reader: SqlReader;
};

/** The state after the changes, as the operations read it. */
type FutureRoom = GraphRoom & { readonly overlay: Overlay; readonly breaks: BrokenClauseFinder };

/** Opens the state after the changes; with `known`, that state with whatever the changes remove. */
const openFuture = async (
  room: WhatIfRoom,
  engine: Engine,
  call: Call,
  question: WhatIfQuestion,
  known?: FutureRoom,
): Promise<FutureRoom> => {
  const { limits, documents, reader, walker } = room;
  const overlay = createOverlay(engine, call.principal, known !== undefined);
  await applyChanges(openChangeTools(overlay, { documents, reader }), question.changes);
  // A proposed contract is the same one in both states.
  const { contracts } = known?.overlay ?? overlay;
  const future = { ...overlay, contracts };
  const index = await indexOverlay(future);
  const changed = createOverlayEngine(future);
  const breaks = createOverlayClauseFinder(future, room.breaks);
  return {
    overlay: future,
    engine: { ...changed, graph: createOverlayGraph(future, index, changed) },
    walker: createOverlayWalker(walker, index),
    budget: { nodes: limits.lineageNodes, edges: limits.lineageEdges },
    maxDepth: limits.lineageDepth,
    breaks,
    findBrokenClauses: breaks,
  };
};

type PartAnswer = Pick<Answer, 'headers' | 'json'>;

const answerDiff = (room: WhatIfRoom, stored: Engine, future: FutureRoom, call: Call): Promise<PartAnswer> => {
  const { budget } = future;
  const moments = () => (bound: GraphRoom) => ({
    before: createPresentReader(stored.graph, walkerWithAbortSignal(room.walker, call), budget),
    after: createPresentReader(bound.engine.graph, bound.walker, budget),
  });
  // The lineage around an asset that is removed can still be compared.
  const { store } = future.engine;
  const findRemoved: Engine['store'] = {
    ...store,
    reference: async (kind, fqn) => (await store.reference(kind, fqn)) ?? stored.store.reference(kind, fqn),
    referenceById: async (id) => (await store.referenceById(id)) ?? stored.store.referenceById(id),
  };
  return compareLineage({ ...future, engine: { ...future.engine, store: findRemoved } }, moments)(call);
};

const answerContracts = async (
  room: WhatIfRoom,
  stored: Engine,
  future: FutureRoom,
  call: Call,
  question: WhatIfQuestion,
): Promise<PartAnswer> => {
  // Whoever reads what the changes remove is found along the lineage that still has it.
  const kept = await openFuture(room, stored, call, question, future);
  const { overlay } = future;
  const ids = [...overlay.columns.keys(), ...overlay.removed];
  const assets = await findEndpointsByIds(
    stored,
    [...new Set(ids)].filter((id) => !overlay.added.has(id)),
  );
  const changed = await listChangedAssets(overlay, assets);
  const view = createView(stored, call, NO_FIELDS);
  const check = { engine: kept.engine, breaks: kept.breaks, budget: kept.budget, maxDepth: kept.maxDepth };
  const { json, truncated } = await judgeContracts(check, { principal: call.principal, view }, overlay, changed);
  return { json, headers: truncated === undefined ? {} : { 'X-Lineage-Truncated': truncated } };
};

const answerPart = (
  room: WhatIfRoom,
  stored: Engine,
  future: FutureRoom,
  call: Call,
  question: WhatIfQuestion,
  part: WhatIfPart,
): Promise<PartAnswer> => {
  const own = callOf(call, question, part);
  if (part === 'impact') return handleImpact(future)(own);
  if (part === 'diff') return answerDiff(room, stored, future, own);
  if (part === 'contracts') return answerContracts(room, stored, future, own, question);
  const tag = own.query.get('tag');
  if (!tag) throw badRequest('[tag must be given for propagation]');
  return answerTagPropagation({ ...room.propagation, engine: future.engine }, own, tag);
};

const answerQuestion = async (room: WhatIfRoom, call: Call, question: WhatIfQuestion): Promise<Answer> => {
  const stored = engineWithAbortSignal(room.engine, call.signal);
  const future = await openFuture(room, stored, call, question);
  const parts: Record<string, unknown> = {};
  let cut: string | undefined;
  for (const part of new Set(question.ask)) {
    const { json, headers = {} } = await answerPart(room, stored, future, call, question, part);
    parts[part] = json;
    cut ??= headers['X-Lineage-Truncated'];
  }
  return { status: 200, headers: cut === undefined ? {} : { 'X-Lineage-Truncated': cut }, json: parts };
};

const tooLong = (limitMs: number, cause: unknown): CatalogError =>
  new CatalogError(
    'unavailable',
    `The question takes longer than ${limitMs / 1000} seconds: send fewer changes or less depth`,
    {
      cause,
    },
  );

const handleWhatIf =
  (room: WhatIfRoom) =>
  async (call: Call): Promise<Answer> => {
    const question = validate(WhatIf, dropNulls((await readRequiredJson(call)) as Json)) as unknown as WhatIfQuestion;
    refuseWrongMembers(question.changes);
    refuseIdleParameters(question);
    // A request may take so long, whatever it asks.
    const { questionMs } = room.engine.limits;
    const limit = AbortSignal.timeout(questionMs);
    const signal = AbortSignal.any([call.signal, limit]);
    // Each statement listens while it runs, so many listeners are no leak, which Node would warn of.
    setMaxListeners(0, signal);
    try {
      return await answerQuestion(room, { ...call, signal }, question);
    } catch (failure) {
      throw limit.aborted && !call.signal.aborted ? tooLong(questionMs, failure) : failure;
    }
  };

export const whatIfRoutes = (parts: Omit<WhatIfRoom, 'walker' | 'reader'>): Route[] => {
  const { graph, limits } = parts.engine;
  const reader = openSqlReader({ timeoutMs: limits.sqlTextMs });
  const room = { ...parts, walker: createLineageWalker(graph), reader };
  return [
    {
      tag: 'Lineage',
      access: {
        operation: 'ViewBasic',
        resource: 'lineage',
        also: 'The caller must see every asset that a change names; to change it is not needed.',
      },
      isOwn: true,
      isHeavy: true,
      method: 'POST',
      path: '/v1/lineage/what-if',
      summary: 'Ask what changes would do, without making them',
      body: { schema: WhatIf, mediaTypes: ['application/json'] },
      responses: { 200: WhatIfAnswer },
      sends: ['X-Lineage-Truncated'],
      handle: handleWhatIf(room),
    },
  ];
};
