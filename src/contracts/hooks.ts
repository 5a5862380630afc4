import { randomUUID } from 'node:crypto';
import type { Engine, KindHooks } from '../catalog/engine.ts';
import { createStep, STEP_ORDER } from '../catalog/plan/step.ts';
import { markRecordsChanged } from '../catalog/queries.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import type { Candidate } from '../catalog/resolve/candidate.ts';
import { badRequest, type CatalogError } from '../errors.ts';
import type { WriteRequest } from '../graph/group-commit.ts';
import { equalJson, type Json, type JsonObject } from '../model/json.ts';
import { detachResults, upsertSources } from './queries.ts';
import { findSubject, hasContractSchema, validateSubjectSchema } from './subject.ts';
import { planContractSuite, planOrphanedSuites } from './suite.ts';
import { describeColumnErrors } from './validation/dry-run-result.ts';
import type { SchemaValidation } from './validation/schema.ts';

export const CONTRACT = 'dataContract';

/** Hook data of a contract that is created from a document: the source document to store with it. */
type ContractCreation = { readonly source?: JsonObject };

/** Builds the messages for columns that the contract promises and its record does not match. */
const findSchemaFaults = (
  { kind }: Snapshot,
  columns: readonly JsonObject[],
  found: SchemaValidation | undefined,
): readonly string[] => {
  if (columns.length > 0 && !hasContractSchema(kind)) return [`[schema is not possible for a ${kind.entityType}]`];
  return found ? describeColumnErrors(found) : [];
};

/** Lists the faults of a contract that depend on its record. The faults of single members are reported elsewhere. */
export const findConstraintFaults = (
  subject: Snapshot,
  schema: readonly JsonObject[],
  expectsTests: boolean,
  found = validateSubjectSchema(subject, schema),
): readonly string[] => [
  ...findSchemaFaults(subject, schema, found),
  ...(expectsTests && subject.kind.entityType !== 'table'
    ? [`[qualityExpectations are not possible for a ${subject.kind.entityType}]`]
    : []),
];

/** Combines faults into one bad_request error, or undefined when there are none. */
export const faultsToError = (faults: readonly string[]): CatalogError | undefined =>
  faults.length > 0 ? badRequest(faults.join(' ')) : undefined;

/** Finds the contract of a record, including a soft-deleted one. */
export const findContractOf = async (
  engine: Engine,
  entityId: string,
  fields: ReadonlySet<string> = NO_FIELDS,
): Promise<Snapshot | undefined> => {
  const kind = requireKind(engine.registry, CONTRACT);
  const id = await engine.store.findByNaturalKey(kind.naturalKey?.statement ?? '', entityId);
  return id === undefined ? undefined : engine.store.record(kind, { id }, fields);
};

/**
 * Checks only columns that the contract did not promise before, since the record may have lost the others in the
 * meantime.
 */
const createConstraintCheck = (
  subject: Snapshot,
  candidate: Candidate,
  known: Snapshot | undefined,
): (() => CatalogError | undefined) => {
  const schema = (candidate.values['schema'] ?? []) as readonly JsonObject[];
  const isKnown = known !== undefined && equalJson(known.values['schema'] ?? null, schema as unknown as Json);
  const expects = (candidate.relations['qualityExpectations'] ?? []).length > 0;
  return () => faultsToError(findConstraintFaults(subject, isKnown ? [] : schema, expects));
};

const complete: KindHooks['beforeWrite'] = async (engine, candidate) => {
  const [pointer] = candidate.relations['entity'] ?? [];
  if (!pointer) throw badRequest('[entity must not be null]');
  const subject = await findSubject(engine, pointer);
  const { id, fullyQualifiedName: fqn } = subject;
  const type = subject.kind.entityType;
  const known = await findContractOf(engine, id);
  return {
    ...candidate,
    values: { ...candidate.values, entityId: id },
    relations: { ...candidate.relations, entity: [{ id, type }] },
    parents: { [type]: { type, fqn } },
    objection: createConstraintCheck(subject, candidate, known),
  };
};

/** Thrown when another document has replaced the source document since it was read. */
export class SourceChangedError extends Error {}

const createSourceChangedError = () => new SourceChangedError('the document of the contract changed since it was read');

/**
 * Stores the document that a contract was read from, unchanged. `seen` is the revision of the source it is based on,
 * 0 where there was none; another stored revision causes a SourceChangedError.
 */
export const planSourceWrite = (id: string, source: JsonObject, seen: number | null): WriteRequest => ({
  keys: [],
  steps: [
    createStep(upsertSources, STEP_ORDER.label, [{ id, seen, ...source }], createSourceChangedError),
    createStep(markRecordsChanged, STEP_ORDER.publish, [{ entityId: id, entityType: CONTRACT }]),
  ],
});

const begin: KindHooks['onCreate'] = async (engine, writer, record, { hookData = {} }) => {
  const { source } = hookData as ContractCreation;
  const suite = await planContractSuite(engine, writer, undefined, record);
  const steps = source ? planSourceWrite(record.id, source, null).steps : [];
  return { keys: suite?.keys ?? [], steps: [...(suite?.steps ?? []), ...steps], related: suite?.related ?? {} };
};

/** Write hooks of data contracts. */
export const contractHooks: KindHooks = {
  beforeWrite: complete,
  onCreate: begin,
  onReplace: async (_engine, _writer, record, { hookData = {} }) => {
    const { source } = hookData as ContractCreation;
    return source && planSourceWrite(record.id, source, null);
  },
  onUpdate: (engine, writer, { before, after }) => planContractSuite(engine, writer, before, after),
  onSoftDelete: ({ id }) => [createStep(detachResults, STEP_ORDER.unlink, [{ id, series: randomUUID() }])],
};

/** Write hooks of test cases for the contracts that expect them. */
export const expectedTestHooks: Pick<KindHooks, 'onHardDelete'> = { onHardDelete: planOrphanedSuites };
