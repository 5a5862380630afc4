import { restoreRecord } from '../../catalog/below/remove.ts';
import { type Candidate, candidateFromBody } from '../../catalog/desire/candidate.ts';
import { expectedFqn } from '../../catalog/desire/home.ts';
import type { Engine, Written as Outcome, Writer } from '../../catalog/engine.ts';
import { permit } from '../../catalog/read/facts.ts';
import { writeFields } from '../../catalog/read/fields.ts';
import type { View } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { kindNamed } from '../../catalog/registry.ts';
import { checkCreation, completed, createCandidate } from '../../catalog/write/create.ts';
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
import { CONTRACT, constraintFaults, contractOf, objectionTo, sourceWrite } from '../steward.ts';
import { findSource, joinSources, type Source, sourceRow, type Written } from './source.ts';
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

const read = async (engine: Engine, document: JsonObject, subject: Snapshot, options: Wish['options']) => {
  const target = targetOf(subject);
  const lookup = await lookUp(engine, namedIn(document));
  return { target, imported: importDocument(document, target, lookup, { ...options, now: engine.clock() }) };
};

export const readFor = async (engine: Engine, { document, subject, options }: Wish): Promise<Reading> => {
  const { target, imported } = await read(engine, document.document, subject, options);
  return { target, imported, issues: [...document.issues, ...imported.issues] };
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

const create = async (engine: Engine, writer: Writer, wish: Wish, { imported }: Reading): Promise<Outcome> => {
  const { subject, document } = wish;
  await checkCreation(engine, writer, candidateFor(writer, wish, imported, {}));
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
  const reading = await readFor(engine, wish);
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

type Update = {
  readonly known: Snapshot;
  readonly mode: MergeMode;
  readonly viewFor: (fields: ReadonlySet<string>) => View;
};

/** What a document makes of a contract that is there, as a change of its document. */
const revisionOf = (
  reading: Reading,
  { known, mode, viewFor }: Update,
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
  precondition: () => undefined,
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

const update = async (
  engine: Engine,
  writer: Writer,
  wish: Wish,
  reading: Reading,
  change: Update,
): Promise<Outcome> => {
  const { subject, document, options } = wish;
  const { known, mode } = change;
  await rehearse(engine, writer, wish, reading, change);
  if (known.deleted) await restoreRecord(engine, writer, known.id);
  const kept = mode === 'merge' ? await findSource(engine, known.id) : undefined;
  const written = joinSources(kept, document);
  const { imported: whole } = written === document ? reading : await read(engine, written.document, subject, options);
  const tests = await putTests(engine, writer, subject, reading.imported);
  const beside = sourceWrite(known.id, sourceRow(sourceFor(written, whole)));
  return reviseRecord(engine, writer, { ...revisionOf(reading, change, tests), beside });
};

const putOnce = async (
  engine: Engine,
  writer: Writer,
  wish: Wish,
  reading: Reading,
  how: Pick<Update, 'mode' | 'viewFor'>,
): Promise<Outcome> => {
  const known = await contractOf(engine, wish.subject.id, writeFields(writer.kind));
  if (!known) return create(engine, writer, wish, reading);
  await permit(engine, writer.principal, ['EditAll'], known);
  return update(engine, writer, wish, reading, { known, ...how });
};

/** A lost race is tried again on what is there by then. */
const ATTEMPTS = 5;

/**
 * PUT: the same for a record that may have a contract already, of which what the mode says is kept. Documents for one
 * record come one after the other, as each is laid over what the one before has left.
 */
export const putFromDocument = async (
  engine: Engine,
  writer: Writer,
  wish: Wish,
  how: Pick<Update, 'mode' | 'viewFor'>,
): Promise<Outcome> => {
  const reading = await readFor(engine, wish);
  return engine.serial(`document ${wish.subject.id}`, async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await putOnce(engine, writer, wish, reading, how);
      } catch (failure) {
        const isThere = (await contractOf(engine, wish.subject.id)) !== undefined;
        const isLost = failure instanceof CatalogError && failure.code === 'already_exists' && isThere;
        if (!isLost || attempt === ATTEMPTS) throw unwanted(failure);
      }
    }
  });
};
