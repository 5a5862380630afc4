import type { Engine } from '../../catalog/engine.ts';
import type { ReadOptions } from '../../graph/client.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { expectsLineage } from '../../lineage/read/graph/health.ts';
import { chunk } from '../../model/chunk.ts';
import type { NetworkAsset } from './network.ts';
import { type AssetTuple, listAssetRevisions, listContractOwners, readAssets } from './queries.ts';
import { encodeSources } from './source-set.ts';

/**
 * All assets of the catalog with the edges between them, in memory. The first use reads them; later ones read the
 * revisions of all and those assets that are new or changed. A revision grows with every change of an asset and of the
 * edges next to it, whichever process made it.
 */

export type AssetLimits = { readonly assets: number; readonly edges: number };

type StoredAsset = NetworkAsset & { readonly revision: number };

/** The stored assets by ID; `cut` names the limit beyond which there are more. */
export type AssetStore = {
  readonly assets: Map<string, StoredAsset>;
  /** The IDs of the living contracts by the ID of their asset. */
  contracts: ReadonlyMap<string, readonly string[]>;
  edges: number;
  cut: 'assets' | 'edges' | undefined;
};

export const createAssetStore = (): AssetStore => ({
  assets: new Map(),
  contracts: new Map(),
  edges: 0,
  cut: undefined,
});

const REVISION_PAGE = 10_000;
const READ_BATCH = 2000;
const READS_AT_ONCE = 2;

type Source = Pick<Engine, 'graph' | 'registry'>;

/** Reads pages of records in the order of their names until one has no last name. */
async function* readPages<P extends { readonly last: string | null }>(
  readPage: (after: string) => Promise<readonly P[]>,
): AsyncGenerator<P> {
  for (let after: string | null = ''; after !== null; ) {
    const [page]: readonly P[] = await readPage(after);
    if (page) yield page;
    after = page?.last ?? null;
  }
}

/**
 * Reads the revisions of all assets that may have lineage; records of other kinds count when they have edges. It ends when
 * there are more than the limit.
 */
const readRevisions = async (
  { graph, registry }: Source,
  most: number,
  options: ReadOptions,
): Promise<Map<string, number>> => {
  let count = 0;
  const byKind = await mapConcurrently(registry.kinds, READS_AT_ONCE, async (kind) => {
    const found: (readonly [id: string, revision: number])[] = [];
    const common = { entityType: kind.entityType, withIsolated: expectsLineage(kind), limit: REVISION_PAGE };
    const pages = readPages((after) => graph.read(listAssetRevisions, { ...common, after }, options));
    for await (const { ids, revisions } of pages) {
      for (const [at, id] of ids.entries()) found.push([id, revisions[at] ?? Number.NaN]);
      count += ids.length;
      if (count > most) break;
    }
    return found;
  });
  return new Map(byKind.flat());
};

const CONTRACT_TYPE = 'dataContract';

const readContracts = async ({ graph }: Source, options: ReadOptions): Promise<AssetStore['contracts']> => {
  const all = new Map<string, string[]>();
  const common = { entityType: CONTRACT_TYPE, limit: REVISION_PAGE };
  const pages = readPages((after) => graph.read(listContractOwners, { ...common, after }, options));
  for await (const { ids, contractIds } of pages) {
    for (const [at, id] of ids.entries()) all.set(id, [...(all.get(id) ?? []), contractIds[at] ?? '']);
  }
  return all;
};

const canonicalIdOf = (known: Map<string, string>, id: string): string => {
  const found = known.get(id);
  if (found === undefined) known.set(id, id);
  return found ?? id;
};

const toAsset = (
  [id, entityType, fullyQualifiedName, revision, feeds, tier, usedOn, uses, parentId]: AssetTuple,
  canonicalIds: Map<string, string>,
): StoredAsset => ({
  id: canonicalIds.get(id) ?? id,
  entityType,
  fullyQualifiedName,
  revision,
  // Each ID is stored once, however many edges name it.
  feeds: feeds.map(([to]) => canonicalIds.get(to) ?? to),
  feedSources: feeds.map(([, ...sources]) => encodeSources(sources)),
  tier: tier ?? undefined,
  usedOn: usedOn ?? undefined,
  uses,
  parentId: parentId === null ? undefined : canonicalIdOf(canonicalIds, parentId),
});

const removeAsset = (store: AssetStore, id: string): void => {
  store.edges -= store.assets.get(id)?.feeds.length ?? 0;
  store.assets.delete(id);
};

const replaceAssets = async (
  { graph }: Source,
  store: AssetStore,
  ids: readonly string[],
  limits: AssetLimits,
  options: ReadOptions,
): Promise<void> => {
  const canonicalIds = new Map([...store.assets.keys(), ...ids].map((id) => [id, id]));
  for (const id of ids) removeAsset(store, id);
  await mapConcurrently(chunk(ids, READ_BATCH), READS_AT_ONCE, async (some) => {
    if (store.edges > limits.edges) return;
    const [row] = await graph.read(readAssets, { ids: some }, options);
    for (const tuple of row?.assets ?? []) {
      const asset = toAsset(tuple, canonicalIds);
      store.assets.set(asset.id, asset);
      store.edges += asset.feeds.length;
    }
  });
};

const sameContracts = (one: AssetStore['contracts'], other: AssetStore['contracts']): boolean =>
  one.size === other.size && [...one].every(([id, ids]) => ids.join() === (other.get(id) ?? []).join());

/** Brings the store up to date and returns whether anything was different. */
export const updateAssetStore = async (
  source: Source,
  store: AssetStore,
  limits: AssetLimits,
  options: ReadOptions = {},
): Promise<boolean> => {
  const [revisions, contracts] = await Promise.all([
    readRevisions(source, limits.assets, options),
    readContracts(source, options),
  ]);
  const wanted = [...revisions].slice(0, limits.assets);
  const changed = wanted.filter(([id, revision]) => store.assets.get(id)?.revision !== revision).map(([id]) => id);
  const kept = wanted.length < revisions.size ? new Map(wanted) : revisions;
  const gone = [...store.assets.keys()].filter((id) => !kept.has(id));
  const isSame = changed.length === 0 && gone.length === 0 && sameContracts(store.contracts, contracts);
  for (const id of gone) removeAsset(store, id);
  await replaceAssets(source, store, changed, limits, options);
  store.contracts = contracts;
  store.cut = undefined;
  if (store.edges > limits.edges) store.cut = 'edges';
  else if (revisions.size > limits.assets) store.cut = 'assets';
  return !isSame;
};
