import { restoreRecord } from '../../catalog/cascade/delete-and-restore.ts';
import type { Engine, WriteResult as Outcome, Writer } from '../../catalog/engine.ts';
import { staleStateError } from '../../catalog/plan/step.ts';
import { authorizeRecord } from '../../catalog/read/facts.ts';
import { writeFields } from '../../catalog/read/fields.ts';
import type { View } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { requireKind } from '../../catalog/registry.ts';
import { type Candidate, candidateFromBody } from '../../catalog/resolve/candidate.ts';
import { expectedFqn } from '../../catalog/resolve/parent-location.ts';
import { applyBeforeWrite, checkCreation, createCandidate, retryOnConflict } from '../../catalog/write/create.ts';
import { putRecord, type RecordRevision, reviseRecord } from '../../catalog/write/update.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { formatEntityLink } from '../../model/language/entity-link.ts';
import { anyOfOperations } from '../../model/schemas/access/policy.ts';
import { stripBrackets } from '../dry-run.ts';
import {
  CONTRACT,
  faultsToError,
  findConstraintFaults,
  findContractOf,
  planSourceWrite,
  SourceChangedError,
} from '../hooks.ts';
import { findDocumentReferences, type ImportedContract, type ImportOptions, importDocument } from '../odcs/import.ts';
import type { Issue } from '../odcs/issue.ts';
import { IMPORTED_MEMBERS, type MergeMode, mergeImportedContract, selectKeptExpectations } from '../odcs/merge.ts';
import type { OdcsDocument } from '../odcs/read.ts';
import type { ImportTarget } from '../odcs/target.ts';
import { resolveDocumentReferences, toImportTarget } from './import-target.ts';
import {
  findStoredSource,
  joinSources,
  type SourceDocument,
  type StoredSource,
  toSourceRow,
  type VersionedDocument,
} from './source-document.ts';

/** Documents of the standard as contracts. */

/** What a request asks for. */
export type ContractImportRequest = {
  readonly document: OdcsDocument;
  /** The record that the contract is about, read with `TARGET_FIELDS`. */
  readonly subject: Snapshot;
  readonly options: Omit<ImportOptions, 'now'>;
};

/** A document, read for a record. */
export type ParsedImport = {
  readonly target: ImportTarget;
  readonly imported: ImportedContract;
  readonly issues: readonly Issue[];
};

type ImportCaller = Pick<Writer, 'principal'>;

const readDocument = async (
  engine: Engine,
  { principal }: ImportCaller,
  document: JsonObject,
  { subject, options }: Omit<ContractImportRequest, 'document'>,
) => {
  const target = toImportTarget(subject);
  const lookup = await resolveDocumentReferences(engine, findDocumentReferences(document), principal);
  return { target, imported: importDocument(document, target, lookup, { ...options, now: engine.clock() }) };
};

/** What a document says to whoever reads it. */
export const parseImport = async (
  engine: Engine,
  reader: ImportCaller,
  request: ContractImportRequest,
): Promise<ParsedImport> => {
  const { document, issues } = request.document;
  const { target, imported } = await readDocument(engine, reader, document, request);
  return { target, imported, issues: [...issues, ...imported.issues] };
};

const objectsIn = (contract: JsonObject, name: string): readonly JsonObject[] =>
  (contract[name] ?? []) as readonly JsonObject[];

const assertNoFaults = (subject: Snapshot, contract: JsonObject): void => {
  const objection = faultsToError(findConstraintFaults(subject, objectsIn(contract, 'schema'), false));
  if (objection) throw objection;
};

const CREATE_TESTS_OPERATIONS: readonly string[] = [anyOfOperations('EditTests', 'CreateTests')];

/** As many tests as one request makes. */
const MAX_TESTS = 1000;

/** The create bodies of the tests that the rules of a document ask for. */
const buildTestBodies = (subject: Snapshot, { tests }: ImportedContract): readonly JsonObject[] => {
  if (tests.length > MAX_TESTS) throw badRequest(`[the document must ask for at most ${MAX_TESTS} tests]`);
  const place = { entityType: 'table', fqn: subject.fullyQualifiedName };
  return tests.map(({ column, parameterValues, ...test }) => ({
    ...test,
    entityLink: formatEntityLink(column === undefined ? place : { ...place, field: 'columns', item: column }),
    parameterValues: parameterValues as unknown as Json,
  }));
};

/** Whoever wants tests must be allowed to make them, and each must be possible, before anything is written. */
const checkTests = async (
  engine: Engine,
  { principal }: Writer,
  { subject }: ContractImportRequest,
  imported: ImportedContract,
) => {
  const kind = requireKind(engine.registry, 'testCase');
  const bodies = buildTestBodies(subject, imported);
  if (bodies.length > 0) await authorizeRecord(engine, principal, CREATE_TESTS_OPERATIONS, subject);
  for (const body of bodies) {
    const candidate = await applyBeforeWrite(engine, kind, candidateFromBody(kind, body));
    const known = await engine.store.reference(kind, expectedFqn(kind, candidate));
    if (known)
      await authorizeRecord(engine, principal, [anyOfOperations('EditAll', 'EditTests')], { kind, id: known.id });
    const objection = candidate.objection?.(known === undefined);
    if (objection) throw objection;
  }
};

/** Tests that the rules of a document ask for are made, or made what the rules say now. */
const upsertTests = async (
  engine: Engine,
  writer: Writer,
  subject: Snapshot,
  imported: ImportedContract,
): Promise<readonly JsonObject[]> => {
  const kind = requireKind(engine.registry, 'testCase');
  const refs: JsonObject[] = [];
  for (const body of buildTestBodies(subject, imported)) {
    const { record } = await putRecord(engine, { ...writer, kind }, body, { overrideMetadata: false });
    refs.push({ id: record.id, type: 'testCase' });
  }
  return refs;
};

/** A document says no time zone where it means none. */
const withoutDefaultTimezone = (candidate: Candidate, contract: JsonObject): Candidate => {
  const { sla } = candidate.values;
  const said = contract['sla'];
  if (!isObject(sla) || (isObject(said) && said['timezone'] !== undefined)) return candidate;
  const { timezone: _default, ...own } = sla;
  return { ...candidate, values: { ...candidate.values, sla: own as JsonObject } };
};

const buildSourceDocument = (
  written: VersionedDocument,
  { contract, objectName }: ImportedContract,
): SourceDocument => ({
  version: written.version,
  source: written.source,
  made: contract,
  ...(written.joined ? { joined: written.joined } : {}),
  ...(objectName === undefined ? {} : { objectName }),
});

/** The contract that a document describes, as a create body would. */
const buildCandidate = (
  { kind }: Writer,
  { subject }: ContractImportRequest,
  { contract }: ImportedContract,
  more: JsonObject,
): Candidate => {
  const body = { ...contract, entity: { id: subject.id, type: subject.kind.entityType }, ...more };
  return withoutDefaultTimezone(candidateFromBody(kind, body), contract);
};

/** What speaks against the members that a document makes, in a trial of it. */
export const findBodyFaults = (
  writer: Writer,
  request: ContractImportRequest,
  imported: ImportedContract,
): readonly string[] => {
  try {
    buildCandidate(writer, request, imported, {});
    return [];
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    return [stripBrackets(failure.message)];
  }
};

/** A document never says that there is something already: what it describes is unwanted then. */
const conflictAsBadRequest = (failure: unknown): unknown =>
  failure instanceof CatalogError && failure.code === 'already_exists'
    ? badRequest(`There is another ${CONTRACT} already`)
    : failure;

const createContract = async (
  engine: Engine,
  writer: Writer,
  request: ContractImportRequest,
  { imported }: ParsedImport,
  precondition: () => void = () => undefined,
): Promise<Outcome> => {
  const { subject, document } = request;
  await checkCreation(engine, writer, buildCandidate(writer, request, imported, {}));
  precondition();
  assertNoFaults(subject, imported.contract);
  await checkTests(engine, writer, request, imported);
  const tests = await upsertTests(engine, writer, subject, imported);
  const expected: JsonObject = tests.length > 0 ? { qualityExpectations: tests } : {};
  const candidate = buildCandidate(writer, request, imported, expected);
  const { id } = imported;
  const isFree = id !== undefined && (await engine.store.referenceById(id)) === undefined;
  return createCandidate(engine, writer, {
    ...candidate,
    ...(isFree ? { id } : {}),
    hookData: { source: toSourceRow(buildSourceDocument(document, imported)) },
  });
};

/** POST: the contract that a document describes. A record that has one keeps it. */
export const createContractFromDocument = async (
  engine: Engine,
  writer: Writer,
  request: ContractImportRequest,
): Promise<Outcome> => {
  const reading = await parseImport(engine, writer, request);
  try {
    return await createContract(engine, writer, request, reading);
  } catch (failure) {
    throw conflictAsBadRequest(failure);
  }
};

/** What a contract says of its tests after a document came for it. */
const mergeExpectations = (
  document: JsonObject,
  { imported, target }: ParsedImport,
  mode: MergeMode,
  tests: readonly JsonObject[],
): readonly JsonObject[] => {
  const kept = selectKeptExpectations(document, imported.contract, target, mode, imported.objectName);
  const ids = new Set(tests.map(({ id }) => id));
  return [...kept.filter(({ id }) => !ids.has(id as string)), ...tests];
};

type ImportPutOptions = {
  readonly mode: MergeMode;
  readonly viewFor: (fields: ReadonlySet<string>) => View;
  /** Refuses the contract that is found, or that there is none, when the request wants another state. */
  readonly precondition: (record: Snapshot | undefined) => void;
};

type ContractUpdate = ImportPutOptions & { readonly known: Snapshot };

/** What a document makes of a contract that is there, as a change of its document. */
const buildRevision = (
  reading: ParsedImport,
  { known, mode, viewFor, precondition }: ContractUpdate,
  tests: readonly JsonObject[],
): Omit<RecordRevision, 'extraWrite'> => ({
  address: { id: known.id },
  revise: (before) => {
    const own = Object.fromEntries(Object.entries(before).filter(([name]) => !IMPORTED_MEMBERS.has(name)));
    const { name: _name, ...merged } = mergeImportedContract(before, reading.imported, mode);
    const expected = mergeExpectations(before, reading, mode, tests);
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
const checkUpdate = async (
  engine: Engine,
  writer: Writer,
  request: ContractImportRequest,
  reading: ParsedImport,
  change: ContractUpdate,
): Promise<void> => {
  assertNoFaults(request.subject, reading.imported.contract);
  buildCandidate(writer, request, reading.imported, {});
  await checkTests(engine, writer, request, reading.imported);
  if (change.known.deleted) return;
  await reviseRecord(engine, writer, { ...buildRevision(reading, change, []), isDryRun: true });
};

type JoinedImport = {
  readonly written: VersionedDocument;
  readonly kept: StoredSource | undefined;
  readonly reading: ParsedImport;
};

/** What two documents of one contract say together of the object that the newer is about, or else the former was. */
const readJoinedDocument = async (
  engine: Engine,
  reader: ImportCaller,
  { subject, options }: ContractImportRequest,
  { written, kept, reading: { imported } }: JoinedImport,
): Promise<ImportedContract> => {
  const { createTestCases } = options;
  const isSilent = imported.objectName === undefined && imported.contract['schema'] === undefined;
  const objectName = isSilent ? kept?.objectName : imported.objectName;
  const about = { subject, options: { createTestCases, ...(objectName === undefined ? {} : { objectName }) } };
  return (await readDocument(engine, reader, written.document, about)).imported;
};

const updateContract = async (
  engine: Engine,
  writer: Writer,
  request: ContractImportRequest,
  reading: ParsedImport,
  change: ContractUpdate,
): Promise<Outcome> => {
  const { subject, document } = request;
  const { known, mode } = change;
  await checkUpdate(engine, writer, request, reading, change);
  if (known.deleted) await restoreRecord(engine, writer, known.id);
  // The source is read before the record is: a document that comes in between is noticed by the revision of the source.
  const kept = await findStoredSource(engine, known.id);
  const written = mode === 'merge' ? joinSources(kept, document) : document;
  const joined =
    written === document
      ? reading.imported
      : await readJoinedDocument(engine, writer, request, { written, kept, reading });
  const tests = await upsertTests(engine, writer, subject, reading.imported);
  const extraWrite = planSourceWrite(known.id, toSourceRow(buildSourceDocument(written, joined)), kept?.revision ?? 0);
  return reviseRecord(engine, writer, { ...buildRevision(reading, change, tests), extraWrite });
};

const tryPut = async (
  engine: Engine,
  writer: Writer,
  request: ContractImportRequest,
  reading: ParsedImport,
  options: ImportPutOptions,
): Promise<Outcome> => {
  const known = await findContractOf(engine, request.subject.id, writeFields(writer.kind));
  if (!known) return createContract(engine, writer, request, reading, () => options.precondition(undefined));
  await authorizeRecord(engine, writer.principal, ['EditAll'], known);
  options.precondition(known);
  return updateContract(engine, writer, request, reading, { known, ...options });
};

/** Whether somebody else was faster: with the first contract of the record, or with a document for the one there is. */
const isConcurrentWrite = async (
  engine: Engine,
  { subject }: ContractImportRequest,
  failure: unknown,
): Promise<boolean> => {
  if (failure instanceof SourceChangedError) return true;
  const isTaken = failure instanceof CatalogError && failure.code === 'already_exists';
  return isTaken && (await findContractOf(engine, subject.id)) !== undefined;
};

/**
 * PUT: the same for a record that may have a contract already, of which what the mode says is kept. Documents for one
 * record come one after the other, as each is laid over what the one before has left.
 */
export const putContractFromDocument = async (
  engine: Engine,
  writer: Writer,
  request: ContractImportRequest,
  options: ImportPutOptions,
): Promise<Outcome> => {
  const reading = await parseImport(engine, writer, request);
  const put = async (): Promise<Outcome> => {
    try {
      return await tryPut(engine, writer, request, reading, options);
    } catch (failure) {
      throw (await isConcurrentWrite(engine, request, failure)) ? staleStateError() : conflictAsBadRequest(failure);
    }
  };
  return engine.serial(`document ${request.subject.id}`, () => retryOnConflict(put));
};
