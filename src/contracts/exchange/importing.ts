import { restoreRecord } from '../../catalog/below/remove.ts';
import { type Candidate, candidateFromBody } from '../../catalog/desire/candidate.ts';
import type { Engine, Written as Outcome, Writer } from '../../catalog/engine.ts';
import { permit } from '../../catalog/read/facts.ts';
import { writeFields } from '../../catalog/read/fields.ts';
import type { View } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { kindNamed } from '../../catalog/registry.ts';
import { checkCreation, createCandidate } from '../../catalog/write/create.ts';
import { putRecord, reviseRecord } from '../../catalog/write/write.ts';
import { badRequest, CatalogError } from '../../errors.ts';
import { formatEntityLink } from '../../model/entity-link.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { either } from '../../model/policy-values.ts';
import { type Imported, type ImportOptions, importDocument, namedIn } from '../odcs/import.ts';
import type { Issue } from '../odcs/issue.ts';
import { keptExpectations, type MergeMode, mergeContract } from '../odcs/merge.ts';
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

/** Tests that the rules of a document ask for are made, or made what the rules say now. */
const putTests = async (
  engine: Engine,
  writer: Writer,
  subject: Snapshot,
  { tests }: Imported,
): Promise<readonly JsonObject[]> => {
  const kind = kindNamed(engine.registry, 'testCase');
  const refs: JsonObject[] = [];
  for (const { column, parameterValues, ...test } of tests) {
    const place = { entityType: 'table', fqn: subject.fullyQualifiedName };
    const entityLink = formatEntityLink(column === undefined ? place : { ...place, field: 'columns', item: column });
    const body = { ...test, entityLink, parameterValues: parameterValues as unknown as Json };
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

/** A document never says that there is something already: what it describes is unwanted then. */
const unwanted = (failure: unknown): unknown =>
  failure instanceof CatalogError && failure.code === 'already_exists'
    ? badRequest(`There is another ${CONTRACT} already`)
    : failure;

const create = async (engine: Engine, writer: Writer, wish: Wish, { imported }: Reading): Promise<Outcome> => {
  const { subject, document } = wish;
  await checkCreation(engine, writer, candidateFor(writer, wish, imported, {}));
  refuseFaults(subject, imported.contract);
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

/** Whoever wants tests must be allowed to make them, before anything is written. */
const admit = async (engine: Engine, writer: Writer, { subject }: Wish, { imported }: Reading): Promise<void> => {
  if (imported.tests.length > 0) await permit(engine, writer.principal, MAY_TEST, subject);
};

/** POST: the contract that a document describes. A record that has one keeps it. */
export const createFromDocument = async (engine: Engine, writer: Writer, wish: Wish): Promise<Outcome> => {
  const reading = await readFor(engine, wish);
  try {
    await admit(engine, writer, wish, reading);
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

/** Members that a document decides; the others are the contract's own. */
const DECIDED = [
  'displayName',
  'description',
  'entityStatus',
  'schema',
  'sla',
  'security',
  'owners',
  'reviewers',
  'extension',
  'semantics',
  'termsOfUse',
  'effectiveFrom',
  'effectiveUntil',
  'sourceUrl',
  'odcsQualityRules',
  'odcsElementExtensions',
  'qualityExpectations',
];

type Update = {
  readonly known: Snapshot;
  readonly mode: MergeMode;
  readonly viewFor: (fields: ReadonlySet<string>) => View;
};

const update = async (
  engine: Engine,
  writer: Writer,
  wish: Wish,
  reading: Reading,
  { known, mode, viewFor }: Update,
): Promise<Outcome> => {
  const { subject, document, options } = wish;
  const kept = mode === 'merge' ? await findSource(engine, known.id) : undefined;
  const written = joinSources(kept, document);
  const { imported: whole } = written === document ? reading : await read(engine, written.document, subject, options);
  const source = sourceFor(written, whole);
  const tests = await putTests(engine, writer, subject, reading.imported);
  return reviseRecord(engine, writer, {
    address: { id: known.id },
    revise: (before) => {
      const own = Object.fromEntries(Object.entries(before).filter(([name]) => !DECIDED.includes(name)));
      const { name: _name, ...merged } = mergeContract(before, reading.imported, mode);
      const expected = expectationsOf(before, reading, mode, tests);
      return { ...own, ...merged, qualityExpectations: expected } as JsonObject;
    },
    touched: [],
    isJsonPatch: false,
    operations: ['EditAll'],
    precondition: () => undefined,
    viewFor,
    beside: sourceWrite(known.id, sourceRow(source)),
  });
};

/** PUT: the same for a record that may have a contract already, of which what the mode says is kept. */
export const putFromDocument = async (
  engine: Engine,
  writer: Writer,
  wish: Wish,
  { mode, viewFor }: Pick<Update, 'mode' | 'viewFor'>,
): Promise<Outcome> => {
  const reading = await readFor(engine, wish);
  const known = await contractOf(engine, wish.subject.id, writeFields(writer.kind));
  if (!known) {
    await admit(engine, writer, wish, reading);
    return create(engine, writer, wish, reading);
  }
  await permit(engine, writer.principal, ['EditAll'], known);
  await admit(engine, writer, wish, reading);
  refuseFaults(wish.subject, reading.imported.contract);
  if (known.deleted) await restoreRecord(engine, writer, known.id);
  return update(engine, writer, wish, reading, { known, mode, viewFor });
};
