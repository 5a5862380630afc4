import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { canSeeEverything } from '../../catalog/read/facts.ts';
import { readNodeVisibility, typeVisibilityOf } from '../../lineage/node-visibility.ts';
import { type AssetLimits, type AssetStore, createAssetStore, updateAssetStore } from './asset-store.ts';
import { buildNetwork, type LineageNetwork } from './network.ts';

/**
 * The lineage graph of the whole catalog, as the insight operations compute on it. Read this file first, then
 * `asset-store.ts` (how it is read and brought up to date) and `network.ts` (its form for computations).
 */

/** The part of the graph that a caller may see, as of a moment. It never changes, so results can be kept with it. */
export type LineageView = {
  readonly network: LineageNetwork;
  /** The IDs of the assets that have a contract. */
  readonly contracted: ReadonlySet<string>;
  /** When it was compared with the database. */
  readonly asOf: number;
  /** What there was too much of to look at everything. */
  readonly cut: string | undefined;
};

export type LineageViews = {
  /** Returns what a caller may see of the graph, as it was at most some seconds ago. */
  viewFor(principal: Principal): Promise<LineageView>;
  /** Makes the next use compare with the database at once, so that whoever changed lineage sees it. */
  expire(): Promise<void>;
};

/** The whole graph must fit into memory several times over. */
const LIMITS: AssetLimits = { assets: 1_000_000, edges: 2_000_000 };

/** The number of assets that are judged one by one for a caller who sees only some of them. */
const MAX_JUDGED = 50_000;

/** For so long after a comparison with the database, the graph counts as up to date. */
const FRESH_MS = 2000;

/** From this age on, the next use has the graph compared in the background. */
const AGEING_MS = 1000;

const viewOfEverything = ({ assets, contracts, cut }: AssetStore, asOf: number): LineageView => ({
  network: buildNetwork([...assets.values()]),
  contracted: new Set(contracts.keys()),
  asOf,
  cut,
});

/** The state of a process: the graph as last read, and the comparison that is under way. */
type Whole = {
  readonly store: AssetStore;
  view: LineageView | undefined;
  /** The bookmark of the newest change that the view contains. */
  bookmark: string | undefined;
  comparedMs: number;
  /** Whether the store holds changes that the view does not, because a comparison failed half-way. */
  isAhead: boolean;
  running: Promise<LineageView> | undefined;
};

const compare = async (engine: Engine, limits: AssetLimits, whole: Whole): Promise<LineageView> => {
  const { view, bookmark } = whole;
  const startedMs = performance.now();
  const asOf = engine.clock();
  const isSame = bookmark !== undefined && !whole.isAhead && (await engine.changes.isNewest(bookmark));
  let current = view;
  if (!current || !isSame) {
    const newest = await engine.graph.readBookmark();
    const wasAhead = whole.isAhead;
    whole.isAhead = true;
    const isChanged = await updateAssetStore(
      engine,
      whole.store,
      limits,
      newest === undefined ? {} : { after: [newest] },
    );
    if (!current || isChanged || wasAhead) current = viewOfEverything(whole.store, asOf);
    whole.view = current;
    whole.bookmark = newest;
    whole.isAhead = false;
  }
  whole.comparedMs = startedMs;
  return current;
};

/** Takes from the graph what a caller may see, so that nothing hidden is walked through or counted. */
const restrict = async (
  engine: Engine,
  principal: Principal,
  view: LineageView,
  contracts: AssetStore['contracts'],
): Promise<LineageView> => {
  const { hiddenTypes, judgedTypes } = typeVisibilityOf(engine, principal);
  let judged = 0;
  let isCut = false;
  const candidates = view.network.assets.filter(({ entityType }) => {
    if (hiddenTypes.includes(entityType)) return false;
    if (!judgedTypes.includes(entityType)) return true;
    judged += 1;
    isCut ||= judged > MAX_JUDGED;
    return judged <= MAX_JUDGED;
  });
  const sees = await readNodeVisibility(engine, principal, candidates);
  const seen = candidates.filter(({ id }) => sees(id));
  const contractNodes = seen.flatMap(({ id }) =>
    (contracts.get(id) ?? []).map((contractId) => ({ id: contractId, entityType: 'dataContract' })),
  );
  const seesContract = await readNodeVisibility(engine, principal, contractNodes);
  const contracted = new Set(seen.flatMap(({ id }) => ((contracts.get(id) ?? []).some(seesContract) ? [id] : [])));
  return { network: buildNetwork(seen), contracted, asOf: view.asOf, cut: isCut ? 'judged' : view.cut };
};

/** Opens the graph for the operations of a process. Nothing is read before the first use. */
export const openLineageViews = (engine: Engine, limits = LIMITS): LineageViews => {
  const whole: Whole = {
    store: createAssetStore(),
    view: undefined,
    bookmark: undefined,
    comparedMs: Number.NEGATIVE_INFINITY,
    isAhead: false,
    running: undefined,
  };
  const compareOnce = (): Promise<LineageView> => {
    whole.running ??= compare(engine, limits, whole).finally(() => {
      whole.running = undefined;
    });
    return whole.running;
  };
  const current = (): LineageView | Promise<LineageView> => {
    const { view, comparedMs } = whole;
    const ageMs = performance.now() - comparedMs;
    if (!view || ageMs >= FRESH_MS) return compareOnce();
    // Nobody waits for this comparison; who has to wait for the next one meets its failure.
    if (ageMs >= AGEING_MS) compareOnce().catch(() => {});
    return view;
  };
  return {
    viewFor: async (principal) => {
      const view = await current();
      if (canSeeEverything(engine, principal)) return view;
      return restrict(engine, principal, view, whole.store.contracts);
    },
    expire: async () => {
      // A comparison that began before the change may miss it. Its failure meets those who wait for it.
      await whole.running?.catch(() => {});
      whole.comparedMs = Number.NEGATIVE_INFINITY;
    },
  };
};

/** Keeps a result with the view that it was computed from. */
export const memoisePerView = <T>(
  compute: (view: LineageView) => Promise<T> | T,
): ((view: LineageView) => Promise<T>) => {
  const known = new WeakMap<LineageView, Promise<T>>();
  return (view) => {
    const found = known.get(view);
    if (found) return found;
    const made = Promise.resolve(view).then(compute);
    known.set(view, made);
    return made;
  };
};
