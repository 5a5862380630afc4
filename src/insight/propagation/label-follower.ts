import { SYSTEM_PRINCIPAL } from '../../access/service-identity.ts';
import { storageView } from '../../catalog/read/stored-snapshot.ts';
import { CatalogError } from '../../errors.ts';
import type { EventTail, NumberedEvent } from '../../events/tail.ts';
import { createLeasedLoop } from '../../graph/leased-loop.ts';
import type { Log } from '../../http/log.ts';
import { recordIdOf } from '../columns/column-graph.ts';
import { findPropagation, type Propagation } from './judge-columns.ts';
import { planRelabels } from './plan-relabels.ts';
import { createTrustRules, defaultDepth, type PropagationDeps } from './propagation-deps.ts';
import { type FollowedTag, findApplying, listFollowedTags, listPropagatedLabels } from './queries.ts';
import { createTouchTest, type TouchTest } from './touched-tags.ts';
import { type ColumnRelabel, writeLabels } from './write-labels.ts';

/**
 * Keeps labels by lineage true: they go when no way is left, and their reasons are ways that exist. Tags of classifications
 * that apply themselves are also given to columns that inherit them. One of all processes reads the change events and
 * looks at the ways of those tags again that a change may concern.
 */
export type LabelFollower = { start(): void; stop(): Promise<void> };

export type LabelFollowerOptions = {
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How often it looks for events. */
  readonly pollMs: number;
  /** How many events one round reads. */
  readonly events: number;
};

const DEFAULT_OPTIONS: LabelFollowerOptions = Object.freeze({
  leaseMs: 15_000,
  beatMs: 5000,
  pollMs: 1000,
  events: 5000,
});

export type LabelFollowerDeps = {
  readonly propagation: PropagationDeps;
  readonly tail: Pick<EventTail, 'head' | 'after'>;
  readonly log: Pick<Log, 'warn'>;
  readonly options?: Partial<LabelFollowerOptions>;
};

/** A followed tag with what is known of its ways. */
type Following = FollowedTag & {
  reached: ReadonlySet<string>;
  /** Whether a change since the last look may concern it. */
  isTouched: boolean;
  /** When to look again at the earliest, so that looking takes a bounded part of the time. */
  notBefore: number;
  /** The keys of columns to which the last look found no way. */
  doubted: ReadonlySet<string>;
};

type FollowerState = {
  readonly tags: Map<string, Following>;
  /** The number of the last event that was read; undefined before the first round. */
  seq: number | undefined;
  isSurveyDue: boolean;
};

const READ_BATCH = 500;

/** A look at ways that took some time is repeated after so many times as long. */
const REST_FACTOR = 4;
const MAX_REST_MS = 600_000;

/** What was refused is tried again. */
const RETRY_MS = 60_000;

/**
 * A label goes when two looks after each other find no way. One alone may fall between two requests of a program that
 * replaces an edge, or between two steps of a walk.
 */
const SECOND_LOOK_MS = 1000;

/** Looks at more than a request may: labels can be taken away only where everything was looked at. */
const BUDGET_FACTOR = 10;

const surveyTags = async ({ propagation: { engine } }: LabelFollowerDeps, state: FollowerState): Promise<void> => {
  const found = await engine.graph.read(listFollowedTags, {});
  const known = new Map(state.tags);
  state.tags.clear();
  for (const tag of found) {
    const before = known.get(tag.fqn);
    const isNew = !before || before.appliesItself !== tag.appliesItself;
    const { reached = new Set<string>(), doubted = new Set<string>(), notBefore = 0 } = before ?? {};
    state.tags.set(tag.fqn, { ...tag, reached, doubted, notBefore, isTouched: isNew || before.isTouched });
  }
};

const noteEvent = (state: FollowerState, touches: TouchTest, event: NumberedEvent): void => {
  const touch = touches(event);
  if (touch.changesTags) state.isSurveyDue = true;
  for (const tag of state.tags.values()) tag.isTouched ||= touch.concerns(tag);
};

/** Reads the events since the last round; returns whether there may be more. */
const readEvents = async (
  { tail }: LabelFollowerDeps,
  state: FollowerState,
  touches: TouchTest,
  most: number,
): Promise<boolean> => {
  let read = 0;
  while (read < most) {
    const events = await tail.after(state.seq ?? 0, READ_BATCH);
    for (const event of events) noteEvent(state, touches, event);
    state.seq = events.at(-1)?.seq ?? state.seq;
    read += events.length;
    if (events.length === 0) return false;
  }
  return true;
};

const findWays = async (
  { engine, budget, maxDepth, blockers }: PropagationDeps,
  fqn: string,
): Promise<Propagation | undefined> => {
  try {
    return await findPropagation(engine, SYSTEM_PRINCIPAL, {
      tag: fqn,
      scope: { fqn: '' },
      maxDepth: defaultDepth(maxDepth),
      budget: { ...budget, edges: budget.edges * BUDGET_FACTOR },
      trust: createTrustRules(blockers, engine.clock()),
    });
  } catch (failure) {
    // The tag was deleted or renamed a moment ago, which the next survey finds.
    if (failure instanceof CatalogError && failure.code === 'not_found') return undefined;
    throw failure;
  }
};

/** When to look at a tag again although nothing touches it. */
type NextLook = { readonly afterMs: number } | undefined;

/** Splits off the removals that the look before did not plan too; whether they are right is seen at the next look. */
const confirmRemovals = (tag: Following, changes: readonly ColumnRelabel[]): readonly ColumnRelabel[] => {
  const removed = changes.filter(({ reason }) => reason === undefined).map(({ key }) => key);
  const confirmed = changes.filter(({ key, reason }) => reason !== undefined || tag.doubted.has(key));
  tag.doubted = new Set(removed.filter((key) => !tag.doubted.has(key)));
  return confirmed;
};

/** Looks at the ways of one tag, and changes the labels that do not fit them. */
const followTag = async ({ propagation, log }: LabelFollowerDeps, tag: Following): Promise<NextLook> => {
  const { engine } = propagation;
  const found = await findWays(propagation, tag.fqn);
  if (!found) return undefined;
  tag.reached = found.reached;
  if (found.cut !== undefined) {
    log.warn('labels do not follow lineage, because there are too many ways', { tag: tag.fqn });
    return undefined;
  }
  const [labels, [applying]] = await Promise.all([
    engine.graph.read(listPropagatedLabels, { tagId: found.tag.id }),
    // What the last survey found may no longer hold, and a label too many would stay.
    tag.appliesItself ? engine.graph.read(findApplying, { tagId: found.tag.id }) : [],
  ]);
  const adds = applying?.appliesItself === true;
  const changes = planRelabels({ tagFqn: tag.fqn, rows: found.rows, labels, adds });
  const writer = {
    principal: SYSTEM_PRINCIPAL,
    viewFor: (fields: ReadonlySet<string>) => storageView(engine, fields),
    dryRun: false,
  };
  tag.reached = new Set([...found.reached, ...labels.map(({ key }) => recordIdOf(key))]);
  const { failed } = await writeLabels(engine, writer, confirmRemovals(tag, changes));
  const [first] = failed;
  if (first) {
    log.warn('labels could not follow lineage', { count: failed.length, tag: tag.fqn, first: first.message });
    // What refuses the label may be about other tags, of whose changes nobody tells here.
    return { afterMs: RETRY_MS };
  }
  return tag.doubted.size > 0 ? { afterMs: SECOND_LOOK_MS } : undefined;
};

const followTouched = async (deps: LabelFollowerDeps, state: FollowerState): Promise<void> => {
  for (const tag of state.tags.values()) {
    const began = performance.now();
    if (!tag.isTouched || tag.notBefore > began) continue;
    tag.isTouched = false;
    let next: NextLook;
    try {
      next = await followTag(deps, tag);
    } catch (failure) {
      tag.isTouched = true;
      throw failure;
    } finally {
      const tookMs = performance.now() - began;
      tag.notBefore = began + tookMs + Math.max(Math.min(MAX_REST_MS, tookMs * REST_FACTOR), next?.afterMs ?? 0);
      tag.isTouched ||= next !== undefined;
    }
  }
};

export const createLabelFollower = (deps: LabelFollowerDeps): LabelFollower => {
  const { propagation, tail, log } = deps;
  const options = { ...DEFAULT_OPTIONS, ...deps.options };
  const touches = createTouchTest(propagation.engine.registry);
  const state: FollowerState = { tags: new Map(), seq: undefined, isSurveyDue: true };
  const runRound = async (): Promise<number> => {
    state.seq ??= (await tail.head()).last;
    const isMore = await readEvents(deps, state, touches, options.events);
    if (state.isSurveyDue) {
      await surveyTags(deps, state);
      state.isSurveyDue = false;
    }
    await followTouched(deps, state);
    return isMore ? 0 : options.pollMs;
  };
  const { start, stop } = createLeasedLoop(propagation.engine.graph, {
    name: 'following lineage with labels',
    leaseMs: options.leaseMs,
    beatMs: options.beatMs,
    minPauseMs: 0,
    failurePauseMs: options.pollMs,
    onStart: () => {
      state.tags.clear();
      state.seq = undefined;
      state.isSurveyDue = true;
    },
    runRound,
    onRoundFailed: (failure) => log.warn('labels could not follow lineage', {}, failure),
    onReleaseFailed: (failure) => log.warn('the lease for labels by lineage was not released', {}, failure),
  });
  return { start, stop };
};
