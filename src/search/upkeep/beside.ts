import type { Kind } from '../../model/kind.ts';

/** What the engine beside the graph, where there is one, offers to those who keep search true. */
export type Beside = {
  /** Fills new collections and lets them serve. Throws when the server is away. */
  readonly rebuild: (kinds: readonly Kind[], options: { readonly isWanted: () => boolean }) => Promise<unknown>;
  /** Notes whatever differs from the graph, so that it is sent; answers how much that is. */
  readonly mend: () => Promise<number>;
  /** Compares what serves for a kind with the graph; undefined where nothing serves. */
  readonly compare: (kind: Kind) => Promise<
    | {
        readonly missing: readonly string[];
        readonly outdated: readonly string[];
        readonly extra: readonly string[];
      }
    | undefined
  >;
  /** Whether a failure says that the server does not answer as it should. */
  readonly isAway: (failure: unknown) => boolean;
  readonly survey: () => Promise<{ readonly unused: readonly { readonly name: string }[] }>;
};

/** What a server says, or undefined when it does not answer. */
export const whileThere = async <T>(beside: Pick<Beside, 'isAway'>, ask: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await ask();
  } catch (failure) {
    if (!beside.isAway(failure)) throw failure;
    return undefined;
  }
};

export type BesideDrift = {
  /** Types for which nothing serves, so that the graph answers. */
  readonly unserved: readonly string[];
  readonly missing: number;
  readonly behind: number;
  readonly orphaned: number;
};

/** Where the server is away, the graph answers alone. */
export const unserved = (kinds: readonly Kind[]): BesideDrift => ({
  unserved: kinds.map(({ entityType }) => entityType),
  missing: 0,
  behind: 0,
  orphaned: 0,
});

/** Compares what the other engine has of some kinds with the graph. Throws when its server is away. */
export const driftBeside = async (beside: Pick<Beside, 'compare'>, kinds: readonly Kind[]): Promise<BesideDrift> => {
  const unserved: string[] = [];
  let [missing, behind, orphaned] = [0, 0, 0];
  for (const kind of kinds) {
    const difference = await beside.compare(kind);
    if (!difference) {
      unserved.push(kind.entityType);
      continue;
    }
    missing += difference.missing.length;
    behind += difference.outdated.length;
    orphaned += difference.extra.length;
  }
  return { unserved, missing, behind, orphaned };
};
