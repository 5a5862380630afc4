import { createHash } from 'node:crypto';
import type { Graph } from '../../graph/client.ts';
import type { Log } from '../../http/log.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { Tracing } from '../../tracing/tracing.ts';
import { createTypesenseClient, type TypesenseClient } from './client.ts';
import { createTypesenseEngine, type TypesenseEngine } from './engine.ts';
import { createIndexer, type Indexer, type IndexerOptions } from './indexer.ts';

/** Opens the Typesense engine and its indexer. */

export type TypesenseDeps = {
  readonly url: string;
  readonly apiKey: string;
  readonly prefix: string;
  readonly graph: Graph;
  readonly kinds: readonly Kind[];
  readonly log: Pick<Log, 'warn'>;
  readonly options: Partial<IndexerOptions>;
};

/** A key that distinguishes servers, and catalogs on one server, without revealing their names. */
const serverKeyOf = (url: string, prefix: string): string =>
  createHash('sha256').update(`${url} ${prefix}`).digest('hex').slice(0, 16);

/** Records a span for each search request, by the conventions of OpenTelemetry for databases. */
const traceSearches = (client: TypesenseClient, url: string, tracing: Tracing | undefined): TypesenseClient => {
  if (!tracing) return client;
  const { hostname, port, protocol } = new URL(url);
  const attributes = {
    'db.system.name': 'typesense',
    'db.operation.name': 'multi_search',
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  };
  return {
    ...client,
    search: (searches) =>
      tracing.child({ name: 'multi_search typesense', kind: 'client', attributes }, () => client.search(searches)),
  };
};

/** The server is not called before the first search or the start of the indexer; stopping the indexer closes both. */
export const openTypesenseSearch = ({
  url,
  apiKey,
  options,
  ...deps
}: TypesenseDeps): { readonly typesense: TypesenseEngine; readonly indexer: Indexer } => {
  const { graph, log, prefix } = deps;
  const engine = createTypesenseEngine({
    ...deps,
    typesense: traceSearches(createTypesenseClient({ url, apiKey }), url, graph.observer.tracing),
    server: serverKeyOf(url, prefix),
  });
  const indexer = createIndexer({ graph, engine, log, options });
  const stop = async () => {
    await indexer.stop();
    engine.close();
  };
  return { typesense: engine, indexer: { ...indexer, stop } };
};
