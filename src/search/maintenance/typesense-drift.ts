import type { Kind } from '../../model/kind/kind.ts';

/** What the engine beside the graph, where there is one, offers to those who keep search true. */
export type TypesenseMaintenance = {
  /** Fills new collections and lets them serve. Throws when the server is away. */
  readonly rebuild: (kinds: readonly Kind[], options: { readonly isWanted: () => boolean }) => Promise<unknown>;
  /** Notes whatever differs from the graph, so that it is sent; answers how much that is. */
  readonly repair: () => Promise<number>;
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
export const ignoreUnavailable = async <T>(
  typesense: Pick<TypesenseMaintenance, 'isAway'>,
  ask: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await ask();
  } catch (failure) {
    if (!typesense.isAway(failure)) throw failure;
    return undefined;
  }
};

export type TypesenseDrift = {
  /** Types for which nothing serves, so that the graph answers. */
  readonly unserved: readonly string[];
  readonly missing: number;
  readonly behind: number;
  readonly orphaned: number;
};

/** Where the server is away, the graph answers alone. */
export const unservedDrift = (kinds: readonly Kind[]): TypesenseDrift => ({
  unserved: kinds.map(({ entityType }) => entityType),
  missing: 0,
  behind: 0,
  orphaned: 0,
});

/** Compares what the other engine has of some kinds with the graph. Throws when its server is away. */
export const compareWithTypesense = async (
  typesense: Pick<TypesenseMaintenance, 'compare'>,
  kinds: readonly Kind[],
): Promise<TypesenseDrift> => {
  const unserved: string[] = [];
  let [missing, behind, orphaned] = [0, 0, 0];
  for (const kind of kinds) {
    const difference = await typesense.compare(kind);
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
