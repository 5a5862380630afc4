import type { Kind } from '../../model/kind/kind.ts';

/** The maintenance functions of Typesense, if it is configured. */
export type TypesenseMaintenance = {
  /** Fills new collections and switches the aliases to them. Throws when the server is unavailable. */
  readonly rebuild: (kinds: readonly Kind[], options: { readonly isWanted: () => boolean }) => Promise<unknown>;
  /** Queues all differences from the graph for sending; returns how many there are. */
  readonly repair: () => Promise<number>;
  /** Compares the serving collection of a kind with the graph; undefined when none serves. */
  readonly compare: (kind: Kind) => Promise<
    | {
        readonly missing: readonly string[];
        readonly outdated: readonly string[];
        readonly extra: readonly string[];
      }
    | undefined
  >;
  /** Whether a failure means that the server is unavailable. */
  readonly isAway: (failure: unknown) => boolean;
  readonly survey: () => Promise<{ readonly unused: readonly { readonly name: string }[] }>;
};

/** Returns the answer of the server, or undefined when it is unavailable. */
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
  /** The types without a serving collection, which Neo4j answers. */
  readonly unserved: readonly string[];
  readonly missing: number;
  readonly behind: number;
  readonly orphaned: number;
};

/** The drift while the server is unavailable and Neo4j answers alone. */
export const unservedDrift = (kinds: readonly Kind[]): TypesenseDrift => ({
  unserved: kinds.map(({ entityType }) => entityType),
  missing: 0,
  behind: 0,
  orphaned: 0,
});

/** Compares the collections of some kinds with the graph. Throws when the server is unavailable. */
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
