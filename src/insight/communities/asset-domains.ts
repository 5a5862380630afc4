import type { Engine } from '../../catalog/engine.ts';
import { filterNearest } from '../../catalog/read/snapshot.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { chunk } from '../../model/chunk.ts';
import type { LineageView } from '../graph/lineage-view.ts';
import type { NetworkAsset } from '../graph/network.ts';
import { type DomainNode, listDomainMembers, readInheritedDomains } from './queries.ts';

/** The domains of the assets of a view, own or inherited. */
export type AssetDomains = {
  /** All domains by ID, in the order of their names. */
  readonly domains: ReadonlyMap<string, DomainNode>;
  /** The number of assets in each domain, by ID. */
  readonly sizes: ReadonlyMap<string, number>;
  domainsOf(asset: NetworkAsset): readonly string[];
};

const DOMAIN_TYPE = 'domain';
const READ_BATCH = 1000;
const READS_AT_ONCE = 2;
const NO_DOMAINS: readonly string[] = [];

/** Counts how many assets are in each of their domains. */
export const countDomains = (
  assets: Iterable<NetworkAsset>,
  domainsOf: AssetDomains['domainsOf'],
): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const asset of assets) for (const id of domainsOf(asset)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
};

const read = async (
  { graph }: Engine,
  { network }: LineageView,
  bookmark: string | undefined,
): Promise<AssetDomains> => {
  const options = bookmark === undefined ? {} : { after: [bookmark] };
  const rows = await graph.read(listDomainMembers, { entityType: DOMAIN_TYPE }, options);
  const own = new Map<string, readonly string[]>();
  for (const { domain, ids } of rows) for (const id of ids) own.set(id, [...(own.get(id) ?? []), domain.id]);
  const parents = new Set(network.assets.flatMap(({ id, parentId }) => (own.has(id) ? [] : (parentId ?? []))));
  const inherited = new Map<string, readonly string[]>();
  await mapConcurrently(chunk([...parents], READ_BATCH), READS_AT_ONCE, async (ids) => {
    const found = await graph.read(readInheritedDomains, { ids }, options);
    for (const { id, domains } of found)
      inherited.set(
        id,
        filterNearest(domains).map((domain) => domain.id),
      );
  });
  const domainsOf = ({ id, parentId }: NetworkAsset): readonly string[] =>
    own.get(id) ?? inherited.get(parentId ?? '') ?? NO_DOMAINS;
  return {
    domains: new Map(rows.map(({ domain }) => [domain.id, domain])),
    sizes: countDomains(network.assets, domainsOf),
    domainsOf,
  };
};

/** Reads the domains of assets, again only when something in the store has changed. */
export const createDomainReader = (engine: Engine): ((view: LineageView) => Promise<AssetDomains>) => {
  const known = new WeakMap<LineageView, { readonly bookmark: string; readonly found: AssetDomains }>();
  return async (view) => {
    const last = known.get(view);
    if (last && (await engine.changes.isNewest(last.bookmark))) return last.found;
    const bookmark = await engine.graph.readBookmark();
    const found = await read(engine, view, bookmark);
    if (bookmark !== undefined) known.set(view, { bookmark, found });
    return found;
  };
};
