/**
 * Reading of records, from statement rows to answers. Read `store.ts` with `record-rows.ts`, `record-lookups.ts` and
 * `complete-snapshots.ts`, and `snapshot.ts` for what it returns, then `render.ts` and `answer.ts` for the JSON of an
 * answer. `list.ts` and `history.ts` serve lists and versions; `facts.ts`, `visibility.ts` and `redaction.ts` decide
 * what a caller may see.
 */
import { coalesce } from '../../graph/coalesce.ts';
import { chunk } from '../../model/chunk.ts';
import type { Kind } from '../../model/kind/kind.ts';
import {
  type CustomPropertyDefinition,
  defineCustomProperty,
  type StoredCustomProperty,
} from '../../model/schemas/types/custom-property.ts';
import type { DailyUsage } from '../../model/schemas/usage/usage-summary.ts';
import { createRecordCounter, type RecordCounter } from '../list-queries.ts';
import type { RecordKey, TargetNode, UsageSpan } from '../queries.ts';
import type { Registry } from '../registry.ts';
import type { RecordSource } from './batch-read.ts';
import { completeSnapshots, type SnapshotReaders } from './complete-snapshots.ts';
import {
  createNaturalKeyLookup,
  createReferenceByIdLookup,
  createReferenceLookup,
  createRowLookup,
  createUsageLookup,
  naturalKeyStatement,
} from './record-lookups.ts';
import { type KnownIds, readModeOf, readRows } from './record-rows.ts';
import {
  createInheritedReader,
  createRelatedReader,
  declareComputedStatement,
  declareInheritedStatements,
  type InheritedReader,
} from './related.ts';
import { decodeRecord, type Snapshot } from './snapshot.ts';
import { countingMembers } from './visible-counts.ts';

/** The custom properties of one kind by their names. */
type CustomPropertyDefinitions = ReadonlyMap<string, CustomPropertyDefinition>;

const CUSTOM_PROPERTIES = 'customProperties';

/** The members of a type that define custom properties. */
const DEFINING_FIELDS: ReadonlySet<string> = new Set([CUSTOM_PROPERTIES]);

const parseDefinitions = ({ values, mentioned }: Snapshot): CustomPropertyDefinitions =>
  new Map(
    ((values[CUSTOM_PROPERTIES] ?? []) as unknown as readonly StoredCustomProperty[]).flatMap(
      ({ name, propertyType, customPropertyConfig }) => {
        const type = mentioned.get(propertyType.id);
        return type ? [[name, defineCustomProperty(name, type.name, customPropertyConfig?.config)] as const] : [];
      },
    ),
  );

/** Reads the custom properties of a kind from the record that describes it. */
const readCustomPropertyDefinitions = async (
  { kinds }: Registry,
  read: (kind: Kind, fqn: string) => Promise<Snapshot | undefined>,
  kind: Kind,
): Promise<CustomPropertyDefinitions> => {
  const describing = kinds.find(({ describesKinds }) => describesKinds);
  const type = describing && (await read(describing, kind.entityType));
  return type ? parseDefinitions(type) : new Map();
};

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
  readonly countRecords: RecordCounter;
  /** Reads a member of a record that is a count. */
  readCount(kind: Kind, member: string, id: string): Promise<number>;
  /** Reads what a record of a kind inherits. */
  readonly readInherited: InheritedReader;
  /** Finds the id of the record with a natural key, by the statement that its kind names. */
  findByNaturalKey(statement: string, key: string): Promise<string | undefined>;
};

const recordKey = ({ entityType }: Kind, address: Address, fields: ReadonlySet<string>): RecordKey => ({
  entityType,
  id: 'id' in address ? address.id : null,
  fqn: 'fqn' in address ? address.fqn : null,
  owners: fields.has('owners'),
  domains: fields.has('domains'),
  dataProducts: fields.has('dataProducts'),
  followers: fields.has('followers'),
  votes: fields.has('votes'),
  tags: fields.has('tags'),
});

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

type StoreContext = {
  readonly graph: RecordSource;
  readonly registry: Registry;
  readonly rows: ReturnType<typeof createRowLookup>;
  readonly knownIds: KnownIds;
  readonly readers: SnapshotReaders;
};

const readRecord = async (
  { rows, readers }: StoreContext,
  kind: Kind,
  address: Address,
  fields: ReadonlySet<string>,
): Promise<Snapshot | undefined> => {
  const key = recordKey(kind, address, fields);
  const row = await rows(readModeOf(key))(key);
  if (!row) return undefined;
  const [snapshot] = await completeSnapshots(readers, [decodeRecord(kind, row)], fields);
  return snapshot;
};

const readRecords = async (
  { graph, knownIds, readers }: StoreContext,
  kind: Kind,
  ids: readonly string[],
  fields: ReadonlySet<string>,
): Promise<Snapshot[]> => {
  const all: Snapshot[] = [];
  for (const some of chunk(ids, LIST_BATCH)) {
    const keys = some.map((id) => recordKey(kind, { id }, fields));
    const found = await readRows(graph, keys, knownIds);
    const snapshots = found.flatMap((row) => (row ? [decodeRecord(kind, row)] : []));
    all.push(...(await completeSnapshots(readers, snapshots, fields)));
  }
  return all;
};

/** All rows of a bulk request need the same type, which is read and parsed once per batch. */
const createCustomPropertyReader = (context: StoreContext): Store['customProperties'] =>
  coalesce({
    name: 'definitions',
    observer: context.graph.observer,
    identity: (kind: Kind) => kind.entityType,
    maxBatch: LIST_BATCH,
    load: (kinds: readonly Kind[]) => {
      const readType = (type: Kind, fqn: string) => readRecord(context, type, { fqn }, DEFINING_FIELDS);
      return Promise.all(kinds.map((kind) => readCustomPropertyDefinitions(context.registry, readType, kind)));
    },
  });

export const createStore = (graph: RecordSource, registry: Registry): Store => {
  const references = createReferenceLookup(graph);
  const naturalKeys = createNaturalKeyLookup(graph);
  const readers: SnapshotReaders = {
    related: createRelatedReader(graph),
    inherited: createInheritedReader(graph),
    usage: createUsageLookup(graph),
    referenceById: createReferenceByIdLookup(graph),
  };
  const knownIds: KnownIds = new Map();
  const context: StoreContext = { graph, registry, rows: createRowLookup(graph, knownIds), knownIds, readers };
  return {
    record: (kind, address, fields) => readRecord(context, kind, address, fields),
    records: (kind, ids, fields) => readRecords(context, kind, ids, fields),
    reference: (kind, fqn) => references({ entityType: kind.entityType, fqn }),
    referenceById: readers.referenceById,
    customProperties: createCustomPropertyReader(context),
    usage: readers.usage,
    countRecords: createRecordCounter(graph),
    readCount: async (kind, member, id) => {
      const attribute = kind.attributes[member];
      const value = attribute && (await readers.related(attribute, id));
      if (!value || !('count' in value)) throw new Error(`${kind.entityType}.${member} is no count`);
      return value.count;
    },
    readInherited: readers.inherited,
    findByNaturalKey: (name, key) => naturalKeys(name)(key),
  };
};
