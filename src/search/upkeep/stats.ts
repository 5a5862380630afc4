import type { Engine } from '../../catalog/engine.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { documentIndex } from '../index/schema.ts';
import { ofKinds } from '../index/translate.ts';
import { type Beside, whileThere } from './beside.ts';
import { searchable } from './drift.ts';
import { listIndexes, readSize } from './queries.ts';

/** What search keeps, told in the words of search engines. The database holds all of it: there is one shard and no copy. */

/** So many documents are weighed; the others weigh as much on average. */
const WEIGHED = 200;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A size as people read it: `1.5 MB`. */
const spellSize = (bytes: number): string => {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step]}`;
};

const sized = (bytes: number) => ({ sizeInBytes: bytes, sizeFormatted: spellSize(bytes) });

const indexOf = async ({ graph }: Pick<Engine, 'graph'>, index: string, kind: Kind, health: string) => {
  const [row] = await graph.read(readSize, { index, query: ofKinds([kind]), some: WEIGHED });
  const { documents = 0, size = 0 } = row ?? {};
  return {
    name: kind.search.index ?? '',
    documents,
    primaryShards: 1,
    replicaShards: 0,
    ...sized(Math.round(documents * size)),
    health,
    aliases: [kind.entityType, ...(kind.search.aliases ?? [])],
  };
};

/** GET /v1/search/stats. Sizes are estimates from some documents of each kind. */
export const readStats = async (
  engine: Pick<Engine, 'graph' | 'registry'>,
  beside?: Pick<Beside, 'survey' | 'isAway'>,
): Promise<JsonObject> => {
  const name = documentIndex(engine.registry.kinds);
  const kept = await engine.graph.read(listIndexes, {});
  const health = kept.some((one) => one.name === name && one.state === 'ONLINE') ? 'GREEN' : 'RED';
  const indexes = [];
  for (const kind of searchable(engine)) indexes.push(await indexOf(engine, name, kind, health));
  const survey = beside && (await whileThere(beside, beside.survey));
  const unused = survey?.unused ?? [];
  const bytes = indexes.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0);
  return {
    // The graph answers alone as well, only without the help it was given.
    clusterHealth: beside && !survey && health === 'GREEN' ? 'YELLOW' : health,
    totalIndexes: indexes.length,
    totalDocuments: indexes.reduce((sum, { documents }) => sum + documents, 0),
    totalSizeInBytes: bytes,
    totalSizeFormatted: spellSize(bytes),
    totalPrimaryShards: indexes.length,
    totalReplicaShards: 0,
    indexes,
    // Indexes of former versions of the program, which older processes on the same store may still ask, and collections that
    // served until lately or were never finished.
    orphanIndexes: [...kept.filter((one) => one.name !== name), ...unused].map((one) => ({
      name: one.name,
      ...sized(0),
    })),
  };
};
