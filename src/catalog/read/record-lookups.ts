import { coalesce } from '../../graph/coalesce.ts';
import { statement, withPositions } from '../../graph/statement.ts';
import type { DailyUsage } from '../../model/schemas/usage/usage-summary.ts';
import {
  type RecordKey,
  type RecordRow,
  readReferences,
  readReferencesById,
  readUsageDays,
  type TargetNode,
  type UsageSpan,
} from '../queries.ts';
import { type Registry, requireKind } from '../registry.ts';
import { memoizePerName, type RecordSource, restoreOrder } from './batch-read.ts';
import { readRowsOfKind, recordKeyIdentity } from './record-rows.ts';

/** Single lookups. Those that arrive together share a query. */

/** The maximum number of single lookups that share a statement while the previous batch runs. */
const RECORD_BATCH = 256;

type Lookup<K, V> = (key: K) => Promise<V>;
/** One lookup for each name. */
type NamedLookup<K, V> = (name: string) => Lookup<K, V>;

/** Looks up rows; the name is an entity type and a read mode, with a space in between. */
export const createRowLookup = (
  graph: RecordSource,
  registry: Registry,
): NamedLookup<RecordKey, RecordRow | undefined> =>
  // Reads with different modes do not share a batch: one expensive read would slow down all the others.
  memoizePerName((name) => {
    const kind = requireKind(registry, name.slice(0, name.indexOf(' ')));
    return coalesce({
      name: `records:${name}`,
      observer: graph.observer,
      identity: recordKeyIdentity,
      maxBatch: RECORD_BATCH,
      load: (keys: readonly RecordKey[]) => readRowsOfKind(graph, kind, keys),
    });
  });

/** Looks up references by fully qualified names; the name is the label of a kind. */
export const createReferenceLookup = (graph: RecordSource): NamedLookup<string, TargetNode | undefined> =>
  memoizePerName((label) => {
    const bound = readReferences.for(label);
    return coalesce({
      name: bound.name,
      observer: graph.observer,
      identity: (fqn) => fqn,
      load: async (fqns: readonly string[]) => {
        const found = await graph.read(bound, { rows: fqns.map((fqn, at) => ({ fqn, at })) });
        return restoreOrder(found, fqns.length).map((row) => row?.node);
      },
    });
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
