import { coalesce } from '../../graph/coalesce.ts';
import { statement, withPositions } from '../../graph/statement.ts';
import type { DailyUsage } from '../../model/schemas/usage/usage-summary.ts';
import {
  type NameKey,
  type RecordKey,
  type RecordRow,
  readReferences,
  readReferencesById,
  readUsageDays,
  type TargetNode,
  type UsageSpan,
} from '../queries.ts';
import { memoizePerName, type RecordSource, restoreOrder } from './batch-read.ts';
import { type KnownIds, readRows, recordKeyIdentity } from './record-rows.ts';

/** Single lookups. Those that arrive together share a query. */

/** The maximum number of single lookups that share a statement while the previous batch runs. */
const RECORD_BATCH = 256;

type Lookup<K, V> = (key: K) => Promise<V>;
/** One lookup for each name. */
type NamedLookup<K, V> = (name: string) => Lookup<K, V>;

/** Looks up rows; the name is a read mode. */
export const createRowLookup = (graph: RecordSource, known: KnownIds): NamedLookup<RecordKey, RecordRow | undefined> =>
  // Reads with different modes do not share a batch: one expensive read would slow down all the others.
  memoizePerName((mode) =>
    coalesce({
      name: `records:${mode}`,
      observer: graph.observer,
      identity: recordKeyIdentity,
      maxBatch: RECORD_BATCH,
      load: (keys: readonly RecordKey[]) => readRows(graph, keys, known),
    }),
  );

/** Looks up references by fully qualified names. */
export const createReferenceLookup = (graph: RecordSource): Lookup<NameKey, TargetNode | undefined> =>
  coalesce({
    name: readReferences.name,
    observer: graph.observer,
    identity: ({ entityType, fqn }) => `${entityType} ${fqn}`,
    load: async (keys: readonly NameKey[]) => {
      const found = await graph.read(readReferences, { rows: withPositions(keys) });
      return restoreOrder(found, keys.length).map((row) => row?.node);
    },
  });

export const createReferenceByIdLookup = (graph: RecordSource): Lookup<string, TargetNode | undefined> =>
  coalesce({
    name: readReferencesById.name,
    observer: graph.observer,
    identity: (id) => id,
    load: async (ids: readonly string[]) => {
      const found = await graph.read(readReferencesById, { rows: ids.map((id, at) => ({ id, at })) });
      return restoreOrder(found, ids.length).map((row) => row?.node);
    },
  });

export const naturalKeyStatement = (name: string) =>
  statement<{ rows: readonly { key: string; at: number }[] }, { at: number; id: string }>(name, {
    params: ['rows'],
    row: ['at', 'id'],
  });

/** Looks up the ids of records by natural keys; the name is that of a statement. */
export const createNaturalKeyLookup = (graph: RecordSource): NamedLookup<string, string | undefined> =>
  memoizePerName((name) => {
    const bound = naturalKeyStatement(name);
    return coalesce({
      name,
      observer: graph.observer,
      identity: (key) => key,
      load: async (keys: readonly string[]) => {
        const found = await graph.read(bound, { rows: keys.map((key, at) => ({ key, at })) });
        return restoreOrder(found, keys.length).map((row) => row?.id);
      },
    });
  });

export type UsageLookup = Lookup<UsageSpan, readonly DailyUsage[]>;

export const createUsageLookup = (graph: RecordSource): UsageLookup =>
  coalesce({
    name: readUsageDays.name,
    observer: graph.observer,
    load: async (spans: readonly UsageSpan[]) => {
      const days: DailyUsage[][] = spans.map(() => []);
      for (const row of await graph.read(readUsageDays, { rows: withPositions(spans) })) days[row.at]?.push(row.day);
      return days;
    },
  });
