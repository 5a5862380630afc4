import { CatalogError } from '../errors.ts';
import type { GraphObserver } from './client.ts';
import { coalesce } from './coalesce.ts';
import { type BoundStatement, statement } from './statement.ts';

/**
 * Lets reads on the followers of a cluster see every acknowledged write, whichever process it came through. A follower
 * lags behind the leader, and a process knows the bookmarks of its own writes only. So the leader is asked for its newest
 * bookmark before a read, which then waits until its follower has got there. Reads that arrive together share one question.
 */
export type FollowerReads = {
  /** Resolves when the next read will see all that was written before this call. Undefined when it does anyway. */
  catchUp(): Promise<void> | undefined;
};

export const readBookmark = statement<Record<string, never>, { one: number }>('graph/read_bookmark', {
  params: [],
  row: ['one'],
});

/** Whether followers answer reads, and for how many seconds that may be relied on. */
type Routes = { readonly hasFollowers: boolean; readonly seconds: number };

const findFollowers = statement<{ database: string }, Routes>('graph/find_followers', {
  params: ['database'],
  row: ['hasFollowers', 'seconds'],
});

export type LeaderQuestions = {
  readonly database: string;
  /** Runs a statement at the leader, in a session that shares its bookmark with those of the reads. */
  askLeader<P extends object, R extends object>(asked: BoundStatement<P, R>, params: P): Promise<R[]>;
  readonly observer: GraphObserver;
};

/** A user who may not see the routes reads as if there were followers, which is right everywhere. */
const UNKNOWN_ROUTES: Routes = { hasFollowers: true, seconds: 300 };

/** What a single server, and a cluster whose leader answers all reads, need. */
export const READS_AT_LEADER: FollowerReads = { catchUp: () => undefined };

export const createFollowerReads = ({ database, askLeader, observer }: LeaderQuestions): FollowerReads => {
  const lookForMany = async (callers: readonly undefined[]): Promise<readonly undefined[]> => {
    await askLeader(readBookmark, {});
    return callers;
  };
  const look = coalesce({ name: readBookmark.name, observer, load: lookForMany, maxBatch: 5000, maxInFlight: 4 });
  let known = { hasFollowers: true, until: 0 };
  const readRoutes = async (): Promise<Routes> => {
    try {
      const [answer] = await askLeader(findFollowers, { database });
      return answer ?? UNKNOWN_ROUTES;
    } catch (failure) {
      if (failure instanceof CatalogError) throw failure;
      return UNKNOWN_ROUTES;
    }
  };
  const askForFollowers = async (): Promise<void> => {
    const { hasFollowers, seconds } = await readRoutes();
    known = { hasFollowers, until: performance.now() + seconds * 1000 };
  };
  let asking: Promise<void> | undefined;
  /** Callers share this question, which may have been sent before a later write, so the leader is asked once more. */
  const findOut = async (): Promise<void> => {
    asking ??= askForFollowers().finally(() => {
      asking = undefined;
    });
    await asking;
    if (known.hasFollowers) await look(undefined);
  };
  return {
    catchUp: () => {
      if (performance.now() >= known.until) return findOut();
      return known.hasFollowers ? look(undefined) : undefined;
    },
  };
};
