import type { Authorize, Authorizer } from '../access/authorization.ts';
import type { Principal } from '../access/principal.ts';
import type { SecretBox } from '../access/secret-box.ts';
import type { Graph } from '../graph/client.ts';
import type { Committer, WriteRequest, WriteStep } from '../graph/group-commit.ts';
import type { KeyedQueue } from '../graph/keyed-queue.ts';
import type { Call } from '../http/route.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import type { ColumnChanges } from './plan/columns.ts';
import type { FactsReader } from './read/facts.ts';
import type { ForwardedValue, Snapshot } from './read/snapshot.ts';
import type { Store } from './read/store.ts';
import type { Registry } from './registry.ts';
import type { Candidate } from './resolve/candidate.ts';

/** Everything the catalog's operations work with. Made once per process and passed on. */
export type Engine = {
  readonly registry: Registry;
  readonly graph: Graph;
  readonly store: Store;
  readonly commit: Committer;
  /** Keeps writes to one record in a row within this process; across processes the version is compared. */
  readonly serial: KeyedQueue;
  readonly secrets: SecretBox;
  /** Lets a caller pass or throws forbidden. For a request about one record there is `permit`, which reads its facts if need be. */
  readonly authorize: Authorize;
  /** What there is to ask about a caller's rights beforehand, and for many records at once. */
  readonly authorizer: Pick<Authorizer, 'requiredFacts' | 'filter' | 'ensureFresh' | 'isAllowedEverywhere'>;
  /** What a decision about records depends on. */
  readonly facts: FactsReader;
  readonly clock: () => number;
  /** Told of every record that was written, after the commit, and of what the write handed on to others. */
  readonly onWritten: (record: Snapshot, conferrals?: readonly ForwardedValue[]) => void;
  /** What other rooms have to change in the transaction in which columns move, go or come. */
  readonly columnChangeHooks: readonly ColumnChangeHook[];
  /** The same where records that stand for columns of others are removed for good, with whatever else goes. */
  readonly onPartsDeleted: (
    parts: readonly Pick<Snapshot, 'id' | 'name'>[],
    deletedIds: ReadonlySet<string>,
  ) => Promise<WriteRequest>;
  /** What rooms of their own have to say of the records of a kind, by its entity type. */
  readonly kindHooks: ReadonlyMap<string, KindHooks>;
  /** Throws bad_request for an address that this program must not call. */
  readonly checkCallable: (address: string) => Promise<void>;
  /** The queue of what outlives its request. */
  readonly jobs: JobQueue;
  /** Reads a body that is written in YAML. Throws bad_request for what is none, and for what nobody needs of it. */
  readonly readYaml: (text: string) => Promise<Json>;
  readonly limits: {
    /** How many rows one request may hold. */
    readonly bulkRows: number;
    /** How many records one request may change below another before it is answered. */
    readonly cascadeRows: number;
    /** How many records one transaction may change when a change is carried downwards. */
    readonly batchRows: number;
    /** The same of what was told of runs, results and measurements, of which one record may have very much. */
    readonly cascadeSeriesRows: number;
    readonly batchSeriesRows: number;
  };
};

/** What a room of its own has to change because columns of a record move, go or come. */
export type ColumnChangeHook = (
  engine: Engine,
  writer: Writer,
  record: Pick<Snapshot, 'id' | 'kind' | 'fullyQualifiedName'>,
  changes: ColumnChanges,
) => Promise<WriteRequest>;

/** What is written together with a new record, and what it is joined to by that. */
export type CreationWrite = WriteRequest & { readonly related: Snapshot['related'] };

/** What a room of its own has to say of the records of one kind when they are written. */
export type KindHooks = {
  /** Completes what a request asks for, before its record is looked for. What it cannot let pass it adds as an objection. */
  readonly beforeWrite: (engine: Engine, candidate: Candidate) => Promise<Candidate>;
  readonly onCreate?: (
    engine: Engine,
    writer: Writer,
    record: Snapshot,
    candidate: Candidate,
  ) => CreationWrite | Promise<CreationWrite>;
  /** What a PUT of a record that is there changes beside the record, if anything. */
  readonly onReplace?: (
    engine: Engine,
    writer: Writer,
    record: Snapshot,
    candidate: Candidate,
  ) => Promise<WriteRequest | undefined>;
  /** What else is written when a record becomes another one. */
  readonly onUpdate?: (
    engine: Engine,
    writer: Writer,
    change: { readonly before: Snapshot; readonly after: Snapshot },
  ) => Promise<CreationWrite | undefined>;
  /** What is written together with a record that is hidden. */
  readonly onSoftDelete?: (record: Snapshot) => readonly WriteStep[];
  /** What else changes when such records are removed for good, with all that goes at the same time. */
  readonly onHardDelete?: (
    engine: Engine,
    writer: Writer,
    records: readonly Snapshot[],
    deletedIds: ReadonlySet<string>,
  ) => Promise<WriteRequest>;
  /** What is written together with a hidden record that comes back. */
  readonly onRestore?: (record: Snapshot) => readonly WriteStep[];
};

/** What a write did, as the header `X-OpenMetadata-Change` says it. */
export type WriteOutcome =
  | 'entityCreated'
  | 'entityUpdated'
  | 'entityNoChange'
  | 'entityFieldsChanged'
  | 'entitySoftDeleted'
  | 'entityDeleted'
  | 'entityRestored';

export type WriteResult = { readonly outcome: WriteOutcome; readonly record: Snapshot };

/** Who writes, on which kind. */
export type Writer = {
  readonly principal: Principal;
  readonly kind: Kind;
  /** Counts the text of what is read, while nothing is written yet: see `Call`. */
  readonly spend?: Call['countWork'];
};
