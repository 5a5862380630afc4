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

/**
 * Ids of records by type and name, as they were last found. A record may have a new name since, so what is read by such
 * an id counts only while it has the name.
 */
export type KnownIds = Map<string, string>;

/** With more, all are forgotten: finding one again is cheap. */
const MAX_KNOWN_IDS = 10_000;

const nameOf = ({ entityType, fqn }: RecordKey): string => `${entityType} ${fqn}`;

const findIds = async (graph: RecordSource, keys: readonly RecordKey[], known: KnownIds): Promise<void> => {
  const rows = keys.map(({ entityType, fqn }, at) => ({ entityType, fqn: fqn ?? '', at }));
  if (known.size >= MAX_KNOWN_IDS) known.clear();
  for (const { at, node } of await graph.read(readReferences, { rows })) {
    const key = keys[at];
    if (key) known.set(nameOf(key), node.id);
  }
};

/** Reads the rows of those keys whose ids are known. */
const readKnownRows = async (
  graph: RecordSource,
  keys: readonly RecordKey[],
  known: KnownIds,
): Promise<(RecordRow | undefined)[]> => {
  const rows = keys.flatMap((key, at) => {
    const id = key.id ?? known.get(nameOf(key));
    return id === undefined ? [] : [{ ...key, id, at }];
  });
  const found = rows.length > 0 ? await graph.read(readRecordRows, { rows }) : [];
  return restoreOrder(found.filter(isNotMarkedForDeletion), keys.length).map((row, at) =>
    row && keys[at]?.id === null && row.node['fullyQualifiedName'] !== keys[at]?.fqn ? undefined : row,
  );
};

/** Reads rows by id, also where the key is a name: only a name without a known id takes a second query. */
const readFullRows = async (
  graph: RecordSource,
  keys: readonly RecordKey[],
  known: KnownIds,
): Promise<(RecordRow | undefined)[]> => {
  const found = await readKnownRows(graph, keys, known);
  const missing = keys.flatMap((key, at) => (key.id === null && !found[at] ? [{ key, at }] : []));
  if (missing.length === 0) return found;
  const named = missing.map(({ key }) => key);
  for (const key of named) known.delete(nameOf(key));
  await findIds(graph, named, known);
  const others = await readKnownRows(graph, named, known);
  others.forEach((row, index) => {
    const place = missing[index];
    if (place) found[place.at] = row;
  });
  return found;
};

/** Reads the rows of keys with the same read mode, in their order, by the cheapest statement for that mode. */
export const readRows = async (
  graph: RecordSource,
  keys: readonly RecordKey[],
  known: KnownIds,
): Promise<(RecordRow | undefined)[]> => {
  const [first] = keys;
  if (!first) return [];
  const mode = readModeOf(first);
  return mode === 'full' ? readFullRows(graph, keys, known) : readPlainRows(graph, keys, mode);
};
