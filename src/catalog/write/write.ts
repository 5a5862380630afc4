import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, CatalogError, recordNotFound } from '../../errors.ts';
import type { Write } from '../../graph/commit.ts';
import { isUniquenessFailure } from '../../graph/failure.ts';
import type { ChangeSource } from '../../model/change.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { applyPatch, givenMembers, namedMembers, type Patch } from '../../model/patch.ts';
import { operationsOfPatch, viewsOfPatch } from '../../model/required-operations.ts';
import { dropNulls } from '../../model/validate.ts';
import { reviveRecord } from '../below/remove.ts';
import { commitRename, renamed } from '../below/rename.ts';
import { permitCreation } from '../desire/admission.ts';
import { type Candidate, candidateFromBody, candidateFromDocument, candidateFromMember } from '../desire/candidate.ts';
import { desire } from '../desire/desire.ts';
import { type Actor, PATCH, PUT, refuseFrozen } from '../desire/desk.ts';
import { compare } from '../desire/difference.ts';
import { expectedFqn, findTwin, refuseAnother } from '../desire/home.ts';
import { settleLinks } from '../desire/links.ts';
import { missingFirst } from '../desire/references.ts';
import { redactDocument, redactRecord, restoreCandidate, restoreDocument, restoreValues } from '../desire/restore.ts';
import { checkTies } from '../desire/ties.ts';
import type { Engine, Writer, Written } from '../engine.ts';
import { planChange } from '../plan/change.ts';
import { columnMoves } from '../plan/columns.ts';
import { voidCredentialSteps } from '../plan/credentials.ts';
import { alreadyExists, planQuietUpdate } from '../plan/record.ts';
import { StaleState } from '../plan/step.ts';
import { permit } from '../read/facts.ts';
import { writeFields } from '../read/fields.ts';
import { render, type View } from '../read/render.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type Address, keyOf } from '../read/store.ts';
import { keepWithheld, withhold } from '../read/withheld.ts';
import {
  ALONE,
  AMONG_MANY,
  actorFor,
  completed,
  createAt,
  findGround,
  joined,
  nameKey,
  settle,
  tooBusy,
} from './create.ts';

type Change = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly isJsonPatch: boolean;
  /** Where the caller says the change comes from. */
  readonly source?: ChangeSource | undefined;
  /** What changes beside the record in any case. */
  readonly beside?: Write | undefined;
};

/** The plan of a change together with what it means for those who point at columns of the record. */
const withMoves = async (
  engine: Engine,
  writer: Writer,
  before: Snapshot,
  after: Snapshot,
  plan: Write,
): Promise<Write> => {
  const moves = columnMoves(before, after);
  if (moves.removed.length === 0 && moves.renamed.length === 0 && moves.added.length === 0) return plan;
  const others = await Promise.all(engine.columnsMoved.map((keep) => keep(engine, writer, before, moves)));
  return joined(plan, ...others);
};

/** Commits what differs between two states; a write that changes nothing writes nothing. */
const commitChange = async (engine: Engine, writer: Writer, wanted: Change): Promise<Written> => {
  const { before, after, isJsonPatch, beside } = wanted;
  const { change, version, isQuiet } = compare(engine, before, after, isJsonPatch);
  const voided: Write = { keys: [], steps: voidCredentialSteps(before, after, engine.clock()) };
  if (!change) {
    if (!isQuiet && beside) await engine.commit(beside);
    if (!isQuiet) return { outcome: 'entityNoChange', record: before };
    await engine.commit(joined(planQuietUpdate(before, after), beside, voided));
    const record = { ...before, values: after.values, mentioned: after.mentioned };
    engine.written(record, after.conferrals);
    return { outcome: 'entityUpdated', record };
  }
  refuseFrozen(before, after);
  await checkTies(engine, before, after);
  const followed = await engine.stewards.get(before.kind.entityType)?.follow?.(engine, writer, { before, after });
  const joint = { ...after, version, related: { ...after.related, ...followed?.related } };
  const wish = { before, after: joint, description: change, source: wanted.source };
  const { record, plan: own } = planChange(engine, writer.principal, wish);
  const plan = joined(await withMoves(engine, writer, before, record, own), beside, followed, voided);
  if (before.name === record.name) await engine.commit(plan);
  else await commitRename(engine, writer, { before, after: record, plan });
  engine.written(record, record.conferrals);
  return { outcome: 'entityUpdated', record };
};

type PutOptions = {
  readonly overrideMetadata: boolean;
  /** The record is one row of many, and is left alone when its source says that it has not changed. */
  readonly amongMany?: boolean;
  /** Refuses what is found, or that there is nothing, by throwing, when the request's preconditions do not hold. */
  readonly precondition?: ((record: Snapshot | undefined) => void) | undefined;
};

const updateTo = async (
  engine: Engine,
  writer: Writer,
  before: Snapshot,
  candidate: Candidate,
  { overrideMetadata }: PutOptions,
): Promise<Written> => {
  const actor = actorFor(engine, writer, before.updatedAt);
  const redaction = await redactRecord(engine, writer.principal, before);
  const whole = redaction ? restoreCandidate(redaction, candidate) : candidate;
  const after = await desire(engine, writer.kind, before, before, whole, actor, { ...PUT, overrideMetadata });
  const beside = await engine.stewards.get(writer.kind.entityType)?.amend?.(engine, writer, before, whole);
  return commitChange(engine, writer, { before, after, isJsonPatch: false, beside });
};

/** A PUT that keeps losing races against other processes gives up only after this many. */
const PUT_ATTEMPTS = 30;

const isSame = (candidate: Candidate, before: Snapshot, options: PutOptions): boolean => {
  const hash = candidate.values['sourceHash'];
  return hash !== undefined && hash === before.values['sourceHash'] && !options.overrideMetadata;
};

/** A record that was expected as it was found was brought back on the way, so that it is another state by now. */
class Revived extends StaleState {}

const putOnce = async (engine: Engine, writer: Writer, candidate: Candidate, options: PutOptions): Promise<Written> => {
  const { kind, principal } = writer;
  const needed = options.amongMany ? AMONG_MANY : ALONE;
  const fields = writeFields(kind);
  const twin = await findTwin(engine, kind, candidate);
  const [ground, before] = await Promise.all([
    findGround(engine, writer, candidate),
    kind.sharesNames && !twin
      ? undefined
      : engine.store.record(kind, twin ? { id: twin } : { fqn: expectedFqn(kind, candidate) }, fields),
  ]);
  if (!before) {
    await permitCreation(engine, writer, candidate, ground.home, needed.create);
    options.precondition?.(undefined);
    return createAt(engine, writer, candidate, ground);
  }
  await permit(engine, principal, needed.update, before);
  writer.spend?.(before.weight);
  options.precondition?.(before);
  await refuseAnother(engine, kind, candidate, twin);
  if (before.deleted) {
    await reviveRecord(engine, writer, before);
    throw new Revived('revived');
  }
  if (options.amongMany && isSame(candidate, before, options)) return { outcome: 'entityNoChange', record: before };
  try {
    return await updateTo(engine, writer, before, candidate, options);
  } catch (failure) {
    // The name is the record's own already, so it is another unique value that somebody else has.
    throw isUniquenessFailure(failure) ? badRequest('Entity already exists') : failure;
  }
};

/** Whether the name was taken between the look and the write; if it was not, another unique value was. */
const nameWasTaken = async (engine: Engine, kind: Kind, candidate: Candidate): Promise<boolean> =>
  (!kind.sharesNames && (await engine.store.reference(kind, expectedFqn(kind, candidate))) !== undefined) ||
  (await findTwin(engine, kind, candidate)) !== undefined;

/** The same as `putRecord`, of a request that was read already. */
export const putCandidate = async (
  engine: Engine,
  writer: Writer,
  asked: Candidate,
  options: PutOptions,
): Promise<Written> => {
  const candidate = await settle(engine, writer.kind, asked);
  const wanted = expectedFqn(writer.kind, candidate);
  return engine.serial(nameKey(writer.kind, wanted), async () => {
    let { precondition } = options;
    for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
      try {
        return await missingFirst(engine, writer.kind, actorFor(engine, writer), [() => candidate], () =>
          putOnce(engine, writer, candidate, { ...options, precondition }),
        );
      } catch (failure) {
        if (failure instanceof Revived) precondition = undefined;
        if (isUniquenessFailure(failure)) {
          if (!(await nameWasTaken(engine, writer.kind, candidate))) throw badRequest('Entity already exists');
        } else if (!(failure instanceof StaleState)) throw failure;
        if (attempt > 2) await sleep(Math.random() * 10 * attempt);
      }
    }
    throw tooBusy();
  });
};

/** PUT: creates the record, or makes it what the body says. It never conflicts: what it finds is what it works on. */
export const putRecord = (engine: Engine, writer: Writer, body: unknown, options: PutOptions): Promise<Written> =>
  putCandidate(engine, writer, candidateFromBody(writer.kind, body), options);

/** A change of a record by what its document becomes: a patch, or one member set or removed. */
export type Revision = {
  readonly address: Address;
  /** What the document is to become. Throws bad_request when that makes no sense for the document it is given. */
  readonly revise: (document: JsonObject) => JsonObject | Promise<JsonObject>;
  /** The members the change looks at, beside those that can be set. */
  readonly touched: readonly string[];
  /** Whether columns may be renamed in place, which only a JSON Patch says clearly enough. */
  readonly isJsonPatch: boolean;
  /** Whether a second lost race is told to the caller. */
  readonly mayConflict?: boolean;
  /** What changes beside the record in any case. */
  readonly beside?: Write;
  /** Everything is worked out and may be refused, and nothing is written. */
  readonly rehearses?: boolean;
  readonly source?: ChangeSource | undefined;
  /** What the caller must be allowed to do to the record, which may follow from what its document says. */
  readonly operations: readonly string[] | ((document: JsonObject) => readonly string[]);
  /** Members that only operations of their own set, worked out from the record found. */
  readonly set?: (record: Snapshot) => Readonly<Record<string, Json>>;
  /** Refuses the record found, by throwing, when the request's preconditions do not hold. */
  readonly precondition: (record: Snapshot) => void;
  /** How the caller sees the record: a change applies to exactly that document. */
  readonly viewFor: (fields: ReadonlySet<string>) => View;
};

type PatchRequest = Pick<Revision, 'address' | 'precondition' | 'viewFor' | 'source'> & { readonly patch: Patch };

/** The members a revision works on: all that can be set, and read-only ones only if it looks at them. */
const revisedFields = (kind: Kind, touched: readonly string[]): ReadonlySet<string> => {
  const settable = writeFields(kind);
  const others = touched.filter((name) => kind.gatedNames.has(name) && !settable.has(name));
  return others.length === 0 ? settable : new Set([...settable, ...others]);
};

/** The record with members set that no request can set. */
const withSet = async (engine: Engine, record: Snapshot, set: Readonly<Record<string, Json>>, actor: Actor) => {
  const { values, mentioned } = await settleLinks(engine, record.kind, { values: set, columns: {} }, record, actor);
  return { ...record, values: { ...record.values, ...values }, mentioned };
};

const reviseOnce = async (engine: Engine, writer: Writer, revision: Revision): Promise<Written> => {
  const { kind, principal, spend } = writer;
  const fields = revisedFields(kind, revision.touched);
  const before = await engine.store.record(kind, revision.address, fields);
  if (!before || before.deleted) throw recordNotFound(kind.entityType, keyOf(revision.address));
  spend?.(before.weight);
  const seen = await withhold(engine, principal, before);
  const rendered = render(seen, revision.viewFor(fields));
  const redaction = await redactDocument(engine, principal, rendered);
  const document = redaction?.shown ?? rendered;
  const { operations } = revision;
  await permit(engine, principal, typeof operations === 'function' ? operations(document) : operations, before);
  revision.precondition(before);
  const revised = await revision.revise(document);
  const whole = redaction ? restoreDocument(redaction, revised) : revised;
  const asked = await completed(engine, kind, candidateFromDocument(kind, whole));
  const values = await keepWithheld(engine, principal, { kind, stored: before, seen }, asked.values);
  const candidate = { ...asked, values };
  const { isJsonPatch } = revision;
  const actor = actorFor(engine, writer, before.updatedAt);
  const base = { ...before, ...renamed(before, candidate.name) };
  const desired = await desire(engine, kind, base, before, candidate, actor, { ...PATCH, isJsonPatch });
  const set = revision.set?.(before);
  const setWhole = set && redaction ? restoreValues(redaction, set) : set;
  const after = setWhole ? await withSet(engine, desired, setWhole, actor) : desired;
  if (revision.rehearses) return { outcome: 'entityNoChange', record: before };
  return commitChange(engine, writer, { before, after, isJsonPatch, source: revision.source, beside: revision.beside });
};

/**
 * Changes a record by its document. A lost race is tried again on the newer state: of a patch once, then it is a
 * conflict; everything else works on whatever it finds.
 */
export const reviseRecord = (engine: Engine, writer: Writer, revision: Revision): Promise<Written> =>
  engine.serial(`${writer.kind.label} ${keyOf(revision.address)}`, async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await reviseOnce(engine, writer, revision);
      } catch (failure) {
        if (isUniquenessFailure(failure)) throw alreadyExists();
        if (!(failure instanceof StaleState)) throw failure;
        if (revision.mayConflict && attempt === 2)
          throw new CatalogError('conflict', 'The record was changed by somebody else at the same time');
        if (attempt === PUT_ATTEMPTS) throw tooBusy();
        if (attempt > 2) await sleep(Math.random() * 10 * attempt);
      }
    }
  });

/** The singular `domain` of a merge patch stands for the whole list. */
const withDomains = (kind: Kind, patch: Patch): Patch => {
  if (patch.form !== 'merge' || !Object.hasOwn(patch.members, 'domain') || !kind.gated.includes('domains'))
    return patch;
  const { domain, ...members } = patch.members;
  return { form: 'merge', members: { ...members, domains: domain === null || domain === undefined ? [] : [domain] } };
};

/** What a document says after a patch, in the words of the kind. */
const patched = ({ readDocument }: Kind, former: JsonObject, patch: Patch): JsonObject => {
  const document = applyPatch(former, patch);
  return readDocument ? readDocument(dropNulls(document) as JsonObject, former) : document;
};

/** PATCH: all operations or none. */
export const patchRecord = (
  engine: Engine,
  writer: Writer,
  { patch: sent, ...request }: PatchRequest,
): Promise<Written> => {
  const { kind } = writer;
  const patch = withDomains(kind, sent);
  const asked = givenMembers(patch).map(
    ([name, value]) =>
      () =>
        candidateFromMember(kind, name, value),
  );
  return missingFirst(engine, kind, actorFor(engine, writer), asked, () =>
    reviseRecord(engine, writer, {
      ...request,
      revise: (document) => patched(kind, document, patch),
      touched: namedMembers(patch),
      isJsonPatch: patch.form === 'operations',
      mayConflict: true,
      operations: (document) => [...new Set([...operationsOfPatch(document, patch), ...viewsOfPatch(kind, patch)])],
    }),
  );
};
