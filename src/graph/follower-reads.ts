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

const readLeaderBookmark = statement<Record<string, never>, { one: number }>('graph/read_leader_bookmark', {
  params: [],
  row: ['one'],
});

const findFollowers = statement<{ database: string }, { hasFollowers: boolean; seconds: number }>(
  'graph/find_followers',
  { params: ['database'], row: ['hasFollowers', 'seconds'] },
);

export type LeaderQuestions = {
  readonly database: string;
  /** Runs a statement at the leader, in a session that shares its bookmark with those of the reads. */
  askLeader<P extends object, R extends object>(asked: BoundStatement<P, R>, params: P): Promise<R[]>;
  readonly observer: GraphObserver;
};

/** How long it is relied on that the routes cannot be seen. */
const UNKNOWN_ROUTES_SECONDS = 300;

/** What a single server, and a cluster whose leader answers all reads, need. */
export const READS_AT_LEADER: FollowerReads = { catchUp: () => undefined };

export const createFollowerReads = ({ database, askLeader, observer }: LeaderQuestions): FollowerReads => {
  const lookForMany = async (callers: readonly undefined[]): Promise<readonly undefined[]> => {
    await askLeader(readLeaderBookmark, {});
    return callers;
  };
  const look = coalesce({ name: readLeaderBookmark.name, observer, load: lookForMany, maxBatch: 5000, maxInFlight: 4 });
  let known = { hasFollowers: true, until: 0 };
  /** A user who may not see the routes reads as if there were followers, which is right everywhere. */
  const readRoutes = async (): Promise<{ hasFollowers: boolean; seconds: number } | undefined> => {
    try {
      const [answer] = await askLeader(findFollowers, { database });
      return answer;
    } catch (failure) {
      if (failure instanceof CatalogError) throw failure;
      return undefined;
    }
  };
  const askForFollowers = async (): Promise<void> => {
    const { hasFollowers, seconds } = (await readRoutes()) ?? { hasFollowers: true, seconds: UNKNOWN_ROUTES_SECONDS };
    known = { hasFollowers, until: performance.now() + seconds * 1000 };
  };
  let asking: Promise<void> | undefined;
  /** The answer to this question carries a bookmark as well, but may be older than the call that waits for it. */
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
