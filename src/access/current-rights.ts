import { CatalogError } from '../errors.ts';
import { compileRights, type DeclaredTypes, type RightsData } from './rights.ts';
import { createRightsSnapshot, type RightsSnapshot } from './rights-snapshot.ts';

/** The rights that a process holds in memory. They are read on first use and refreshed before they become too old. */

export type AuthorizerDeps = DeclaredTypes & {
  /** A number that changes with every change of a policy, a role or a team. */
  readonly readRevision: () => Promise<number>;
  /** All policies, roles and teams, in their current state or a later one. */
  readonly readRights: () => Promise<RightsData>;
  readonly clock: () => number;
};

/** How long the rights in memory are used before the next check for changes. */
const FRESH_MS = 1000;

/**
 * The maximum age of rights in a long task that never calls `ensureFresh`. Requests never see rights of this age: each
 * request waits for fresh ones, and is refused when they cannot be read.
 */
const OLD_MS = 300_000;

export type CurrentRights = {
  readonly deps: AuthorizerDeps;
  snapshot: RightsSnapshot | undefined;
  revision: number | undefined;
  confirmedAt: number;
  /** The number of changes this process has made, and the number already included in the snapshot. */
  ownChanges: number;
  seenChanges: number;
  refreshing: Promise<void> | undefined;
};

export const createCurrentRights = (deps: AuthorizerDeps): CurrentRights => ({
  deps,
  snapshot: undefined,
  revision: undefined,
  confirmedAt: Number.NEGATIVE_INFINITY,
  ownChanges: 0,
  seenChanges: 0,
  refreshing: undefined,
});

const refresh = async (state: CurrentRights): Promise<void> => {
  const { readRevision, readRights, clock } = state.deps;
  const before = state.ownChanges;
  const sentAt = clock();
  // The revision is read before the rights. The rights are then at least as new, and the next check sees a change
  // made in between.
  const now = await readRevision();
  if (state.snapshot === undefined || now !== state.revision) {
    state.snapshot = createRightsSnapshot(compileRights(await readRights(), state.deps));
    state.revision = now;
  }
  state.seenChanges = before;
  state.confirmedAt = sentAt;
};

const refreshShared = (state: CurrentRights): Promise<void> => {
  state.refreshing ??= refresh(state).finally(() => {
    state.refreshing = undefined;
  });
  return state.refreshing;
};

/** A refresh that had already started may have missed this process's change; the refresh after it cannot. */
const waitForRefresh = async (state: CurrentRights, wanted: number): Promise<void> => {
  await refreshShared(state);
  if (state.seenChanges < wanted) await refreshShared(state);
};

export const ensureFreshRights = (state: CurrentRights): Promise<void> | undefined => {
  const isFresh = state.seenChanges === state.ownChanges && state.deps.clock() < state.confirmedAt + FRESH_MS;
  return isFresh ? undefined : waitForRefresh(state, state.ownChanges);
};

/** Returns the rights in memory. Throws when they could not be confirmed for too long. */
export const requireRights = ({ snapshot, deps, confirmedAt }: CurrentRights): RightsSnapshot => {
  if (snapshot !== undefined && deps.clock() < confirmedAt + OLD_MS) return snapshot;
  throw new CatalogError('unavailable', 'What callers may do could not be read for too long');
};
