import type { Graph } from '../../graph/client.ts';
import type { Log } from '../../http/log.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { type Capabilities, probeCapabilities } from './capabilities.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { type TypesenseClient, TypesenseFault } from './client.ts';
import { findOverdueUnsent, readFeeding } from './queries.ts';
import { type CollectionSurvey, surveyCollections } from './survey-collections.ts';

/** What the engine knows about its server: what it can do, which collections it has, and whether it is available. */

export type TypesenseEngineOptions = {
  /** How long the circuit breaker blocks requests. */
  readonly openMs?: number;
  /** How long a survey of the server's collections stays valid. */
  readonly surveyTtlMs?: number;
  /** How long a replaced collection is kept. */
  readonly keepMs?: number;
  /** How long a change may stay unsent before the server is too far behind to answer. */
  readonly lagMs?: number;
};

const DEFAULT_OPTIONS: Required<TypesenseEngineOptions> = Object.freeze({
  openMs: 30_000,
  surveyTtlMs: 5000,
  keepMs: 600_000,
  lagMs: 5000,
});

export type TypesenseEngineDeps = {
  readonly typesense: TypesenseClient;
  readonly graph: Graph;
  readonly kinds: readonly Kind[];
  readonly prefix: string;
  /** Distinguishes this server from others that were fed at other times. */
  readonly server: string;
  readonly log: Pick<Log, 'warn'>;
  readonly now?: () => number;
  readonly options?: TypesenseEngineOptions;
};

type LastSurvey = { readonly collections: CollectionSurvey; readonly isBehind: boolean; readonly at: number };

/** The state of the engine. Its kinds are those with an index. */
export type EngineState = Required<Omit<TypesenseEngineDeps, 'options'>> & {
  readonly options: Required<TypesenseEngineOptions>;
  readonly byType: ReadonlyMap<string, Kind>;
  readonly breaker: CircuitBreaker;
  /** The timers that drop replaced collections. */
  readonly dropTimers: Set<NodeJS.Timeout>;
  capabilities: Capabilities | undefined;
  lastSurvey: LastSurvey | undefined;
  isSurveying: boolean;
  /** The last feed that was begun. */
  feeding: Promise<unknown>;
};

export const createEngineState = ({ options: given, ...deps }: TypesenseEngineDeps): EngineState => {
  const options = { ...DEFAULT_OPTIONS, ...given };
  const kinds = deps.kinds.filter(({ search }) => search.index !== undefined);
  return {
    ...deps,
    kinds,
    now: deps.now ?? Date.now,
    options,
    byType: new Map(kinds.map((kind) => [kind.entityType, kind])),
    breaker: createCircuitBreaker(() => performance.now(), options.openMs),
    dropTimers: new Set(),
    capabilities: undefined,
    lastSurvey: undefined,
    isSurveying: false,
    feeding: Promise.resolve(),
  };
};

/** Blocks requests to a server that turned out to be unavailable. */
export const noteServerFailure = ({ breaker }: EngineState, failure: unknown): void => {
  if (failure instanceof TypesenseFault && failure.kind === 'away') breaker.trip();
};

export const surveyServer = async (state: EngineState): Promise<CollectionSurvey> => {
  const { typesense, graph, kinds, prefix, server, now, options, breaker } = state;
  try {
    state.capabilities ??= await probeCapabilities(typesense, prefix, now());
    const [found, [overdue], [feeding]] = await Promise.all([
      surveyCollections(typesense, prefix, kinds),
      graph.read(findOverdueUnsent, { forMs: options.lagMs }),
      graph.read(readFeeding, {}),
    ]);
    // A server that was not fed for a while lacks the changes of that time.
    const isBehind = overdue !== undefined || feeding?.server !== server;
    state.lastSurvey = { collections: found, isBehind, at: performance.now() };
    breaker.reset();
    return found;
  } catch (failure) {
    // A server that comes back may be a different one.
    state.capabilities = undefined;
    state.lastSurvey = undefined;
    noteServerFailure(state, failure);
    throw failure;
  }
};

/** Refreshes an expired survey in the background, so that no request waits for it. */
export const surveyInBackground = async (state: EngineState): Promise<void> => {
  if (state.isSurveying) return;
  state.isSurveying = true;
  try {
    await surveyServer(state);
  } catch (failure) {
    state.log.warn('Typesense could not be checked', {}, failure);
  } finally {
    state.isSurveying = false;
  }
};
