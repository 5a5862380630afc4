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
  readonly survey: () => Promise<{ readonly unused: readonly { readonly name: string }[] }>;
};

export type BesideDrift = {
  /** Types for which nothing serves, so that the graph answers. */
  readonly unserved: readonly string[];
  readonly missing: number;
  readonly behind: number;
  readonly orphaned: number;
};

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
