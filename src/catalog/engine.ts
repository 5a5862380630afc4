/**
 * The catalog stores records of every kind. `engine.ts` names its dependencies; `read` answers requests, `resolve`
 * turns a request into the target state of a record, `plan` turns a state into write steps, `write` commits them,
 * `cascade` carries a change to descendants, and `routes` maps HTTP to all of these. Read them in that order.
 */
import type { Authorize, Authorizer } from '../access/authorization.ts';
import type { PasswordHasher } from '../access/password.ts';
import type { Principal } from '../access/principal.ts';
import type { SecretBox } from '../access/secret-box.ts';
import type { ChangeWatch } from '../graph/change-watch.ts';
import type { Graph } from '../graph/client.ts';
import type { Committer, WriteRequest, WriteStep } from '../graph/group-commit.ts';
import type { KeyedQueue } from '../graph/keyed-queue.ts';
import type { Call } from '../http/route.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import type { ColumnChanges } from './plan/columns.ts';
import type { FactsReader } from './read/facts.ts';
import type { KeptDocuments } from './read/kept-documents.ts';
import type { RenderedRecords } from './read/rendered-records.ts';
import type { ForwardedValue, Snapshot } from './read/snapshot.ts';
import type { Store } from './read/store.ts';
import type { Registry } from './registry.ts';
import type { Candidate } from './resolve/candidate.ts';

/** The dependencies of the catalog's operations. Each process creates one engine and passes it on. */
export type Engine = {
  readonly registry: Registry;
  readonly graph: Graph;
  /** Tells whether anything in the store has changed. */
  readonly changes: ChangeWatch;
  readonly store: Store;
  /** Rendered answers of records, which reads share as long as they are current. */
  readonly rendered: RenderedRecords;
  /** Search documents of records, which searches and lineage share as long as they are current. */
  readonly keptDocuments: KeptDocuments;
  readonly commit: Committer;
  /** Sends a write to the database and rolls it back. Throws why it is refused, or else `DryRunPassed`. */
  readonly commitDry: Committer;
  /** Serializes writes to one record within this process; across processes, the writes compare the version. */
  readonly serial: KeyedQueue;
  readonly secrets: SecretBox;
  readonly passwords: PasswordHasher;
  /**
   * Throws forbidden unless the caller has the right. A request about one record calls `authorizeRecord` instead, which
   * reads the record's facts when the decision needs them.
   */
  readonly authorize: Authorize;
  /** Questions about a caller's rights that come before a decision or cover many records at once. */
  readonly authorizer: Pick<
    Authorizer,
    'requiredFacts' | 'filter' | 'ensureFresh' | 'findUnheld' | 'hidingFacts' | 'isAllowedEverywhere'
  >;
  /** Reads the facts about records that authorization depends on. */
  readonly facts: FactsReader;
  readonly clock: () => number;
  /** Called after the commit with every record that was written and the values it forwarded to other records. */
  readonly onWritten: (record: Snapshot, conferrals?: readonly ForwardedValue[]) => void;
  /** Hooks of other modules that write in the transaction in which columns are renamed, removed or added. */
  readonly columnChangeHooks: readonly ColumnChangeHook[];
  /**
   * Called when records that stand for columns of other records are hard-deleted, together with whatever else is
   * deleted.
   */
  readonly onPartsDeleted: (
    parts: readonly Pick<Snapshot, 'id' | 'name'>[],
    deletedIds: ReadonlySet<string>,
  ) => Promise<WriteRequest>;
  /** The hooks of the kinds that have some, by entity type. */
  readonly kindHooks: ReadonlyMap<string, KindHooks>;
  /** Throws bad_request for an address that the server must not call. */
  readonly checkCallable: (address: string) => Promise<void>;
  /** The queue of work that continues after its request was answered. */
  readonly jobs: JobQueue;
  /** Parses a YAML body. Throws bad_request for invalid YAML and for YAML features that no client needs. */
  readonly readYaml: (text: string) => Promise<Json>;
  readonly limits: {
    /** The number of rows that one request may hold. */
    readonly bulkRows: number;
    /** The number of descendants that one request may change before it is answered. */
    readonly cascadeRows: number;
    /** The number of records that one transaction of a cascade may change. */
    readonly batchRows: number;
    /** The same limits for runs, results and measurements, of which one record may have very many. */
    readonly cascadeSeriesRows: number;
    readonly batchSeriesRows: number;
    /** The time in which a reader of SQL has to understand one text. */
    readonly sqlTextMs: number;
    /** The time of one request that asks about proposed changes or sends many texts of SQL. */
    readonly questionMs: number;
    /** The time between the two times that an answer is made before it is kept in memory. */
    readonly confirmationMs: number;
  };
};

/** A write that another module adds because columns of a record are renamed, removed or added. */
export type ColumnChangeHook = (
  engine: Engine,
  writer: Writer,
  record: Pick<Snapshot, 'id' | 'kind' | 'fullyQualifiedName'>,
  changes: ColumnChanges,
) => Promise<WriteRequest>;

/** The write that accompanies a new record, and the relations it gives the record. */
export type CreationWrite = WriteRequest & { readonly related: Snapshot['related'] };

/** The hooks of one kind, called when its records are written. */
export type KindHooks = {
  /** Completes the candidate before its record is looked up. It adds an objection for a candidate that it rejects. */
  readonly beforeWrite: (engine: Engine, candidate: Candidate) => Promise<Candidate>;
  readonly onCreate?: (
    engine: Engine,
    writer: Writer,
    record: Snapshot,
    candidate: Candidate,
  ) => CreationWrite | Promise<CreationWrite>;
  /** Plans what a PUT of an existing record changes besides the record, if anything. */
  readonly onReplace?: (
    engine: Engine,
    writer: Writer,
    record: Snapshot,
    candidate: Candidate,
  ) => Promise<WriteRequest | undefined>;
  /** Plans what is written in addition when a record changes. */
  readonly onUpdate?: (
    engine: Engine,
    writer: Writer,
    change: { readonly before: Snapshot; readonly after: Snapshot },
  ) => Promise<CreationWrite | undefined>;
  /** Plans what is written together with a soft deletion. */
  readonly onSoftDelete?: (record: Snapshot) => readonly WriteStep[];
  /**
   * Plans what else changes when records of the kind are hard-deleted, given everything that is deleted at the same
   * time.
   */
  readonly onHardDelete?: (
    engine: Engine,
    writer: Writer,
    records: readonly Snapshot[],
    deletedIds: ReadonlySet<string>,
  ) => Promise<WriteRequest>;
  /** Plans what is written together with a restoration. */
  readonly onRestore?: (record: Snapshot) => readonly WriteStep[];
};

/** The outcome of a write, as the header `X-OpenMetadata-Change` names it. */
export type WriteOutcome =
  | 'entityCreated'
  | 'entityUpdated'
  | 'entityNoChange'
  | 'entityFieldsChanged'
  | 'entitySoftDeleted'
  | 'entityDeleted'
  | 'entityRestored';

export type WriteResult = { readonly outcome: WriteOutcome; readonly record: Snapshot };

/** The principal who writes, and the kind of the records. */
export type Writer = {
  readonly principal: Principal;
  readonly kind: Kind;
  /** Counts the characters that are read, as long as nothing is written: see `Call`. */
  readonly countWork?: Call['countWork'];
};
