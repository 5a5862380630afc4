import type { Engine } from '../../catalog/engine.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { documentIndexName } from '../../search-documents/index/fulltext-index.ts';
import { kindsQuery } from '../../search-documents/index/translate-filter.ts';
import { searchableKinds } from './drift.ts';
import { listIndexes, readIndexSize } from './queries.ts';
import { ignoreUnavailable, type TypesenseMaintenance } from './typesense-drift.ts';

/**
 * Reports the search index in the terms of search engines. Neo4j holds all of it, so there is one shard and no replica.
 */

/** How many documents are measured to estimate the average size. */
const SIZE_SAMPLE = 200;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A size as people read it: `1.5 MB`. */
const formatSize = (bytes: number): string => {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step]}`;
};

const sizeMembers = (bytes: number) => ({ sizeInBytes: bytes, sizeFormatted: formatSize(bytes) });

const readIndexStats = async ({ graph }: Pick<Engine, 'graph'>, index: string, kind: Kind, health: string) => {
  const [row] = await graph.read(readIndexSize, { index, query: kindsQuery([kind]), some: SIZE_SAMPLE });
  const { documents = 0, size = 0 } = row ?? {};
  return {
    name: kind.search.index ?? '',
    documents,
    primaryShards: 1,
    replicaShards: 0,
    ...sizeMembers(Math.round(documents * size)),
    health,
    aliases: [kind.entityType, ...(kind.search.aliases ?? [])],
  };
};

/** GET /v1/search/stats. Sizes are estimates from a sample of the documents of each kind. */
export const readSearchStats = async (
  engine: Pick<Engine, 'graph' | 'registry'>,
  typesense?: Pick<TypesenseMaintenance, 'survey' | 'isAway'>,
): Promise<JsonObject> => {
  const name = documentIndexName(engine.registry.kinds);
  const existing = await engine.graph.read(listIndexes, {});
  const health = existing.some((one) => one.name === name && one.state === 'ONLINE') ? 'GREEN' : 'RED';
  const indexes = [];
  for (const kind of searchableKinds(engine)) indexes.push(await readIndexStats(engine, name, kind, health));
  const survey = typesense && (await ignoreUnavailable(typesense, typesense.survey));
  const unused = survey?.unused ?? [];
  const bytes = indexes.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0);
  return {
    // Neo4j can answer without Typesense, so its absence lowers the health to yellow only.
    clusterHealth: typesense && !survey && health === 'GREEN' ? 'YELLOW' : health,
    totalIndexes: indexes.length,
    totalDocuments: indexes.reduce((sum, { documents }) => sum + documents, 0),
    totalSizeInBytes: bytes,
    totalSizeFormatted: formatSize(bytes),
    totalPrimaryShards: indexes.length,
    totalReplicaShards: 0,
    indexes,
    // Indexes of earlier versions, which older processes on the same database may still query, and collections that no
    // longer serve or were never finished.
    orphanIndexes: [...existing.filter((one) => one.name !== name), ...unused].map((one) => ({
      name: one.name,
      ...sizeMembers(0),
    })),
  };
};
