import { createHash } from 'node:crypto';
import type { Graph } from '../../graph/client.ts';
import type { Log } from '../../http/log.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createTypesenseClient } from './client.ts';
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
    typesense: createTypesenseClient({ url, apiKey }),
    server: serverKeyOf(url, prefix),
  });
  const indexer = createIndexer({ graph, engine, log, options });
  const stop = async () => {
    await indexer.stop();
    engine.close();
  };
  return { typesense: engine, indexer: { ...indexer, stop } };
};
