import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import { createColumnFinder } from '../../../catalog/read/column-paths.ts';
import { renderLabels, type View } from '../../../catalog/read/render.ts';
import { chunk } from '../../../model/chunk.ts';
import type { Json, JsonObject, MutableJsonObject } from '../../../model/json.ts';
import { type TestNode, type TestsByRecord, worstStatusOf } from '../record-tests.ts';

/** Returns the type, the tags and the worst test of a record's column, by its name below the record; nothing for a column that is gone. */
export type ColumnDetails = (id: string, name: string) => JsonObject;

/** The number of records whose columns are in memory at once. */
const AT_ONCE = 100;

const LABELS: ReadonlySet<string> = new Set(['tags']);

const TYPE_MEMBERS = ['dataType', 'dataTypeDisplay'];

const groupByKind = (nodes: readonly RefNode[]): ReadonlyMap<string, readonly string[]> => {
  const ids = new Map<string, string[]>();
  for (const { id, entityType } of nodes) ids.set(entityType, [...(ids.get(entityType) ?? []), id]);
  return ids;
};

/** Reads how the tests of columns go, which belong to some records. */
export const readColumnTests = async (
  testsOf: (ids: readonly string[]) => Promise<TestsByRecord>,
  ids: readonly string[],
): Promise<ColumnDetails> => {
  const tests = ids.length === 0 ? new Map() : await testsOf(ids);
  return (id, name) => {
    const testStatus = worstStatusOf((tests.get(id) ?? []).filter(({ columnName }: TestNode) => columnName === name));
    return testStatus === undefined ? {} : { testStatus };
  };
};

/** Reads the data types and tags of some columns of records that the caller sees. */
export const readColumnDetails = async (
  { registry, store }: Pick<Engine, 'registry' | 'store'>,
  view: View,
  nodes: readonly RefNode[],
  namesOf: (id: string) => Iterable<string>,
): Promise<ColumnDetails> => {
  const details = new Map<string, JsonObject>();
  const keyOf = (id: string, name: string): string => `${id} ${name}`;
  for (const [type, all] of groupByKind(nodes)) {
    const kind = registry.byType.get(type);
    if (!kind || kind.columnTrees.length === 0) continue;
    for (const ids of chunk(all, AT_ONCE)) {
      for (const { id, columns } of await store.records(kind, ids, LABELS)) {
        const { named } = createColumnFinder(kind, columns);
        for (const name of namesOf(id)) {
          const column = named(name)?.node;
          if (!column) continue;
          const types = TYPE_MEMBERS.flatMap((member): [string, Json][] => {
            const value = column.values[member];
            return value === undefined || value === null ? [] : [[member, value]];
          });
          const out: MutableJsonObject = {
            ...Object.fromEntries(types),
            tags: renderLabels(column.labels ?? [], view),
          };
          details.set(keyOf(id, name), out);
        }
      }
    }
  }
  return (id, name) => details.get(keyOf(id, name)) ?? {};
};
