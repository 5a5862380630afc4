import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { StaleStateError } from '../../catalog/plan/step.ts';
import { badRequest, CatalogError, notFound, recordNotFound } from '../../errors.ts';
import type { Graph } from '../../graph/client.ts';
import { coalesce } from '../../graph/coalesce.ts';
import type { WriteStep } from '../../graph/group-commit.ts';
import { withPositions } from '../../graph/statement.ts';
import { type KnownColumns, partKey } from '../column-mappings.ts';
import {
  type Asserter,
  type Assertion,
  type AssertionContent,
  decodeAssertion,
  type EdgeState,
  isSameAsserter,
  isSameAssertionContent,
} from '../edge.ts';
import type { Endpoint } from '../endpoints.ts';
import {
  createSubjectReader,
  type EdgeEvent,
  type LineageEventType,
  planLineageEvents,
  type SubjectReader,
} from '../lineage-events.ts';
import { mergeAssertions } from '../merge-assertions.ts';
import { type EdgeReadKey, type EdgeStateRow, type EventSubjectRow, readEdges } from '../queries.ts';
import { renderEdge } from '../render-edge.ts';
import { edgeLockKey, planConfirmation, planEdgeChange } from './plan-edge.ts';

/** The state of an edge and the requested columns that exist. */
type EdgeContent = { readonly state: EdgeState | undefined; readonly known: KnownColumns };

/** What a change of an edge starts from. */
export type EdgeSnapshot = EdgeContent & {
  /** What an event tells about the record that the edge leaves. */
  readonly subject?: EventSubjectRow | undefined;
};

const decodeEdgeContent = ({ edge, assertions, columns, parts }: EdgeStateRow): EdgeContent => ({
  state: edge
    ? {
        id: edge['id'] as string,
        since: edge['since'] as number,
        revision: edge['revision'] as number,
        assertions: assertions.map(decodeAssertion),
      }
    : undefined,
  known: {
    columns: new Map(columns),
    parts: new Map(parts.map(([ownerId, name, id]) => [partKey(ownerId, name), id])),
  },
});

type EdgeReader = (key: EdgeReadKey) => Promise<EdgeContent | undefined>;

/** How often an edge is read that is being changed at that moment. */
const MAX_READS = 5;

/** An edge has at least one assertion. Without any it was read while its last one was being replaced. */
const isTorn = ({ edge, assertions }: EdgeStateRow): boolean => edge !== null && assertions.length === 0;

/** Reads edges, and once more those whose assertions were replaced meanwhile. */
const readWholeEdges = async (graph: Graph, keys: readonly EdgeReadKey[]): Promise<EdgeStateRow[]> => {
  const whole: EdgeStateRow[] = [];
  let wanted = withPositions(keys);
  for (let reads = 1; wanted.length > 0; reads += 1) {
    const rows = await graph.read(readEdges, { rows: wanted });
    const torn = new Set(reads === MAX_READS ? [] : rows.filter(isTorn).map(({ at }) => at));
    whole.push(...rows.filter(({ at }) => !torn.has(at)));
    wanted = wanted.filter(({ at }) => torn.has(at));
  }
  return whole;
};

const createEdgeReader = (graph: Graph): EdgeReader =>
  coalesce({
    name: readEdges.name,
    observer: graph.observer,
    maxBatch: 1000,
    load: async (keys: readonly EdgeReadKey[]) => {
      const found: (EdgeContent | undefined)[] = new Array(keys.length).fill(undefined);
      for (const row of await readWholeEdges(graph, keys)) found[row.at] = decodeEdgeContent(row);
      return found;
    },
  });

/** The dependencies for reading and changing edges. */
export type EdgeStore = {
  readonly engine: Engine;
  readonly read: EdgeReader;
  readonly subject: SubjectReader;
};

export const openEdgeStore = (engine: Engine): EdgeStore => ({
  engine,
  read: createEdgeReader(engine.graph),
  subject: createSubjectReader(engine.graph),
});

export const edgeNotFound = () => notFound('Lineage edge not found');

const NO_COLUMNS = { keys: [], fromParts: [], toParts: [] };

const NO_KEYS: ReadonlyMap<string, string> = new Map();

/** Reads the current edge between two records. */
export const readEdge = async (
  { read }: EdgeStore,
  from: Endpoint,
  to: Endpoint,
  wanted: Omit<EdgeReadKey, 'from' | 'to'> = NO_COLUMNS,
): Promise<EdgeSnapshot> => {
  const content = await read({ from: from.id, to: to.id, ...wanted });
  if (!content) throw recordNotFound(to.kind.entityType, to.id);
  return content;
};

/** Reads an edge that is probably about to change, and at the same time what its event needs. */
export const readEdgeToChange = async (
  edges: EdgeStore,
  from: Endpoint,
  to: Endpoint,
  wanted: Omit<EdgeReadKey, 'from' | 'to'>,
): Promise<EdgeSnapshot> => {
  const [snapshot, subject] = await Promise.all([readEdge(edges, from, to, wanted), edges.subject(from.id)]);
  return { ...snapshot, subject };
};

/** The content an asserter states about an edge, and the keys of the columns it names. */
export type AssertionInput = Asserter & {
  readonly content: AssertionContent;
  readonly fromKeys: ReadonlyMap<string, string>;
  readonly toKeys: ReadonlyMap<string, string>;
  /** From when on the asserter means it, where that is before it is told. */
  readonly since?: number | undefined;
};

/** An edge after a change, and the type of the change. */
export type EdgeResult = {
  readonly outcome: LineageEventType | 'same';
  readonly state: EdgeState | undefined;
};

export const unchangedEdge = ({ state }: Pick<EdgeContent, 'state'>): EdgeResult => ({ outcome: 'same', state });

/** The new state of one edge that leaves a record. */
type EdgeUpdate = {
  readonly to: Endpoint;
  readonly before: EdgeState | undefined;
  readonly assertions: readonly Assertion[];
  readonly fromKeys?: ReadonlyMap<string, string>;
  readonly toKeys?: ReadonlyMap<string, string>;
  readonly now: number;
  readonly toldAt: number;
};

/** An update with its write steps and change event. */
type PlannedUpdate = {
  readonly steps: readonly WriteStep[];
  readonly event: EdgeEvent | undefined;
  readonly result: EdgeResult;
};

const lastChangeOf = (state: EdgeState | undefined): number =>
  Math.max(state?.since ?? 0, ...(state?.assertions ?? []).map(({ updatedAt }) => updatedAt));

/** Returns a timestamp that is later than the edge's last change, even when the clock went backwards. */
const nextTimestamp = (state: EdgeState | undefined, now: number): number => Math.max(now, lastChangeOf(state));

/** History is told in its order: nothing begins before what is known of the edge already. */
const refuseEarlier = (state: EdgeState | undefined, since: number): void => {
  const last = lastChangeOf(state);
  if (since >= last) return;
  throw badRequest(`[since must not be before the last change of the edge, ${new Date(last).toISOString()}]`);
};

/** Renders the edge for its event: the new state, or the last one when the edge ends. */
const renderEventEdge = (
  from: Endpoint,
  to: Endpoint,
  before: EdgeState | undefined,
  assertions: readonly Assertion[],
) => {
  const merged = mergeAssertions(assertions) ?? mergeAssertions(before?.assertions ?? []);
  const carrierOf = (id: string) => ({ id });
  return merged ? renderEdge({ from, to }, merged, carrierOf) : { fromEntity: from.id, toEntity: to.id };
};

const eventTypeOf = ({ before, assertions }: EdgeUpdate): LineageEventType => {
  if (!before) return 'entityLineageAdded';
  return assertions.length === 0 ? 'entityLineageDeleted' : 'entityLineageUpdated';
};

const nextState = (before: EdgeState | undefined, id: string, assertions: readonly Assertion[], now: number) =>
  assertions.length === 0
    ? undefined
    : { id, since: before?.since ?? now, revision: (before?.revision ?? 0) + 1, assertions };

const planUpdate = (from: Endpoint, change: EdgeUpdate): PlannedUpdate => {
  const { to, before, assertions, fromKeys = NO_KEYS, toKeys = NO_KEYS, now, toldAt } = change;
  const edgeId = before?.id ?? randomUUID();
  const outcome = eventTypeOf(change);
  return {
    steps: planEdgeChange({ edgeId, from, to, before, assertions, now, toldAt, fromKeys, toKeys }),
    event: { occurrence: outcome, to, edge: renderEventEdge(from, to, before, assertions), now: toldAt },
    result: { outcome, state: nextState(before, edgeId, assertions, now) },
  };
};

/** Writes updates of edges that leave one record, and publishes their events. */
const commitEdges = async (
  { engine, subject }: EdgeStore,
  principal: Principal,
  from: Endpoint,
  ends: readonly Endpoint[],
  planned: readonly PlannedUpdate[],
  known?: EventSubjectRow,
): Promise<void> => {
  const events = planned.flatMap((one) => one.event ?? []);
  const about = events.length > 0 ? (known ?? (await subject(from.id))) : undefined;
  if (events.length > 0 && !about) throw recordNotFound(from.kind.entityType, from.id);
  await engine.commit({
    keys: ends.map((to) => edgeLockKey(from.id, to.id)),
    steps: [
      ...planned.flatMap(({ steps }) => steps),
      ...(about ? planLineageEvents(engine, principal, from, about, events) : []),
    ],
  });
};

/** The maximum number of retries when others change the same edge concurrently. */
const MAX_ATTEMPTS = 30;

/**
 * Runs changes of one edge one after another in this process, and retries when another process changed the edge in
 * between.
 */
export const retryEdgeOnConflict = <T>(
  { engine }: EdgeStore,
  from: Endpoint,
  to: Endpoint,
  attemptOnce: () => Promise<T>,
): Promise<T> =>
  engine.serial(edgeLockKey(from.id, to.id), async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptOnce();
      } catch (failure) {
        if (!(failure instanceof StaleStateError)) throw failure;
        if (attempt === MAX_ATTEMPTS)
          throw new CatalogError('unavailable', 'The edge is being changed too often, try again shortly');
        if (attempt > 2) await sleep(Math.random() * 10 * attempt);
      }
    }
  });

const buildAssertion = (
  principal: Principal,
  state: EdgeState | undefined,
  known: Assertion | undefined,
  { source, sourceName, content }: AssertionInput,
  now: number,
): Assertion => ({
  id: randomUUID(),
  source,
  ...(sourceName === undefined ? {} : { sourceName }),
  since: now,
  order: (state?.revision ?? 0) + 1,
  createdAt: known?.createdAt ?? now,
  createdBy: known?.createdBy ?? principal.name,
  updatedAt: now,
  updatedBy: principal.name,
  content,
});

/** An edge that leaves a record: its current state and what the source asserts. */
export type EdgeAssertion = {
  readonly to: Endpoint;
  readonly snapshot: EdgeSnapshot;
  readonly assertion: AssertionInput;
};

/** The assertions of an edge after one of them was stated; nothing is new when its asserter had said the same before. */
type StatedAssertions = { readonly now: number; readonly toldAt: number } & (
  | { readonly isSame: true; readonly known: Assertion }
  | { readonly isSame: false; readonly assertions: readonly Assertion[] }
);

/** Each write of an edge reads and merges what all its sources state. */
const MAX_SOURCES = 200;

const stateAssertion = (
  principal: Principal,
  state: EdgeState | undefined,
  assertion: AssertionInput,
  clock: number,
): StatedAssertions => {
  const toldAt = nextTimestamp(state, clock);
  const known = state?.assertions.find((one) => isSameAsserter(one, assertion));
  if (known && isSameAssertionContent(known.content, assertion.content))
    return { now: toldAt, toldAt, isSame: true, known };
  const { since: now = toldAt } = assertion;
  refuseEarlier(state, now);
  const others = (state?.assertions ?? []).filter((one) => one !== known);
  if (!known && others.length >= MAX_SOURCES) throw badRequest(`[an edge may have at most ${MAX_SOURCES} sources]`);
  const stated = buildAssertion(principal, state, known, assertion, now);
  return { now, toldAt, isSame: false, assertions: [...others, stated] };
};

/** The state that an edge would have after an assertion, without writing it. */
export const foreseeAssertion = (
  principal: Principal,
  state: EdgeState | undefined,
  assertion: AssertionInput,
  clock: number,
): EdgeState | undefined => {
  const stated = stateAssertion(principal, state, assertion, clock);
  return stated.isSame ? state : nextState(state, state?.id ?? randomUUID(), stated.assertions, stated.now);
};

const planAssertion = (
  { engine }: EdgeStore,
  principal: Principal,
  from: Endpoint,
  { to, snapshot, assertion }: EdgeAssertion,
): PlannedUpdate => {
  const { state } = snapshot;
  const stated = stateAssertion(principal, state, assertion, engine.clock());
  const { now, toldAt } = stated;
  if (stated.isSame) {
    const steps = planConfirmation(from.id, to.id, stated.known.id, toldAt);
    return { steps, event: undefined, result: { outcome: 'same', state } };
  }
  const { fromKeys, toKeys } = assertion;
  return planUpdate(from, { to, before: state, assertions: stated.assertions, fromKeys, toKeys, now, toldAt });
};

/**
 * Writes assertions about edges that leave one record, replacing earlier ones of the same asserters and keeping
 * those of others. All edges go into one write and share their events, so no edge may occur twice.
 */
export const writeAssertions = async (
  edges: EdgeStore,
  principal: Principal,
  from: Endpoint,
  assertions: readonly EdgeAssertion[],
): Promise<EdgeResult[]> => {
  const planned = assertions.map((one) => planAssertion(edges, principal, from, one));
  await commitEdges(
    edges,
    principal,
    from,
    assertions.map(({ to }) => to),
    planned,
    assertions[0]?.snapshot.subject,
  );
  return planned.map(({ result }) => result);
};

/** Writes the assertion of one source about one edge. */
export const writeAssertion = async (
  edges: EdgeStore,
  principal: Principal,
  [from, to]: readonly [Endpoint, Endpoint],
  snapshot: EdgeSnapshot,
  assertion: AssertionInput,
): Promise<EdgeResult> => {
  const [result] = await writeAssertions(edges, principal, from, [{ to, snapshot, assertion }]);
  if (!result) throw new Error('an edge had no outcome');
  return result;
};

/** Withdraws the assertions that `withdraws` selects. An edge without remaining assertions ends. */
export const withdrawAssertions = async (
  edges: EdgeStore,
  principal: Principal,
  [from, to]: readonly [Endpoint, Endpoint],
  state: EdgeState,
  withdraws: (assertion: Assertion) => boolean,
): Promise<EdgeResult> => {
  const assertions = state.assertions.filter((assertion) => !withdraws(assertion));
  if (assertions.length === state.assertions.length) return { outcome: 'same', state };
  const now = nextTimestamp(state, edges.engine.clock());
  const planned = planUpdate(from, { to, before: state, assertions, now, toldAt: now });
  await commitEdges(edges, principal, from, [to], [planned]);
  return planned.result;
};
