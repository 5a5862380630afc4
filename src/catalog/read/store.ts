/**
 * Reading of records, from statement rows to answers. Read `store.ts` for lookups and `snapshot.ts` for what it
 * returns, then `render.ts` and `answer.ts` for the JSON of an answer. `list.ts` and `history.ts` serve lists and
 * versions; `facts.ts`, `visibility.ts` and `redaction.ts` decide what a caller may see.
 */
import { coalesce } from '../../graph/coalesce.ts';
import { statement } from '../../graph/statement.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { type DailyUsage, firstUsageDay } from '../../model/schemas/usage/usage-summary.ts';
import {
  type PropertyMap,
  type RecordKey,
  type RecordRow,
  readPlainRecords,
  readRecordRows,
  readReferences,
  readReferencesById,
  readUsageDays,
  type TargetNode,
  type UsageSpan,
} from '../queries.ts';
import { type Registry, requireKind } from '../registry.ts';
import { memoizePerName, type RecordSource, restoreOrder, withPositions } from './batch-read.ts';
import { type CustomPropertyDefinitions, DEFINING_FIELDS, readCustomPropertyDefinitions } from './custom-properties.ts';
import { collectMentions, readMentions } from './mentions.ts';
import {
  createInheritedReader,
  createRelatedReader,
  declareComputedStatement,
  declareInheritedStatements,
  hasComputedValues,
  type InheritedReader,
  withRelated,
} from './related.ts';
import { decodeRecord, type Snapshot } from './snapshot.ts';
import { countingMembers } from './visible-counts.ts';

/** The address of one record: its id, or its normalized fully qualified name. */
export type Address = { readonly id: string } | { readonly fqn: string };

/** The key of an address, also used in messages. */
export const addressKey = (address: Address): string => ('id' in address ? address.id : address.fqn);

/** Reads records and references; concurrent lookups share a query. */
export type Store = {
  /** Reads a record, deleted or not, with the members that `fields` names; undefined when it does not exist. */
  record(kind: Kind, address: Address, fields: ReadonlySet<string>): Promise<Snapshot | undefined>;
  /** Reads many records of one kind, in the order of their ids, without records that do not exist. */
  records(kind: Kind, ids: readonly string[], fields: ReadonlySet<string>): Promise<Snapshot[]>;
  reference(kind: Kind, fqn: string): Promise<TargetNode | undefined>;
  referenceById(id: string): Promise<TargetNode | undefined>;
  /** The current custom properties of a kind. */
  customProperties(kind: Kind): Promise<CustomPropertyDefinitions>;
  /** The days in a range on which a record was used, in no order. */
  usage(span: UsageSpan): Promise<readonly DailyUsage[]>;
  /** Reads what a record of a kind inherits. */
  readonly readInherited: InheritedReader;
  /** Finds the id of the record with a natural key, by the statement that its kind names. */
  findByNaturalKey(statement: string, key: string): Promise<string | undefined>;
};

const recordKey = (address: Address, fields: ReadonlySet<string>): RecordKey => ({
  id: 'id' in address ? address.id : null,
  fqn: 'fqn' in address ? address.fqn : null,
  owners: fields.has('owners'),
  domains: fields.has('domains'),
  dataProducts: fields.has('dataProducts'),
  followers: fields.has('followers'),
  votes: fields.has('votes'),
  tags: fields.has('tags'),
});

const FLAGS = ['owners', 'domains', 'dataProducts', 'followers', 'votes', 'tags'] as const;

const recordIdentity = (key: RecordKey): string =>
  `${key.id ?? ''} ${FLAGS.map((flag) => (key[flag] ? '1' : '0')).join('')} ${key.fqn ?? ''}`;

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
const readModeOf = (key: RecordKey): AddressMember | 'full' => {
  if (wantsRelations(key)) return 'full';
  return key.id === null ? 'fqn' : 'id';
};

const readPlainRows = async (graph: RecordSource, kind: Kind, keys: readonly RecordKey[], by: AddressMember) => {
  const rows = keys.map((key, at) => ({ key: key[by] ?? '', at }));
  const found = await graph.read(readPlainRecords[by].for(kind.label), { rows });
  return restoreOrder(
    found.filter(isNotMarkedForDeletion).map((row) => ({ ...row, ...NO_RELATIONS })),
    keys.length,
  );
};

/** Looks up the ids of keys, in their order; undefined for a name that does not exist. */
const resolveIds = async (
  graph: RecordSource,
  kind: Kind,
  keys: readonly RecordKey[],
): Promise<readonly (string | undefined)[]> => {
  const ids = keys.map(({ id }) => id ?? undefined);
  const rows = keys.flatMap(({ id, fqn }, at) => (id === null && fqn !== null ? [{ fqn, at }] : []));
  if (rows.length === 0) return ids;
  for (const { at, node } of await graph.read(readReferences.for(kind.label), { rows })) ids[at] = node.id;
  return ids;
};

/** Reads the rows of keys with the same read mode, in their order, by the cheapest statement for that mode. */
const readRows = async (
  graph: RecordSource,
  kind: Kind,
  keys: readonly RecordKey[],
): Promise<(RecordRow | undefined)[]> => {
  const [first] = keys;
  if (!first) return [];
  const manner = readModeOf(first);
  if (manner !== 'full') return readPlainRows(graph, kind, keys, manner);
  const { entityType } = kind;
  const ids = await resolveIds(graph, kind, keys);
  const rows = keys.flatMap((key, at) => (ids[at] === undefined ? [] : [{ ...key, id: ids[at], entityType, at }]));
  const found = rows.length > 0 ? await graph.read(readRecordRows, { rows }) : [];
  return restoreOrder(found.filter(isNotMarkedForDeletion), keys.length);
};

const naturalKeyStatement = (name: string) =>
  statement<{ rows: readonly { key: string; at: number }[] }, { at: number; id: string }>(name, {
    params: ['rows'],
    row: ['at', 'id'],
  });

type ReadUsage = Store['usage'];

const usageReader = (graph: RecordSource): ReadUsage =>
  coalesce({
    name: readUsageDays.name,
    observer: graph.observer,
    load: async (spans: readonly UsageSpan[]) => {
      const days: DailyUsage[][] = spans.map(() => []);
      for (const row of await graph.read(readUsageDays, { rows: withPositions(spans) })) days[row.at]?.push(row.day);
      return days;
    },
  });

/** Whether to read usage: a record that was never used skips the query. */
const wantsUsage = ({ usedOn }: Snapshot, fields: ReadonlySet<string>): boolean =>
  usedOn !== undefined && fields.has('usageSummary');

/** Adds the daily counts from which the usage of the last day is summed up. */
const withUsage = async (read: ReadUsage, snapshot: Snapshot): Promise<Snapshot> => {
  const { id, usedOn = '' } = snapshot;
  return { ...snapshot, usage: await read({ id, from: firstUsageDay(usedOn), to: usedOn }) };
};

/** Declares the statements that kinds name, so that a missing file fails at startup and not in a request. */
export const declareKindStatements = (registry: Registry): void => {
  for (const kind of registry.kinds) {
    if (kind.naturalKey) naturalKeyStatement(kind.naturalKey.statement);
    declareInheritedStatements(kind);
    for (const attribute of Object.values(kind.attributes)) {
      if (attribute.store === 'walked') declareComputedStatement(attribute);
    }
    countingMembers(kind);
  }
};

/** The number of records that one statement reads for lists; more would need too much memory at once. */
const LIST_BATCH = 1000;

/** The maximum number of single lookups that share a statement while the previous batch runs. */
const RECORD_BATCH = 256;

export const createStore = (graph: RecordSource, registry: Registry): Store => {
  // Reads with different modes do not share a batch: one expensive read would slow down all the others.
  const rows = memoizePerName<RecordKey, RecordRow | undefined>((name) => {
    const kind = requireKind(registry, name.slice(0, name.indexOf(' ')));
    return coalesce({
      name: `records:${name}`,
      observer: graph.observer,
      identity: recordIdentity,
      maxBatch: RECORD_BATCH,
      load: (keys: readonly RecordKey[]) => readRows(graph, kind, keys),
    });
  });
  const references = memoizePerName<string, TargetNode | undefined>((label) => {
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
  const byId = coalesce({
    name: readReferencesById.name,
    observer: graph.observer,
    identity: (id) => id,
    load: async (ids: readonly string[]) => {
      const found = await graph.read(readReferencesById, { rows: ids.map((id, at) => ({ id, at })) });
      return restoreOrder(found, ids.length).map((row) => row?.node);
    },
  });
  const naturalKeys = memoizePerName<string, string | undefined>((name) => {
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
  const related = createRelatedReader(graph);
  const usage = usageReader(graph);
  const readInherited = createInheritedReader(graph);
  const withHanded = async (snapshot: Snapshot, fields: ReadonlySet<string>): Promise<Snapshot> => {
    const [whole, down] = await Promise.all([
      withRelated(related, snapshot, fields),
      readInherited(snapshot.kind, snapshot.id, fields),
    ]);
    return down ? { ...whole, inheritedMembers: down } : whole;
  };
  const complete = (snapshot: Snapshot, fields: ReadonlySet<string>): Promise<Snapshot> => {
    const whole = snapshot.kind.inherits ? withHanded(snapshot, fields) : withRelated(related, snapshot, fields);
    return wantsUsage(snapshot, fields) ? whole.then((record) => withUsage(usage, record)) : whole;
  };

  /** Adds everything that the requested members need beyond the records' own rows. */
  const completeAll = async (snapshots: readonly Snapshot[], fields: ReadonlySet<string>): Promise<Snapshot[]> => {
    const ids = collectMentions(snapshots, fields);
    const [records, mentioned] = await Promise.all([
      Promise.all(snapshots.map((snapshot) => complete(snapshot, fields))),
      readMentions(byId, ids),
    ]);
    // Computed values may mention further records.
    const all = records.some(hasComputedValues) ? collectMentions(records, fields) : ids;
    const nodes = all.size > ids.size ? await readMentions(byId, all) : mentioned;
    return nodes.size === 0 ? records : records.map((record) => ({ ...record, mentioned: nodes }));
  };

  const readMany = async (kind: Kind, ids: readonly string[], fields: ReadonlySet<string>): Promise<Snapshot[]> => {
    const found = await readRows(
      graph,
      kind,
      ids.map((id) => recordKey({ id }, fields)),
    );
    const snapshots = found.flatMap((row) => (row ? [decodeRecord(kind, row)] : []));
    return completeAll(snapshots, fields);
  };

  const record: Store['record'] = async (kind, address, fields) => {
    const key = recordKey(address, fields);
    const row = await rows(`${kind.entityType} ${readModeOf(key)}`)(key);
    if (!row) return undefined;
    const [snapshot] = await completeAll([decodeRecord(kind, row)], fields);
    return snapshot;
  };

  // All rows of a bulk request need the same type, which is read and parsed once per batch.
  const customProperties = coalesce({
    name: 'definitions',
    observer: graph.observer,
    identity: (kind: Kind) => kind.entityType,
    maxBatch: LIST_BATCH,
    load: (kinds: readonly Kind[]) =>
      Promise.all(
        kinds.map((kind) =>
          readCustomPropertyDefinitions(registry, (type, fqn) => record(type, { fqn }, DEFINING_FIELDS), kind),
        ),
      ),
  });

  return {
    record,
    records: async (kind, ids, fields) => {
      const all: Snapshot[] = [];
      for (let start = 0; start < ids.length; start += LIST_BATCH) {
        all.push(...(await readMany(kind, ids.slice(start, start + LIST_BATCH), fields)));
      }
      return all;
    },
    reference: (kind, fqn) => references(kind.label)(fqn),
    referenceById: byId,
    customProperties,
    usage,
    readInherited,
    findByNaturalKey: (name, key) => naturalKeys(name)(key),
  };
};
