import { restoreRecord } from '../../catalog/below/remove.ts';
import { type Candidate, candidateFromBody } from '../../catalog/desire/candidate.ts';
import { expectedFqn } from '../../catalog/desire/home.ts';
import type { Engine, Written as Outcome, Writer } from '../../catalog/engine.ts';
import { stale } from '../../catalog/plan/step.ts';
import { permit } from '../../catalog/read/facts.ts';
import { writeFields } from '../../catalog/read/fields.ts';
import type { View } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { kindNamed } from '../../catalog/registry.ts';
import { checkCreation, completed, createCandidate, untilAlone } from '../../catalog/write/create.ts';
import { putRecord, type Revision, reviseRecord } from '../../catalog/write/write.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { formatEntityLink } from '../../model/entity-link.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { either } from '../../model/policy-values.ts';
import { bare } from '../dry-run.ts';
import { type Imported, type ImportOptions, importDocument, namedIn } from '../odcs/import.ts';
import type { Issue } from '../odcs/issue.ts';
import { DECIDED, keptExpectations, type MergeMode, mergeContract } from '../odcs/merge.ts';
import type { OdcsDocument } from '../odcs/read.ts';
import type { Target } from '../odcs/target.ts';
import { CONTRACT, constraintFaults, contractOf, objectionTo, SourceMoved, sourceWrite } from '../steward.ts';
import { findSource, joinSources, type Kept, type Source, sourceRow, type Written } from './source.ts';
import { lookUp, targetOf } from './target.ts';

/** Documents of the standard as contracts. */

/** What a request asks for. */
export type Wish = {
  readonly document: OdcsDocument;
  /** The record that the contract is about, read with `TARGET_FIELDS`. */
  readonly subject: Snapshot;
  readonly options: Omit<ImportOptions, 'now'>;
};

/** A document, read for a record. */
export type Reading = {
  readonly target: Target;
  readonly imported: Imported;
  readonly issues: readonly Issue[];
};

type Reader = Pick<Writer, 'principal'>;

const read = async (
  engine: Engine,
  { principal }: Reader,
  document: JsonObject,
  { subject, options }: Omit<Wish, 'document'>,
) => {
  const target = targetOf(subject);
  const lookup = await lookUp(engine, namedIn(document), principal);
  return { target, imported: importDocument(document, target, lookup, { ...options, now: engine.clock() }) };
};

/** What a document says to whoever reads it. */
export const readFor = async (engine: Engine, reader: Reader, wish: Wish): Promise<Reading> => {
  const { document, issues } = wish.document;
  const { target, imported } = await read(engine, reader, document, wish);
  return { target, imported, issues: [...issues, ...imported.issues] };
};

const itemsOf = (contract: JsonObject, name: string): readonly JsonObject[] =>
  (contract[name] ?? []) as readonly JsonObject[];

const refuseFaults = (subject: Snapshot, contract: JsonObject): void => {
  const objection = objectionTo(constraintFaults(subject, itemsOf(contract, 'schema'), false));
  if (objection) throw objection;
};

const MAY_TEST: readonly string[] = [either('EditTests', 'CreateTests')];

/** As many tests as one request makes. */
const MOST_TESTS = 1000;

/** The create bodies of the tests that the rules of a document ask for. */
const testBodies = (subject: Snapshot, { tests }: Imported): readonly JsonObject[] => {
  if (tests.length > MOST_TESTS) throw badRequest(`[the document must ask for at most ${MOST_TESTS} tests]`);
  const place = { entityType: 'table', fqn: subject.fullyQualifiedName };
  return tests.map(({ column, parameterValues, ...test }) => ({
    ...test,
    entityLink: formatEntityLink(column === undefined ? place : { ...place, field: 'columns', item: column }),
    parameterValues: parameterValues as unknown as Json,
  }));
};

/** Whoever wants tests must be allowed to make them, and each must be possible, before anything is written. */
const admitTests = async (engine: Engine, { principal }: Writer, { subject }: Wish, imported: Imported) => {
  const kind = kindNamed(engine.registry, 'testCase');
  const bodies = testBodies(subject, imported);
  if (bodies.length > 0) await permit(engine, principal, MAY_TEST, subject);
  for (const body of bodies) {
    const candidate = await completed(engine, kind, candidateFromBody(kind, body));
    const known = await engine.store.reference(kind, expectedFqn(kind, candidate));
    if (known) await permit(engine, principal, [either('EditAll', 'EditTests')], { kind, id: known.id });
    const objection = candidate.objection?.(known === undefined);
    if (objection) throw objection;
  }
};

/** Tests that the rules of a document ask for are made, or made what the rules say now. */
const putTests = async (
  engine: Engine,
  writer: Writer,
  subject: Snapshot,
  imported: Imported,
): Promise<readonly JsonObject[]> => {
  const kind = kindNamed(engine.registry, 'testCase');
  const refs: JsonObject[] = [];
  for (const body of testBodies(subject, imported)) {
    const { record } = await putRecord(engine, { ...writer, kind }, body, { overrideMetadata: false });
    refs.push({ id: record.id, type: 'testCase' });
  }
  return refs;
};

/** A document says no time zone where it means none. */
const withOwnZone = (candidate: Candidate, contract: JsonObject): Candidate => {
  const { sla } = candidate.values;
  const said = contract['sla'];
  if (!isObject(sla) || (isObject(said) && said['timezone'] !== undefined)) return candidate;
  const { timezone: _default, ...own } = sla;
  return { ...candidate, values: { ...candidate.values, sla: own as JsonObject } };
};

const sourceFor = (written: Written, { contract, objectName }: Imported): Source => ({
  version: written.version,
  source: written.source,
  made: contract,
  ...(written.joined ? { joined: written.joined } : {}),
  ...(objectName === undefined ? {} : { objectName }),
});

/** The contract that a document describes, as a create body would. */
const candidateFor = ({ kind }: Writer, { subject }: Wish, { contract }: Imported, more: JsonObject): Candidate => {
  const body = { ...contract, entity: { id: subject.id, type: subject.kind.entityType }, ...more };
  return withOwnZone(candidateFromBody(kind, body), contract);
};

/** What speaks against the members that a document makes, in a trial of it. */
export const bodyFaults = (writer: Writer, wish: Wish, imported: Imported): readonly string[] => {
  try {
    candidateFor(writer, wish, imported, {});
    return [];
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    return [bare(failure.message)];
  }
};

/** A document never says that there is something already: what it describes is unwanted then. */
const unwanted = (failure: unknown): unknown =>
  failure instanceof CatalogError && failure.code === 'already_exists'
    ? badRequest(`There is another ${CONTRACT} already`)
    : failure;

const create = async (
  engine: Engine,
  writer: Writer,
  wish: Wish,
  { imported }: Reading,
  precondition: () => void = () => undefined,
): Promise<Outcome> => {
  const { subject, document } = wish;
  await checkCreation(engine, writer, candidateFor(writer, wish, imported, {}));
  precondition();
  refuseFaults(subject, imported.contract);
  await admitTests(engine, writer, wish, imported);
  const tests = await putTests(engine, writer, subject, imported);
  const expected: JsonObject = tests.length > 0 ? { qualityExpectations: tests } : {};
  const candidate = candidateFor(writer, wish, imported, expected);
  const { id } = imported;
  const isFree = id !== undefined && (await engine.store.referenceById(id)) === undefined;
  return createCandidate(engine, writer, {
    ...candidate,
    ...(isFree ? { id } : {}),
    beginning: { source: sourceRow(sourceFor(document, imported)) },
  });
};

/** POST: the contract that a document describes. A record that has one keeps it. */
export const createFromDocument = async (engine: Engine, writer: Writer, wish: Wish): Promise<Outcome> => {
  const reading = await readFor(engine, writer, wish);
  try {
    return await create(engine, writer, wish, reading);
  } catch (failure) {
    throw unwanted(failure);
  }
};

/** What a contract says of its tests after a document came for it. */
const expectationsOf = (
  document: JsonObject,
  { imported, target }: Reading,
  mode: MergeMode,
  tests: readonly JsonObject[],
): readonly JsonObject[] => {
  const kept = keptExpectations(document, imported.contract, target, mode, imported.objectName);
  const ids = new Set(tests.map(({ id }) => id));
  return [...kept.filter(({ id }) => !ids.has(id as string)), ...tests];
};

type How = {
  readonly mode: MergeMode;
  readonly viewFor: (fields: ReadonlySet<string>) => View;
  /** Refuses the contract that is found, or that there is none, when the request wants another state. */
  readonly precondition: (record: Snapshot | undefined) => void;
};

type Update = How & { readonly known: Snapshot };

/** What a document makes of a contract that is there, as a change of its document. */
const revisionOf = (
  reading: Reading,
  { known, mode, viewFor, precondition }: Update,
  tests: readonly JsonObject[],
): Omit<Revision, 'beside'> => ({
  address: { id: known.id },
  revise: (before) => {
    const own = Object.fromEntries(Object.entries(before).filter(([name]) => !DECIDED.has(name)));
    const { name: _name, ...merged } = mergeContract(before, reading.imported, mode);
    const expected = expectationsOf(before, reading, mode, tests);
    return { ...own, ...merged, qualityExpectations: expected } as JsonObject;
  },
  touched: [],
  isJsonPatch: false,
  operations: ['EditAll'],
  // What was hidden has been brought back since it was compared, and so is at another version.
  precondition: known.deleted ? () => undefined : precondition,
  viewFor,
});

/** Refuses what would be refused after something else has been written. */
const rehearse = async (
  engine: Engine,
  writer: Writer,
  wish: Wish,
  reading: Reading,
  change: Update,
): Promise<void> => {
  refuseFaults(wish.subject, reading.imported.contract);
  candidateFor(writer, wish, reading.imported, {});
  await admitTests(engine, writer, wish, reading.imported);
  if (change.known.deleted) return;
  await reviseRecord(engine, writer, { ...revisionOf(reading, change, []), rehearses: true });
};

type Joined = { readonly written: Written; readonly kept: Kept | undefined; readonly reading: Reading };

/** What two documents of one contract say together of the object that the newer is about, or else the former was. */
const readWhole = async (
  engine: Engine,
  reader: Reader,
  { subject, options }: Wish,
  { written, kept, reading: { imported } }: Joined,
): Promise<Imported> => {
  const { createTestCases } = options;
  const isSilent = imported.objectName === undefined && imported.contract['schema'] === undefined;
  const objectName = isSilent ? kept?.objectName : imported.objectName;
  const about = { subject, options: { createTestCases, ...(objectName === undefined ? {} : { objectName }) } };
  return (await read(engine, reader, written.document, about)).imported;
};

const update = async (
  engine: Engine,
  writer: Writer,
  wish: Wish,
  reading: Reading,
  change: Update,
): Promise<Outcome> => {
  const { subject, document } = wish;
  const { known, mode } = change;
  await rehearse(engine, writer, wish, reading, change);
  if (known.deleted) await restoreRecord(engine, writer, known.id);
  // The source is read before the record is: a document that comes in between is noticed by the revision of the source.
  const kept = await findSource(engine, known.id);
  const written = mode === 'merge' ? joinSources(kept, document) : document;
  const whole =
    written === document ? reading.imported : await readWhole(engine, writer, wish, { written, kept, reading });
  const tests = await putTests(engine, writer, subject, reading.imported);
  const beside = sourceWrite(known.id, sourceRow(sourceFor(written, whole)), kept?.revision ?? 0);
  return reviseRecord(engine, writer, { ...revisionOf(reading, change, tests), beside });
};

const putOnce = async (engine: Engine, writer: Writer, wish: Wish, reading: Reading, how: How): Promise<Outcome> => {
  const known = await contractOf(engine, wish.subject.id, writeFields(writer.kind));
  if (!known) return create(engine, writer, wish, reading, () => how.precondition(undefined));
  await permit(engine, writer.principal, ['EditAll'], known);
  how.precondition(known);
  return update(engine, writer, wish, reading, { known, ...how });
};

/** Whether somebody else was faster: with the first contract of the record, or with a document for the one there is. */
const isLost = async (engine: Engine, { subject }: Wish, failure: unknown): Promise<boolean> => {
  if (failure instanceof SourceMoved) return true;
  const isTaken = failure instanceof CatalogError && failure.code === 'already_exists';
  return isTaken && (await contractOf(engine, subject.id)) !== undefined;
};

/**
 * PUT: the same for a record that may have a contract already, of which what the mode says is kept. Documents for one
 * record come one after the other, as each is laid over what the one before has left.
 */
export const putFromDocument = async (engine: Engine, writer: Writer, wish: Wish, how: How): Promise<Outcome> => {
  const reading = await readFor(engine, writer, wish);
  const put = async (): Promise<Outcome> => {
    try {
      return await putOnce(engine, writer, wish, reading, how);
    } catch (failure) {
      throw (await isLost(engine, wish, failure)) ? stale() : unwanted(failure);
    }
  };
  return engine.serial(`document ${wish.subject.id}`, () => untilAlone(put));
};
