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

/** Names one record: by its id, or by its fully qualified name in normal form. */
export type Address = { readonly id: string } | { readonly fqn: string };

/** The text by which an address is told apart and shown. */
export const addressKey = (address: Address): string => ('id' in address ? address.id : address.fqn);

/** Reads records and references; look-ups that coincide share a query. */
export type Store = {
  /** The record, deleted or not, with the members named by `fields`; undefined when there is none. */
  record(kind: Kind, address: Address, fields: ReadonlySet<string>): Promise<Snapshot | undefined>;
  /** Many records of one kind at once, in the order of their ids; those that are gone are left out. */
  records(kind: Kind, ids: readonly string[], fields: ReadonlySet<string>): Promise<Snapshot[]>;
  reference(kind: Kind, fqn: string): Promise<TargetNode | undefined>;
  referenceById(id: string): Promise<TargetNode | undefined>;
  /** The custom properties of a kind as they are now. */
  customProperties(kind: Kind): Promise<CustomPropertyDefinitions>;
  /** The days of a stretch on which a record was used, in no order. */
  usage(span: UsageSpan): Promise<readonly DailyUsage[]>;
  /** What is handed down to a record of a kind that inherits. */
  readonly readInherited: InheritedReader;
  /** The id of the record that has a `twinKey`, by the statement that its kind names. */
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

/** A record that is being removed together with very much below it is gone for every reader. */
const isNotMarkedForDeletion = (row: { readonly node: PropertyMap }): boolean => row.node['doomed'] !== true;

type AddressMember = keyof typeof readPlainRecords;

/** How a record is read: plainly by one member of its address, or with the relations its key asks for. */
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

/** The ids of the records that keys name, in their order; undefined where there is none of that name. */
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

/** The rows of keys of one manner in their order, by the statement that does no more than they ask for. */
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

/** A record that was never used costs nothing. */
const wantsUsage = ({ usedOn }: Snapshot, fields: ReadonlySet<string>): boolean =>
  usedOn !== undefined && fields.has('usageSummary');

/** Adds the days that the sums of a record's last day of use are made of. */
const withUsage = async (read: ReadUsage, snapshot: Snapshot): Promise<Snapshot> => {
  const { id, usedOn = '' } = snapshot;
  return { ...snapshot, usage: await read({ id, from: firstUsageDay(usedOn), to: usedOn }) };
};

/** Declares the statements that kinds name, so that a missing file stops the process and not a request. */
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

/** How many records one statement answers for lists; more would hold too much in memory at once. */
const LIST_BATCH = 1000;

/** How many records that were asked for one by one share a statement, while the next such batch is worked on. */
const RECORD_BATCH = 256;

export const createStore = (graph: RecordSource, registry: Registry): Store => {
  // Reads of different manners do not share a batch: one greedy reader would slow all the others down.
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

  /** Records with all that the members asked for need beyond their own rows. */
  const completeAll = async (snapshots: readonly Snapshot[], fields: ReadonlySet<string>): Promise<Snapshot[]> => {
    const ids = collectMentions(snapshots, fields);
    const [records, mentioned] = await Promise.all([
      Promise.all(snapshots.map((snapshot) => complete(snapshot, fields))),
      readMentions(byId, ids),
    ]);
    // What was found beside a record may mention others again.
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

  // All rows of a bulk request ask for the same type, which is read and made sense of once per batch.
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
