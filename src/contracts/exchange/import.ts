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
import {
  findDocumentReferences,
  IMPORTED_MEMBERS,
  type ImportedContract,
  type ImportOptions,
  importDocument,
  type MergeMode,
  mergeImportedContract,
  selectKeptExpectations,
} from '../odcs/import.ts';
import type { Issue } from '../odcs/issues.ts';
import type { ImportTarget } from '../odcs/schema/read-schema.ts';
import type { OdcsDocument } from '../odcs/texts/documents.ts';
import { resolveDocumentReferences, toImportTarget } from './import-target.ts';
import {
  findStoredSource,
  joinSources,
  type StoredSource,
  toSourceRow,
  type VersionedDocument,
} from './source-document.ts';
import { removeAddedServer } from './visible-server.ts';

/**
 * Imports ODCS documents as contracts. Read parseImport first, then createContractFromDocument and
 * putContractFromDocument.
 */

/** The import that a request asks for. */
export type ContractImportRequest = {
  readonly document: OdcsDocument;
  /** The record that the contract is about, read with `TARGET_FIELDS`. */
  readonly subject: Snapshot;
  readonly options: Omit<ImportOptions, 'now'>;
  /** The server that exports name to the caller. */
  readonly server?: JsonObject;
};

/** A document that was parsed for a record. */
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

/** Parses a document as its reader sees it, who cannot resolve names of records they may not see. */
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

/** The maximum number of tests that one request creates. */
const MAX_TESTS = 1000;

/** Builds the create bodies of the tests that a document's rules ask for. */
const buildTestBodies = (subject: Snapshot, { tests }: ImportedContract): readonly JsonObject[] => {
  if (tests.length > MAX_TESTS) throw badRequest(`[the document must ask for at most ${MAX_TESTS} tests]`);
  const place = { entityType: 'table', fqn: subject.fullyQualifiedName };
  return tests.map(({ column, parameterValues, ...test }) => ({
    ...test,
    entityLink: formatEntityLink(column === undefined ? place : { ...place, field: 'columns', item: column }),
    parameterValues: parameterValues as unknown as Json,
  }));
};

/** Checks permissions and validity of all tests before anything is written. */
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

/** Creates the tests that a document's rules ask for, or updates existing ones to match the rules. */
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

/** Removes the default time zone when the document does not specify one. */
const withoutDefaultTimezone = (candidate: Candidate, contract: JsonObject): Candidate => {
  const { sla } = candidate.values;
  const said = contract['sla'];
  if (!isObject(sla) || (isObject(said) && said['timezone'] !== undefined)) return candidate;
  const { timezone: _default, ...own } = sla;
  return { ...candidate, values: { ...candidate.values, sla: own as JsonObject } };
};

const buildSourceRow = (
  written: VersionedDocument,
  { contract, annotations, objectName }: ImportedContract,
): JsonObject =>
  toSourceRow(
    {
      version: written.version,
      source: written.source,
      made: contract,
      ...(written.joined ? { joined: written.joined } : {}),
      ...(objectName === undefined ? {} : { objectName }),
    },
    annotations,
  );

/** Builds the candidate of the contract that a document describes, as a create body would. */
const buildCandidate = (
  { kind }: Writer,
  { subject }: ContractImportRequest,
  { contract }: ImportedContract,
  more: JsonObject,
): Candidate => {
  const body = { ...contract, entity: { id: subject.id, type: subject.kind.entityType }, ...more };
  return withoutDefaultTimezone(candidateFromBody(kind, body), contract);
};

/** Lists the faults of the members that a document produces, for a dry run. */
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

/** Turns already_exists into bad_request, since importing a document never reports a conflict. */
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
  const { subject } = request;
  const document = removeAddedServer(request.document, request.server, undefined);
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
    hookData: { source: buildSourceRow(document, imported) },
  });
};

/** POST: creates the contract that a document describes. Fails when the record already has a contract. */
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

/** Builds the quality expectations of a contract after the import of a document. */
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
  /** Throws when the found contract, or its absence, violates the precondition of the request. */
  readonly precondition: (record: Snapshot | undefined) => void;
};

type ContractUpdate = ImportPutOptions & { readonly known: Snapshot };

/** Builds the revision that a document makes of an existing contract. */
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
  // A soft-deleted contract was restored after the precondition was checked and has another version now.
  precondition: known.deleted ? () => undefined : precondition,
  viewFor,
});

/** Checks everything that could be refused only after other writes have been made. */
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
  await reviseRecord(engine, writer, { ...buildRevision(reading, change, []), dryRun: 'part' });
};

type JoinedImport = {
  readonly written: VersionedDocument;
  readonly kept: StoredSource | undefined;
  readonly reading: ParsedImport;
};

/**
 * Reads the document that results from joining a new document with the source, for the schema object that the new
 * document selects, or else the source did.
 */
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
  const { subject, server } = request;
  const { known, mode } = change;
  await checkUpdate(engine, writer, request, reading, change);
  if (known.deleted) await restoreRecord(engine, writer, known.id);
  // The source is read before the contract, so that the source's revision reveals a document imported in between.
  const kept = await findStoredSource(engine, known.id);
  const document = removeAddedServer(request.document, server, kept);
  const written = mode === 'merge' ? joinSources(kept, document) : document;
  const joined =
    written === document
      ? reading.imported
      : await readJoinedDocument(engine, writer, request, { written, kept, reading });
  const tests = await upsertTests(engine, writer, subject, reading.imported);
  const extraWrite = planSourceWrite(known.id, buildSourceRow(written, joined), kept?.revision ?? 0);
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

/** Whether a concurrent request created the record's first contract or imported another document. */
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
 * PUT: creates or updates the contract of a record; the mode decides what an existing contract keeps. Imports for one
 * record run in sequence, as each is merged into the result of the one before.
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
