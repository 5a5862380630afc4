import type { Engine } from '../catalog/engine.ts';
import { createUpstreamReader } from '../lineage/read/map/upstream-reader.ts';
import { createSearchContext, type SearchContext } from '../search/find/search-context.ts';
import { createRefresher, type Refresher } from '../search/maintenance/refresher.ts';
import type { TypesenseEngine } from '../search/typesense/engine.ts';
import type { Indexer } from '../search/typesense/indexer.ts';
import { openTypesenseSearch } from '../search/typesense/open-search.ts';
import type { AppDeps } from './app-deps.ts';

/** How records are found. The second engine and its indexer are absent unless they are configured. */
export type SearchServices = {
  readonly searches: SearchContext;
  readonly refresher: Refresher;
  readonly typesense: TypesenseEngine | undefined;
  readonly indexer: Indexer | undefined;
};

/** After this time, a search answers with the results it has so far. */
const PATIENCE_MS = 30_000;

export const composeSearch = ({ config, graph, registry, log, bounds }: AppDeps, engine: Engine): SearchServices => {
  const second =
    config.typesense &&
    openTypesenseSearch({
      ...config.typesense,
      graph,
      kinds: registry.kinds,
      log,
      options: bounds?.indexer ?? {},
    });
  return {
    searches: createSearchContext(engine, {
      typesense: second?.typesense,
      upstreamOf: createUpstreamReader(engine),
      patienceMs: bounds?.patienceMs ?? Math.min(PATIENCE_MS, config.limits.transactionMs),
    }),
    refresher: createRefresher({ engine, log, options: bounds?.refresher ?? {} }),
    typesense: second?.typesense,
    indexer: second?.indexer,
  };
};
