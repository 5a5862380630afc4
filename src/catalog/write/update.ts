import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, CatalogError, recordNotFound } from '../../errors.ts';
import { isUniquenessFailure } from '../../graph/database-failure.ts';
import type { WriteRequest } from '../../graph/group-commit.ts';
import type { ChangeSource } from '../../model/change-description.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { operationsToPatch, operationsToReadPatched } from '../../model/kind/required-operations.ts';
import { membersUsedByPatch, type Patch, valuesGivenByPatch } from '../../model/language/patch.ts';
import { restoreDeletedRecord } from '../cascade/delete-and-restore.ts';
import { commitRename, resolveNewName } from '../cascade/rename.ts';
import type { Engine, WriteResult, Writer } from '../engine.ts';
import { findColumnChanges } from '../plan/columns.ts';
import { revokeCredentialSteps } from '../plan/credentials.ts';
import { alreadyExistsError, planUnversionedUpdate } from '../plan/record.ts';
import { DryRunPassed, StaleStateError } from '../plan/step.ts';
import { planVersionedChange } from '../plan/versioned-change.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../read/facts.ts';
import { writeFields } from '../read/fields.ts';
import { renderRecord, type View } from '../read/render.ts';
import { maskChangedValues, redactRecord, restoreRedacted } from '../read/sensitive-values.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type Address, addressKey } from '../read/store.ts';
import { type Candidate, candidateFromBody, candidateFromDocument, candidateFromMember } from '../resolve/candidate.ts';
import { checkRelations } from '../resolve/check-relations.ts';
import { compareStates } from '../resolve/difference.ts';
import { findAppointer } from '../resolve/find-appointer.ts';
import { applyKindPatch, normalizeDomainPatch } from '../resolve/kind-patch.ts';
import { resolveLinks } from '../resolve/links.ts';
import { reportMissingFirst } from '../resolve/missing-references.ts';
import { expectedFqn, findByNaturalKey, refuseSecondRecord } from '../resolve/parent-location.ts';
import { permitChange } from '../resolve/permit-change.ts';
import { permitCreation } from '../resolve/permit-creation.ts';
import {
  redactDocument,
  redactRecordDocument,
  restoreRedactedCandidate,
  restoreRedactedDocument,
  restoreRedactedMembers,
} from '../resolve/restore-redacted.ts';
import { buildTargetState } from '../resolve/target-state.ts';
import { PATCH_MODE, PUT_MODE, refuseUneditable, type WriteActor } from '../resolve/write-context.ts';
import {
  actorFor,
  applyBeforeWrite,
  BULK_OPERATIONS,
  commitCreation,
  mergeWrites,
  nameLockKey,
  resolveCandidate,
  resolveParent,
  SINGLE_OPERATIONS,
  tooManyConflictsError,
} from './create.ts';

type RequestedChange = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly isJsonPatch: boolean;
  /** The source of the change, if the caller names one. */
  readonly source?: ChangeSource | undefined;
  /** Further writes that are committed in any case. */
  readonly extraWrite?: WriteRequest | undefined;
  readonly dryRun?: DryRun | undefined;
};

/**
 * How to check a change without writing it: as a whole, by a transaction that is rolled back, or only in part, by the
 * checks before the transaction. A part is enough where the same request sends the transaction later.
 */
export type DryRun = 'whole' | 'part';

/** Adds to a write what the column hooks write for records that refer to the record's columns. */
const withColumnHooks = async (
  engine: Engine,
  writer: Writer,
  before: Snapshot,
  after: Snapshot,
  plan: WriteRequest,
): Promise<WriteRequest> => {
  const moves = findColumnChanges(before, after);
  if (moves.removed.length === 0 && moves.renamed.length === 0 && moves.added.length === 0) return plan;
  const others = await Promise.all(engine.columnChangeHooks.map((keep) => keep(engine, writer, before, moves)));
  return mergeWrites(plan, ...others);
};

const checkChange = async (engine: Engine, writer: Writer, before: Snapshot, after: Snapshot): Promise<void> => {
  refuseUneditable(before, after);
  await permitChange(engine, writer, before, after);
  await checkRelations(engine, before, after);
};

/** Commits the difference between two states; a request that changes nothing writes nothing. */
const commitChange = async (engine: Engine, writer: Writer, wanted: RequestedChange): Promise<WriteResult> => {
  const { before, after, isJsonPatch, extraWrite } = wanted;
  const { change, version, isUnversioned } = compareStates(engine, before, after, isJsonPatch);
  const revocations: WriteRequest = { keys: [], steps: revokeCredentialSteps(before, after, engine.clock()) };
  if (!change) {
    if (!isUnversioned && extraWrite) await engine.commit(extraWrite);
    if (!isUnversioned) return { outcome: 'entityNoChange', record: before };
    await engine.commit(mergeWrites(planUnversionedUpdate(before, after), extraWrite, revocations));
    const record = { ...before, values: after.values, mentioned: after.mentioned };
    engine.onWritten(record, after.forwardedValues);
    return { outcome: 'entityUpdated', record };
  }
  await checkChange(engine, writer, before, after);
  const hookWrite = await engine.kindHooks.get(before.kind.entityType)?.onUpdate?.(engine, writer, { before, after });
  const appointedBy = await findAppointer(engine, writer, before, after);
  const target = { ...after, version, appointedBy, related: { ...after.related, ...hookWrite?.related } };
  const versioned = { before, after: target, description: change, source: wanted.source };
  const { record, plan: own } = planVersionedChange(engine, writer.principal, versioned);
  const plan = mergeWrites(
    await withColumnHooks(engine, writer, before, record, own),
    extraWrite,
    hookWrite,
    revocations,
  );
  if (before.name === record.name) await engine.commit(plan);
  else await commitRename(engine, writer, { before, after: record, plan });
  engine.onWritten(record, record.forwardedValues);
  return { outcome: 'entityUpdated', record };
};

/** Throws what `commitChange` would throw, and writes nothing. */
const tryChange = async (engine: Engine, writer: Writer, wanted: RequestedChange): Promise<WriteResult> => {
  const { before, after, isJsonPatch, dryRun } = wanted;
  if (dryRun === 'part') {
    if (compareStates(engine, before, after, isJsonPatch).change) await checkChange(engine, writer, before, after);
  } else {
    try {
      await commitChange({ ...engine, commit: engine.commitDry }, writer, wanted);
    } catch (failure) {
      if (!(failure instanceof DryRunPassed)) throw failure;
    }
  }
  return { outcome: 'entityNoChange', record: before };
};

type PutRecordOptions = {
  readonly overrideMetadata: boolean;
  /** Whether the record is a row of a bulk request, which is skipped when its source hash is unchanged. */
  readonly isBulkRow?: boolean;
  /** Throws when the existing record, or its absence, does not satisfy the request's preconditions. */
  readonly precondition?: ((record: Snapshot | undefined) => void) | undefined;
};

const replaceRecord = async (
  engine: Engine,
  writer: Writer,
  before: Snapshot,
  candidate: Candidate,
  { overrideMetadata }: PutRecordOptions,
): Promise<WriteResult> => {
  const actor = actorFor(engine, writer, before.updatedAt);
  const redaction = await redactRecordDocument(engine, writer.principal, before);
  const whole = redaction ? restoreRedactedCandidate(redaction, candidate) : candidate;
  const after = await buildTargetState(engine, writer.kind, before, before, whole, actor, {
    ...PUT_MODE,
    overrideMetadata,
  });
  const extraWrite = await engine.kindHooks.get(writer.kind.entityType)?.onReplace?.(engine, writer, before, whole);
  return commitChange(engine, writer, { before, after, isJsonPatch: false, extraWrite });
};

/** The number of lost races against other processes after which a PUT gives up. */
const PUT_ATTEMPTS = 30;

const isUnchangedAtSource = (candidate: Candidate, before: Snapshot, options: PutRecordOptions): boolean => {
  const hash = candidate.values['sourceHash'];
  return hash !== undefined && hash === before.values['sourceHash'] && !options.overrideMetadata;
};

/** Thrown when a record was restored during the request, so that its state differs from the expected one. */
class RevivedError extends StaleStateError {}

const putOnce = async (
  engine: Engine,
  writer: Writer,
  candidate: Candidate,
  options: PutRecordOptions,
): Promise<WriteResult> => {
  const { kind, principal } = writer;
  const needed = options.isBulkRow ? BULK_OPERATIONS : SINGLE_OPERATIONS;
  const fields = writeFields(kind);
  const twin = await findByNaturalKey(engine, kind, candidate);
  const [parent, before] = await Promise.all([
    resolveParent(engine, writer, candidate),
    kind.sharesNames && !twin
      ? undefined
      : engine.store.record(kind, twin ? { id: twin } : { fqn: expectedFqn(kind, candidate) }, fields),
  ]);
  if (!before) {
    await permitCreation(engine, writer, candidate, parent.home, needed.create);
    options.precondition?.(undefined);
    return commitCreation(engine, writer, candidate, parent);
  }
  await authorizeRecord(engine, principal, needed.update, before);
  writer.countWork?.(before.weight);
  options.precondition?.(before);
  await refuseSecondRecord(engine, kind, candidate, twin);
  if (before.deleted) {
    await restoreDeletedRecord(engine, writer, before);
    throw new RevivedError('revived');
  }
  if (options.isBulkRow && isUnchangedAtSource(candidate, before, options))
    return { outcome: 'entityNoChange', record: before };
  try {
    return await replaceRecord(engine, writer, before, candidate, options);
  } catch (failure) {
    // The name already belongs to the record, so another unique value is taken.
    throw isUniquenessFailure(failure) ? badRequest('Entity already exists') : failure;
  }
};

/** Whether the name was taken between the read and the write; if not, another unique value was. */
const isNameTaken = async (engine: Engine, kind: Kind, candidate: Candidate): Promise<boolean> =>
  (!kind.sharesNames && (await engine.store.reference(kind, expectedFqn(kind, candidate))) !== undefined) ||
  (await findByNaturalKey(engine, kind, candidate)) !== undefined;

/** Creates or replaces a record from a candidate that is already parsed. */
export const putCandidate = async (
  engine: Engine,
  writer: Writer,
  requested: Candidate,
  options: PutRecordOptions,
): Promise<WriteResult> => {
  const candidate = await resolveCandidate(engine, writer.kind, requested);
  const wanted = expectedFqn(writer.kind, candidate);
  return engine.serial(nameLockKey(writer.kind, wanted), async () => {
    let { precondition } = options;
    for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
      try {
        return await reportMissingFirst(engine, writer.kind, actorFor(engine, writer), [() => candidate], () =>
          putOnce(engine, writer, candidate, { ...options, precondition }),
        );
      } catch (failure) {
        if (failure instanceof RevivedError) precondition = undefined;
        if (isUniquenessFailure(failure)) {
          if (!(await isNameTaken(engine, writer.kind, candidate))) throw badRequest('Entity already exists');
        } else if (!(failure instanceof StaleStateError)) throw failure;
        if (attempt > 2) await sleep(Math.random() * 10 * attempt);
      }
    }
    throw tooManyConflictsError();
  });
};

/**
 * PUT: creates the record, or replaces it by the body. It never conflicts, because it works on whatever state it finds.
 */
export const putRecord = (
  engine: Engine,
  writer: Writer,
  body: unknown,
  options: PutRecordOptions,
): Promise<WriteResult> => putCandidate(engine, writer, candidateFromBody(writer.kind, body), options);

/** A change of a record through its document: a patch, or one member set or removed. */
export type RecordRevision = {
  readonly address: Address;
  /** Returns the changed document. Throws bad_request when the change does not fit the document. */
  readonly revise: (document: JsonObject) => JsonObject | Promise<JsonObject>;
  /** The members that the change reads, in addition to those that a request can set. */
  readonly touched: readonly string[];
  /** Whether columns may be renamed in place, which only a JSON Patch expresses clearly. */
  readonly isJsonPatch: boolean;
  /** Whether the caller gets a conflict after a second lost race. */
  readonly mayConflict?: boolean;
  /** Further writes that are committed in any case. */
  readonly extraWrite?: WriteRequest;
  /** Given when nothing is to be written. */
  readonly dryRun?: DryRun | undefined;
  readonly source?: ChangeSource | undefined;
  /** The operations that the caller needs; they may depend on the document. */
  readonly operations: readonly string[] | ((document: JsonObject) => readonly string[]);
  /** Computes members that only dedicated operations set, from the record found. */
  readonly setValues?: (record: Snapshot) => Readonly<Record<string, Json>>;
  /** Throws when the record does not satisfy the request's preconditions. */
  readonly precondition: (record: Snapshot) => void;
  /** Creates the caller's view of the record: the change applies to exactly that document. */
  readonly viewFor: (fields: ReadonlySet<string>) => View;
};

type PatchRequest = Pick<RecordRevision, 'address' | 'precondition' | 'viewFor' | 'source' | 'dryRun'> & {
  readonly patch: Patch;
};

/** The members that a revision reads: all that a request can set, and read-only members only if it needs them. */
const revisedFields = (kind: Kind, touched: readonly string[]): ReadonlySet<string> => {
  const settable = writeFields(kind);
  const others = touched.filter((name) => kind.gatedNames.has(name) && !settable.has(name));
  return others.length === 0 ? settable : new Set([...settable, ...others]);
};

/** Sets members that no request can set. */
const withSetValues = async (
  engine: Engine,
  record: Snapshot,
  set: Readonly<Record<string, Json>>,
  actor: WriteActor,
) => {
  const { values, mentioned } = await resolveLinks(engine, record.kind, { values: set, columns: {} }, record, actor);
  return { ...record, values: { ...record.values, ...values }, mentioned };
};

const reviseOnce = async (engine: Engine, writer: Writer, revision: RecordRevision): Promise<WriteResult> => {
  const { kind, principal, countWork } = writer;
  const fields = revisedFields(kind, revision.touched);
  const before = await engine.store.record(kind, revision.address, fields);
  if (!before || before.deleted) throw recordNotFound(kind.entityType, addressKey(revision.address));
  countWork?.(before.weight);
  // What a change needs depends on the document, and a document that is not to be seen must not decide anything.
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, before);
  const shown = await redactRecord(engine, principal, before);
  const rendered = renderRecord(shown, revision.viewFor(fields));
  const redaction = await redactDocument(engine, principal, rendered);
  const document = redaction?.shown ?? rendered;
  const { operations } = revision;
  await authorizeRecord(
    engine,
    principal,
    typeof operations === 'function' ? operations(document) : operations,
    before,
  );
  revision.precondition(before);
  const revised = await revision.revise(document);
  const whole = redaction ? restoreRedactedDocument(redaction, revised) : revised;
  const requested = await applyBeforeWrite(engine, kind, candidateFromDocument(kind, whole));
  const values = await restoreRedacted(engine, principal, { kind, stored: before, seen: shown }, requested.values);
  const candidate = { ...requested, values };
  const { isJsonPatch } = revision;
  const actor = actorFor(engine, writer, before.updatedAt);
  const base = { ...before, ...resolveNewName(before, candidate.name) };
  const desired = await buildTargetState(engine, kind, base, before, candidate, actor, { ...PATCH_MODE, isJsonPatch });
  const set = revision.setValues?.(before);
  const setWhole = set && redaction ? restoreRedactedMembers(redaction, set) : set;
  const target = setWhole ? await withSetValues(engine, desired, setWhole, actor) : desired;
  const after = await maskChangedValues(engine, principal, { before, after: target, touched: revision.touched });
  const { source, extraWrite, dryRun } = revision;
  const wanted = { before, after, isJsonPatch, source, extraWrite, dryRun };
  return dryRun ? tryChange(engine, writer, wanted) : commitChange(engine, writer, wanted);
};

/**
 * Changes a record through its document. After a lost race it retries on the newer state: a patch once, before it
 * reports a conflict, and every other change up to `PUT_ATTEMPTS` times.
 */
export const reviseRecord = (engine: Engine, writer: Writer, revision: RecordRevision): Promise<WriteResult> =>
  engine.serial(`${writer.kind.label} ${addressKey(revision.address)}`, async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await reviseOnce(engine, writer, revision);
      } catch (failure) {
        if (isUniquenessFailure(failure)) throw alreadyExistsError(writer.kind);
        if (!(failure instanceof StaleStateError)) throw failure;
        if (revision.mayConflict && attempt === 2)
          throw new CatalogError('conflict', 'A concurrent request changed the asset. Read it again and retry.');
        if (attempt === PUT_ATTEMPTS) throw tooManyConflictsError();
        if (attempt > 2) await sleep(Math.random() * 10 * attempt);
      }
    }
  });

/** PATCH: all operations or none. */
export const patchRecord = (
  engine: Engine,
  writer: Writer,
  { patch: sent, ...request }: PatchRequest,
): Promise<WriteResult> => {
  const { kind } = writer;
  const patch = normalizeDomainPatch(kind, sent);
  const requested = valuesGivenByPatch(patch).map(
    ([name, value]) =>
      () =>
        candidateFromMember(kind, name, value),
  );
  return reportMissingFirst(engine, kind, actorFor(engine, writer), requested, () =>
    reviseRecord(engine, writer, {
      ...request,
      revise: (document) => applyKindPatch(kind, document, patch),
      touched: membersUsedByPatch(patch),
      isJsonPatch: patch.form === 'operations',
      mayConflict: true,
      operations: (document) => [
        ...new Set([...operationsToPatch(kind, document, patch), ...operationsToReadPatched(kind, patch)]),
      ],
    }),
  );
};
