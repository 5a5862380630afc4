import { randomUUID } from 'node:crypto';
import type { Candidate } from '../catalog/desire/candidate.ts';
import type { Engine, Steward } from '../catalog/engine.ts';
import { ORDER, step } from '../catalog/plan/step.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { badRequest, type CatalogError } from '../errors.ts';
import type { Write } from '../graph/commit.ts';
import { equalJson, type Json, type JsonObject } from '../model/json.ts';
import { forgetResults, keepSources } from './queries.ts';
import { findSubject, isShaped, schemaOf } from './subject.ts';
import { planSuite } from './suite.ts';
import { columnErrors } from './validation/draft.ts';
import type { SchemaValidation } from './validation/schema.ts';

export const CONTRACT = 'dataContract';

/** What comes into being with a contract: the document that it was read from. */
type Beginning = { readonly source?: JsonObject };

/** Every fault of what a contract promises of the columns of its subject, given how these were found, in sentences. */
const schemaFaults = (
  { kind: { entityType } }: Snapshot,
  columns: readonly JsonObject[],
  found: SchemaValidation | undefined,
): readonly string[] => {
  if (columns.length > 0 && !isShaped(entityType)) return [`[schema is not possible for a ${entityType}]`];
  return found ? columnErrors(found) : [];
};

/** What speaks against a contract about a record, beside what each member says by itself. */
export const constraintFaults = (
  subject: Snapshot,
  schema: readonly JsonObject[],
  expectsTests: boolean,
  found = schemaOf(subject, schema),
): readonly string[] => [
  ...schemaFaults(subject, schema, found),
  ...(expectsTests && subject.kind.entityType !== 'table'
    ? [`[qualityExpectations are not possible for a ${subject.kind.entityType}]`]
    : []),
];

/** All that speaks against a contract, as one failure; nothing when nothing does. */
export const objectionTo = (faults: readonly string[]): CatalogError | undefined =>
  faults.length > 0 ? badRequest(faults.join(' ')) : undefined;

/** The contract that a record has already, hidden ones included. */
export const contractOf = async (
  engine: Engine,
  entityId: string,
  fields: ReadonlySet<string> = NO_FIELDS,
): Promise<Snapshot | undefined> => {
  const kind = kindNamed(engine.registry, CONTRACT);
  const id = await engine.store.twin(kind.twin?.statement ?? '', entityId);
  return id === undefined ? undefined : engine.store.record(kind, { id }, fields);
};

/** Columns that the contract promised before are not judged again: the subject may have lost them meanwhile. */
const objectionOf = (
  subject: Snapshot,
  candidate: Candidate,
  known: Snapshot | undefined,
): (() => CatalogError | undefined) => {
  const schema = (candidate.values['schema'] ?? []) as readonly JsonObject[];
  const isKnown = known !== undefined && equalJson(known.values['schema'] ?? null, schema as unknown as Json);
  const expects = (candidate.relations['qualityExpectations'] ?? []).length > 0;
  return () => objectionTo(constraintFaults(subject, isKnown ? [] : schema, expects));
};

const complete: Steward['complete'] = async (engine, candidate) => {
  const [pointer] = candidate.relations['entity'] ?? [];
  if (!pointer) throw badRequest('[entity must not be null]');
  const subject = await findSubject(engine, pointer);
  const { id, fullyQualifiedName: fqn } = subject;
  const type = subject.kind.entityType;
  const known = await contractOf(engine, id);
  return {
    ...candidate,
    values: { ...candidate.values, entityId: id },
    relations: { ...candidate.relations, entity: [{ id, type }] },
    parents: { [type]: { type, fqn } },
    objection: objectionOf(subject, candidate, known),
  };
};

/** Another document took the place of the one that was looked at. */
export class SourceMoved extends Error {}

const sourceMoved = () => new SourceMoved('the document of the contract changed since it was read');

/**
 * The document that a contract was read from is kept beside it, as it came. One that was made with regard to the former
 * says the revision of that, which is 0 where there was none.
 */
export const sourceWrite = (id: string, source: JsonObject, seen: number | null): Write => ({
  keys: [],
  steps: [step(keepSources, ORDER.label, [{ id, seen, ...source }], sourceMoved)],
});

const begin: Steward['begin'] = async (engine, writer, record, { beginning = {} }) => {
  const { source } = beginning as Beginning;
  const suite = await planSuite(engine, writer, undefined, record);
  const steps = source ? sourceWrite(record.id, source, null).steps : [];
  return { keys: suite?.keys ?? [], steps: [...(suite?.steps ?? []), ...steps], related: suite?.related ?? {} };
};

/** What data contracts are when they are written, beside what every record is. */
export const contractSteward: Steward = {
  complete,
  begin,
  amend: async (_engine, _writer, record, { beginning = {} }) => {
    const { source } = beginning as Beginning;
    return source && sourceWrite(record.id, source, null);
  },
  follow: (engine, writer, { before, after }) => planSuite(engine, writer, before, after),
  rest: ({ id }) => [step(forgetResults, ORDER.unlink, [{ id, series: randomUUID() }])],
};
