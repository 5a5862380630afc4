/**
 * Writing of records. `create.ts` and `update.ts` serve POST, PUT and PATCH; `bulk.ts` and `delete-stale.ts` work on
 * many records; `start-jobs.ts`, `job-operations.ts` and `bulk-job.ts` run long writes as jobs. The other files extend
 * every commit, starting from `committer.ts`.
 */
import { randomUUID } from 'node:crypto';
import { CatalogError } from '../../errors.ts';
import { isUniquenessFailure } from '../../graph/database-failure.ts';
import type { WriteRequest } from '../../graph/group-commit.ts';
import type { Json } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { MissingParent } from '../../model/kind/parent.ts';
import { anyOfOperations } from '../../model/schemas/access/policy.ts';
import { FIRST_VERSION } from '../../model/version.ts';
import { buildLifecycleChange, lifecycleSteps } from '../cascade/lifecycle.ts';
import type { Engine, WriteResult, Writer } from '../engine.ts';
import { buildChangeEvent } from '../plan/change-event.ts';
import { alreadyExistsError, planCreation } from '../plan/record.ts';
import { StaleStateError } from '../plan/step.ts';
import { buildRecordDocument } from '../read/documents.ts';
import { writeFields } from '../read/fields.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { storedSnapshot } from '../read/stored-snapshot.ts';
import { requireKind } from '../registry.ts';
import { type Candidate, candidateFromBody } from '../resolve/candidate.ts';
import { checkRelations } from '../resolve/check-relations.ts';
import { reportMissingFirst } from '../resolve/missing-references.ts';
import {
  expectedFqn,
  findByNaturalKey,
  locateParent,
  type ParentEdge,
  type ParentLocation,
  parentRelations,
  refuseSecondRecord,
  resolveParentNames,
} from '../resolve/parent-location.ts';
import { permitCreation } from '../resolve/permit-creation.ts';
import { permitGiving } from '../resolve/permit-giving.ts';
import { buildTargetState } from '../resolve/target-state.ts';
import { CREATE_MODE, type WriteActor } from '../resolve/write-context.ts';

export const actorFor = (engine: Engine, writer: Writer, atLeast = 0): WriteActor => ({
  principal: writer.principal,
  now: Math.max(engine.clock(), atLeast),
});

const newRecordBase = ({ id, name }: Candidate, home: ParentLocation) => ({
  id: id ?? randomUUID(),
  name,
  fullyQualifiedName: home.fqn,
  version: FIRST_VERSION,
  deleted: false,
  ancestors: home.ancestors,
  followers: [],
  voters: [],
  counts: {},
  computed: {},
});

/** Sets the counts and sums of a new record to zero, because nothing refers to it yet. */
const withEmptyComputed = (record: Snapshot): Snapshot => {
  const counts: Record<string, number> = {};
  const computed: Record<string, Json> = {};
  for (const [name, attribute] of Object.entries(record.kind.attributes)) {
    if (attribute.store !== 'walked') continue;
    if (attribute.answers === 'count') counts[name] = 0;
    if (attribute.answers === 'rows' && attribute.make) computed[name] = attribute.make([]);
  }
  return { ...record, counts, computed };
};

/** Applies the `beforeWrite` hook of the kind to a candidate. */
export const applyBeforeWrite = async (engine: Engine, kind: Kind, candidate: Candidate): Promise<Candidate> =>
  (await engine.kindHooks.get(kind.entityType)?.beforeWrite(engine, candidate)) ?? candidate;

/** Completes a candidate with everything that determines the name of the record. */
export const resolveCandidate = async (engine: Engine, kind: Kind, requested: Candidate): Promise<Candidate> =>
  applyBeforeWrite(engine, kind, await resolveParentNames(engine, kind, requested));

/** The place of a new record, and the write that creates it if it does not exist yet. */
export type ParentResolution = { readonly home: ParentLocation; readonly founding?: WriteRequest };

/** Merges writes into one that commits or fails as a whole. */
export const mergeWrites = (...writes: readonly (WriteRequest | undefined)[]): WriteRequest => ({
  keys: writes.flatMap((write) => write?.keys ?? []),
  steps: writes.flatMap((write) => write?.steps ?? []),
});

const planNewRecord = (
  engine: Engine,
  { principal }: Writer,
  record: Snapshot,
  parentEdges: readonly ParentEdge[],
): WriteRequest => {
  const event = buildChangeEvent({
    eventType: 'entityCreated',
    record,
    previousVersion: undefined,
    entity: storedSnapshot(engine, record),
    principal,
  });
  const document = record.kind.search.index ? buildRecordDocument(engine, withEmptyComputed(record)) : undefined;
  return planCreation(record, parentEdges, event, document);
};

/** Builds a new record in the state it will have without concurrent changes. */
const buildNewRecord = async (
  engine: Engine,
  writer: Writer,
  candidate: Candidate,
  home: ParentLocation,
): Promise<Snapshot> => {
  const { kind } = writer;
  const base = newRecordBase(candidate, home);
  const desired = await buildTargetState(engine, kind, base, home, candidate, actorFor(engine, writer), CREATE_MODE);
  const record = { ...desired, related: { ...desired.related, ...parentRelations(kind, home.placements) } };
  await checkRelations(engine, undefined, record);
  await permitGiving(engine, writer, undefined, record);
  return record;
};

type PlannedRecord = { readonly record: Snapshot; readonly plan: WriteRequest };

const missingParentCandidate = (founding: MissingParent): Candidate => ({
  ...founding,
  columns: {},
  relations: {},
  forwarded: {},
});

const planMissingParent = async (engine: Engine, writer: Writer, founding: MissingParent): Promise<PlannedRecord> =>
  planCreationAt(engine, writer, founding, await locateParent(engine, writer.kind, missingParentCandidate(founding)));

/** Plans the creation of a record that another creation requires, at a known place. */
export const planCreationAt = async (
  engine: Engine,
  writer: Writer,
  founding: MissingParent,
  home: ParentLocation,
): Promise<PlannedRecord> => {
  const candidate = missingParentCandidate(founding);
  const record = await buildNewRecord(engine, writer, candidate, home);
  return { record, plan: planNewRecord(engine, writer, record, home.placements) };
};

/** Plans the restoration of a soft-deleted parent alone: the request did not ask for its former descendants. */
const planParentRestore = (engine: Engine, writer: Writer, hidden: Snapshot): PlannedRecord => {
  const turn = buildLifecycleChange(writer, engine, hidden, false);
  return {
    record: turn.after,
    plan: { keys: [hidden.id], steps: lifecycleSteps(engine, writer, turn, hidden.id, false) },
  };
};

/** Creates or restores a missing parent, if the kind allows it. */
const createMissingParent = async (
  engine: Engine,
  { kind, principal }: Writer,
  candidate: Candidate,
): Promise<PlannedRecord | undefined> => {
  const parent = kind.parents.find(
    ({ field, createMissing }) => createMissing && candidate.parents[field]?.fqn !== undefined,
  );
  const fqn = parent && candidate.parents[parent.field]?.fqn;
  if (!parent?.createMissing || fqn === undefined) return undefined;
  const writer = { principal, kind: requireKind(engine.registry, parent.kind) };
  const known = await engine.store.reference(writer.kind, fqn);
  if (!known) return planMissingParent(engine, writer, parent.createMissing(fqn));
  if (!known.deleted) return undefined;
  const hidden = await engine.store.record(writer.kind, { id: known.id }, writeFields(writer.kind));
  if (!hidden?.deleted) throw new StaleStateError('the parent was restored');
  return planParentRestore(engine, writer, hidden);
};

export const resolveParent = async (
  engine: Engine,
  writer: Writer,
  candidate: Candidate,
): Promise<ParentResolution> => {
  const missingParent = await createMissingParent(engine, writer, candidate);
  const home = await locateParent(engine, writer.kind, candidate, missingParent?.record);
  return missingParent ? { home, founding: missingParent.plan } : { home };
};

export const commitCreation = async (
  engine: Engine,
  writer: Writer,
  candidate: Candidate,
  { home, founding }: ParentResolution,
): Promise<WriteResult> => {
  const { kind } = writer;
  const record = await buildNewRecord(engine, writer, candidate, home);
  const hookWrite = await engine.kindHooks.get(kind.entityType)?.onCreate?.(engine, writer, record, candidate);
  const joint = { ...record, related: { ...record.related, ...hookWrite?.related } };
  try {
    await engine.commit(mergeWrites(founding, planNewRecord(engine, writer, joint, home.placements), hookWrite));
  } catch (failure) {
    // The parent's name was the one taken, so another writer created the parent.
    const isParents = founding && isUniquenessFailure(failure);
    if (isParents && !(await engine.store.reference(kind, record.fullyQualifiedName))) {
      throw new StaleStateError('the parent was created');
    }
    throw failure;
  }
  engine.onWritten(record, record.forwardedValues);
  const inheritedMembers = await engine.store.readInherited(kind, record.id, writeFields(kind));
  return { outcome: 'entityCreated', record: inheritedMembers ? { ...joint, inheritedMembers } : joint };
};

export const nameLockKey = (kind: Kind, fqn: string): string => `${kind.label} ${fqn}`;

/** The operations that a caller needs to create a record, or to replace it as a whole. */
type RequiredOperations = { readonly create: readonly string[]; readonly update: readonly string[] };

export const SINGLE_OPERATIONS: RequiredOperations = { create: ['Create'], update: ['EditAll'] };
/** Bulk rows accept the bulk operations as well. */
export const BULK_OPERATIONS: RequiredOperations = {
  create: [anyOfOperations('Create', 'BulkCreate')],
  update: [anyOfOperations('EditAll', 'BulkUpdate')],
};

export const tooManyConflictsError = () =>
  new CatalogError('unavailable', 'The asset is being changed too often, try again shortly');

/** The number of attempts against concurrent changes. */
const MAX_ATTEMPTS = 30;

/** Retries work until no concurrent change interferes; the work gets the number of the attempt. */
export const retryOnConflict = async <T>(work: (attempt: number) => Promise<T>): Promise<T> => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    try {
      return await work(attempt);
    } catch (failure) {
      if (!(failure instanceof StaleStateError)) throw failure;
    }
  }
  throw tooManyConflictsError();
};

/** Drops a requested id that another record has taken meanwhile, so that the record gets a new id. */
const withFreeId = async (engine: Engine, candidate: Candidate): Promise<Candidate> => {
  if (candidate.id === undefined || (await engine.store.referenceById(candidate.id)) === undefined) return candidate;
  const { id: _taken, ...others } = candidate;
  return others;
};

const createOnce = async (engine: Engine, writer: Writer, requested: Candidate, fqn: string): Promise<WriteResult> => {
  const { kind } = writer;
  const candidate = await withFreeId(engine, requested);
  const [parent, taken, existing] = await Promise.all([
    resolveParent(engine, writer, candidate),
    kind.sharesNames ? undefined : engine.store.reference(kind, fqn),
    findByNaturalKey(engine, kind, candidate),
  ]);
  await permitCreation(engine, writer, candidate, parent.home, SINGLE_OPERATIONS.create);
  await refuseSecondRecord(engine, kind, candidate, existing);
  if (taken || existing) throw alreadyExistsError(kind, fqn);
  try {
    return await commitCreation(engine, writer, candidate, parent);
  } catch (failure) {
    if (!isUniquenessFailure(failure)) throw failure;
    // The name of the other record decides which of the two errors it is.
    throw kind.naturalKey?.alone
      ? new StaleStateError('another request created the same record')
      : alreadyExistsError(kind, fqn);
  }
};

/**
 * Throws what creating the record would throw in the current state: forbidden, or already_exists. For callers that must
 * write something else first.
 */
export const checkCreation = async (engine: Engine, writer: Writer, requested: Candidate): Promise<void> => {
  const candidate = await resolveCandidate(engine, writer.kind, requested);
  const parent = await resolveParent(engine, writer, candidate);
  await permitCreation(engine, writer, candidate, parent.home, SINGLE_OPERATIONS.create);
  if ((await findByNaturalKey(engine, writer.kind, candidate)) !== undefined) throw alreadyExistsError(writer.kind);
};

/**
 * Builds the record that a request would create in the current state, or throws the error; writes nothing. The caller
 * passes the parent if it does not exist yet.
 */
export const previewCreation = async (
  engine: Engine,
  writer: Writer,
  requested: Candidate,
  parent: Snapshot | undefined,
): Promise<Snapshot> => {
  const candidate = await resolveCandidate(engine, writer.kind, requested);
  const [home, taken] = await Promise.all([
    locateParent(engine, writer.kind, candidate, parent),
    engine.store.reference(writer.kind, expectedFqn(writer.kind, candidate)),
  ]);
  await permitCreation(engine, writer, candidate, home, SINGLE_OPERATIONS.create);
  if (taken) throw alreadyExistsError(writer.kind, taken.fullyQualifiedName);
  return buildNewRecord(engine, writer, candidate, home);
};

/** Creates a record from a candidate that is already parsed. */
export const createCandidate = async (engine: Engine, writer: Writer, requested: Candidate): Promise<WriteResult> => {
  const { kind } = writer;
  const candidate = await resolveCandidate(engine, kind, requested);
  const fqn = expectedFqn(kind, candidate);
  const create = () => retryOnConflict(() => createOnce(engine, writer, candidate, fqn));
  return engine.serial(nameLockKey(kind, fqn), () =>
    reportMissingFirst(engine, kind, actorFor(engine, writer), [() => candidate], create),
  );
};

/**
 * POST: creates a record, or throws already_exists when its name is taken, also by a deleted record. `preset` holds
 * values that no request can set.
 */
export const createRecord = (
  engine: Engine,
  writer: Writer,
  body: unknown,
  preset: Candidate['values'] = {},
): Promise<WriteResult> => {
  const requested = candidateFromBody(writer.kind, body);
  return createCandidate(engine, writer, { ...requested, values: { ...requested.values, ...preset } });
};
