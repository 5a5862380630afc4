import {
  type PropertyMap,
  type RecordKey,
  type RecordRow,
  readPlainRecords,
  readRecordRows,
  readReferences,
} from '../queries.ts';
import { type RecordSource, restoreOrder } from './batch-read.ts';

/** Reads the rows of records by the cheapest statement that answers what their keys request. */

const FLAGS = ['owners', 'domains', 'dataProducts', 'followers', 'votes', 'tags'] as const;

/** A text that is the same for keys that want the same of the same record. */
export const recordKeyIdentity = (key: RecordKey): string =>
  `${key.entityType} ${key.id ?? ''} ${FLAGS.map((flag) => (key[flag] ? '1' : '0')).join('')} ${key.fqn ?? ''}`;

const wantsRelations = (key: RecordKey): boolean => FLAGS.some((flag) => key[flag]);

const NO_RELATIONS = {
  owners: null,
  domains: null,
  dataProducts: null,
  followers: null,
  voters: null,
  tags: null,
  columnTags: null,
} as const;

/**
 * Whether a reader may see the row: a record that is being removed together with very many descendants is invisible.
 */
const isNotMarkedForDeletion = (row: { readonly node: PropertyMap }): boolean => row.node['doomed'] !== true;

type AddressMember = keyof typeof readPlainRecords;

/**
 * Chooses how to read a record: without relations by one member of its address, or with the relations its key requests.
 */
export const readModeOf = (key: RecordKey): AddressMember | 'full' => {
  if (wantsRelations(key)) return 'full';
  return key.id === null ? 'fqn' : 'id';
};

const readPlainRows = async (graph: RecordSource, keys: readonly RecordKey[], by: AddressMember) => {
  const rows = keys.map((key, at) => ({ entityType: key.entityType, key: key[by] ?? '', at }));
  const found = await graph.read(readPlainRecords[by], { rows });
  return restoreOrder(
    found.filter(isNotMarkedForDeletion).map((row) => ({ ...row, ...NO_RELATIONS })),
    keys.length,
  );
};

/** Looks up the ids of keys, in their order; undefined for a name that does not exist. */
const resolveIds = async (
  graph: RecordSource,
  keys: readonly RecordKey[],
): Promise<readonly (string | undefined)[]> => {
  const ids = keys.map(({ id }) => id ?? undefined);
  const rows = keys.flatMap(({ entityType, id, fqn }, at) =>
    id === null && fqn !== null ? [{ entityType, fqn, at }] : [],
  );
  if (rows.length === 0) return ids;
  for (const { at, node } of await graph.read(readReferences, { rows })) ids[at] = node.id;
  return ids;
};

/** Reads the rows of keys with the same read mode, in their order, by the cheapest statement for that mode. */
export const readRows = async (graph: RecordSource, keys: readonly RecordKey[]): Promise<(RecordRow | undefined)[]> => {
  const [first] = keys;
  if (!first) return [];
  const manner = readModeOf(first);
  if (manner !== 'full') return readPlainRows(graph, keys, manner);
  const ids = await resolveIds(graph, keys);
  const rows = keys.flatMap((key, at) => (ids[at] === undefined ? [] : [{ ...key, id: ids[at], at }]));
  const found = rows.length > 0 ? await graph.read(readRecordRows, { rows }) : [];
  return restoreOrder(found.filter(isNotMarkedForDeletion), keys.length);
};
