import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { StaleState } from '../catalog/plan/step.ts';
import { CatalogError, recordNotFound } from '../errors.ts';
import type { Graph } from '../graph/client.ts';
import { coalesce } from '../graph/coalesce.ts';
import type { Step } from '../graph/commit.ts';
import { type KnownColumns, partKey } from './columns.ts';
import { showEdge } from './details.ts';
import { type Assertion, type Content, decodeAssertion, type EdgeState, sameContent } from './edge.ts';
import type { Site } from './ends.ts';
import { merge } from './merge.ts';
import { edgeKey, planConfirmation, planEdge } from './plan.ts';
import { type EdgeKey, type EdgeRow, readEdges } from './queries.ts';
import { createSubjectReader, type Occurrence, type SubjectReader, type Told, tellingSteps } from './telling.ts';

/** What is known of an edge and of the columns that were asked for with it. */
export type Sight = { readonly state: EdgeState | undefined; readonly known: KnownColumns };

const sightOf = ({ edge, assertions, columns, parts }: EdgeRow): Sight => ({
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

type EdgeReader = (key: EdgeKey) => Promise<Sight | undefined>;

const createEdgeReader = (graph: Graph): EdgeReader =>
  coalesce({
    name: readEdges.name,
    observer: graph.observer,
    maxBatch: 1000,
    load: async (keys: readonly EdgeKey[]) => {
      const found: (Sight | undefined)[] = new Array(keys.length).fill(undefined);
      const rows = await graph.read(readEdges, { rows: keys.map((key, at) => ({ ...key, at })) });
      for (const row of rows) found[row.at] = sightOf(row);
      return found;
    },
  });

/** What the edges of lineage are read and changed with. */
export type Edges = {
  readonly engine: Engine;
  readonly read: EdgeReader;
  readonly subject: SubjectReader;
};

export const openEdges = (engine: Engine): Edges => ({
  engine,
  read: createEdgeReader(engine.graph),
  subject: createSubjectReader(engine.graph),
});

const NO_COLUMNS = { keys: [], fromParts: [], toParts: [] };

const NO_KEYS: ReadonlyMap<string, string> = new Map();

/** What is there now between two records. */
export const readEdge = async (
  { read }: Edges,
  from: Site,
  to: Site,
  wanted: Omit<EdgeKey, 'from' | 'to'> = NO_COLUMNS,
): Promise<Sight> => {
  const sight = await read({ from: from.id, to: to.id, ...wanted });
  if (!sight) throw recordNotFound(to.kind.entityType, to.id);
  return sight;
};

/** What somebody says of an edge, and the keys of the columns that are named in it. */
export type Saying = {
  readonly source: string;
  readonly content: Content;
  readonly fromKeys: ReadonlyMap<string, string>;
  readonly toKeys: ReadonlyMap<string, string>;
};

/** An edge after a change, and what was done to it. */
export type Settled = {
  readonly outcome: Occurrence | 'same';
  readonly state: EdgeState | undefined;
};

/** What an edge out of a record becomes. */
type Change = {
  readonly to: Site;
  readonly before: EdgeState | undefined;
  readonly assertions: readonly Assertion[];
  readonly fromKeys?: ReadonlyMap<string, string>;
  readonly toKeys?: ReadonlyMap<string, string>;
  readonly now: number;
};

/** A change as it is written, told and answered. */
type Planned = { readonly steps: readonly Step[]; readonly told: Told | undefined; readonly settled: Settled };

/** No edge goes back in time, whatever the clock says. */
const laterThan = (state: EdgeState | undefined, now: number): number =>
  Math.max(now, state?.since ?? 0, ...(state?.assertions ?? []).map(({ updatedAt }) => updatedAt));

/** Who is told of: the newest state of the edge, or, where it ends, the last. */
const edgeTold = (from: Site, to: Site, before: EdgeState | undefined, assertions: readonly Assertion[]) => {
  const merged = merge(assertions) ?? merge(before?.assertions ?? []);
  const carrierOf = (id: string) => ({ id });
  return merged ? showEdge({ from, to }, merged, carrierOf) : { fromEntity: from.id, toEntity: to.id };
};

const occurrenceOf = ({ before, assertions }: Change): Occurrence => {
  if (!before) return 'entityLineageAdded';
  return assertions.length === 0 ? 'entityLineageDeleted' : 'entityLineageUpdated';
};

const planChange = (from: Site, change: Change): Planned => {
  const { to, before, assertions, fromKeys = NO_KEYS, toKeys = NO_KEYS, now } = change;
  const edgeId = before?.id ?? randomUUID();
  const revision = (before?.revision ?? 0) + 1;
  const outcome = occurrenceOf(change);
  return {
    steps: planEdge({ edgeId, from, to, before, assertions, now, fromKeys, toKeys }),
    told: { occurrence: outcome, to, edge: edgeTold(from, to, before, assertions), now },
    settled: {
      outcome,
      state: assertions.length === 0 ? undefined : { id: edgeId, since: before?.since ?? now, revision, assertions },
    },
  };
};

/** Writes what becomes of edges out of one record, and tells of it. */
const commitEdges = async (
  { engine, subject }: Edges,
  principal: Principal,
  from: Site,
  ends: readonly Site[],
  planned: readonly Planned[],
): Promise<void> => {
  const told = planned.flatMap((one) => one.told ?? []);
  const about = told.length > 0 ? await subject(from.id) : undefined;
  if (told.length > 0 && !about) throw recordNotFound(from.kind.entityType, from.id);
  await engine.commit({
    keys: ends.map((to) => edgeKey(from.id, to.id)),
    steps: [
      ...planned.flatMap(({ steps }) => steps),
      ...(about ? tellingSteps(engine, principal, from, about, told) : []),
    ],
  });
};

/** How often a change of an edge starts again because somebody else changed it on the way. */
const ATTEMPTS = 30;

/** Changes of one edge come one after another in this process; what other processes do in between is looked at again. */
export const settle = ({ engine }: Edges, from: Site, to: Site, once: () => Promise<Settled>): Promise<Settled> =>
  engine.serial(edgeKey(from.id, to.id), async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once();
      } catch (failure) {
        if (!(failure instanceof StaleState)) throw failure;
        if (attempt === ATTEMPTS)
          throw new CatalogError('unavailable', 'The edge is being changed too often at the moment');
        if (attempt > 2) await sleep(Math.random() * 10 * attempt);
      }
    }
  });

const assertionFrom = (
  principal: Principal,
  state: EdgeState | undefined,
  known: Assertion | undefined,
  { source, content }: Saying,
  now: number,
): Assertion => ({
  id: randomUUID(),
  source,
  since: now,
  order: (state?.revision ?? 0) + 1,
  createdAt: known?.createdAt ?? now,
  createdBy: known?.createdBy ?? principal.name,
  updatedAt: now,
  updatedBy: principal.name,
  content,
});

/** An edge out of a record, as it is now and as a source says it is. */
export type Word = { readonly to: Site; readonly sight: Sight; readonly saying: Saying };

const planWord = ({ engine }: Edges, principal: Principal, from: Site, { to, sight, saying }: Word): Planned => {
  const { state } = sight;
  const now = laterThan(state, engine.clock());
  const known = state?.assertions.find(({ source }) => source === saying.source);
  if (state && known && sameContent(known.content, saying.content)) {
    const steps = planConfirmation(from.id, to.id, known.id, now);
    return { steps, told: undefined, settled: { outcome: 'same', state } };
  }
  const others = (state?.assertions ?? []).filter((one) => one !== known);
  const assertions = [...others, assertionFrom(principal, state, known, saying, now)];
  const { fromKeys, toKeys } = saying;
  return planChange(from, { to, before: state, assertions, fromKeys, toKeys, now });
};

/**
 * Sources say something of edges out of one record from now on, whatever they said before; what others say stays. It is
 * one write, and what happens to the edges in it is told together. No two of the edges may be the same.
 */
export const assertEdges = async (
  edges: Edges,
  principal: Principal,
  from: Site,
  words: readonly Word[],
): Promise<Settled[]> => {
  const planned = words.map((word) => planWord(edges, principal, from, word));
  await commitEdges(
    edges,
    principal,
    from,
    words.map(({ to }) => to),
    planned,
  );
  return planned.map(({ settled }) => settled);
};

/** One source says something of one edge. */
export const assertEdge = async (
  edges: Edges,
  principal: Principal,
  [from, to]: readonly [Site, Site],
  sight: Sight,
  saying: Saying,
): Promise<Settled> => {
  const [settled] = await assertEdges(edges, principal, from, [{ to, sight, saying }]);
  if (!settled) throw new Error('an edge had no outcome');
  return settled;
};

/** Those sources that are named say nothing of an edge any more. Without anybody who says something it ends. */
export const withdrawEdge = async (
  edges: Edges,
  principal: Principal,
  [from, to]: readonly [Site, Site],
  state: EdgeState,
  withdraws: (assertion: Assertion) => boolean,
): Promise<Settled> => {
  const assertions = state.assertions.filter((assertion) => !withdraws(assertion));
  if (assertions.length === state.assertions.length) return { outcome: 'same', state };
  const now = laterThan(state, edges.engine.clock());
  const planned = planChange(from, { to, before: state, assertions, now });
  await commitEdges(edges, principal, from, [to], [planned]);
  return planned.settled;
};
