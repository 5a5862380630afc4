import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { type Candidate, candidateFromBody, candidateFromMember, createSchema } from '../catalog/resolve/candidate.ts';
import { parseRecordPointer, type RecordPointer } from '../catalog/resolve/record-pointers.ts';
import { resolveOwners, resolveRelation } from '../catalog/resolve/references.ts';
import { badRequest, CatalogError, type ErrorCode, recordNotFound } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { RelationAttribute } from '../model/kind/attribute.ts';
import type { Kind } from '../model/kind/kind.ts';
import { dropNulls, listViolations, validate } from '../model/validate.ts';
import { Ref } from '../model/values.ts';
import { CONTRACT, findConstraintFaults, findContractOf } from './hooks.ts';
import { findSubject, isContractable, validateSubjectSchema } from './subject.ts';
import { buildDryRunResult } from './validation/dry-run-result.ts';

/** Removes the square brackets that validation messages of request bodies have around them. */
export const stripBrackets = (text: string): string => text.replace(/^\[(.*)\]$/s, '$1');

const toDryRunJson = (...said: Parameters<typeof buildDryRunResult>): JsonObject =>
  buildDryRunResult(...said) as unknown as JsonObject;

/**
 * Builds the dry-run result of a contract against its record: column validation, where both have columns, and all
 * other faults.
 */
export const dryRunConstraints = (
  subject: Snapshot,
  columns: readonly JsonObject[],
  expectsTests: boolean,
): JsonObject => {
  const found = validateSubjectSchema(subject, columns);
  return toDryRunJson([], findConstraintFaults(subject, columns, expectsTests, found).map(stripBrackets), found);
};

/**
 * The input that could be parsed from a body, and the faults of its members as the create operation would report
 * them.
 */
type ParsedBody = { readonly input: ContractInput; readonly faults: readonly string[] };

type ContractInput = Pick<Candidate, 'owners' | 'relations' | 'values'>;

const REFUSAL_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['bad_request', 'not_found', 'forbidden']);

/** Runs work that may throw a refusal and returns its value or the message of the refusal. */
const catchRefusal = async <T>(
  work: () => T | Promise<T>,
): Promise<{ readonly done: T } | { readonly fault: string }> => {
  try {
    return { done: await work() };
  } catch (failure) {
    if (!(failure instanceof CatalogError) || !REFUSAL_CODES.has(failure.code)) throw failure;
    return { fault: failure.message };
  }
};

/** The members that are looked up or compared with the record, even when other members are invalid. */
const COMPARED_MEMBERS = ['owners', 'reviewers', 'qualityExpectations', 'schema'] as const;

const readComparedMembers = async (kind: Kind, body: JsonObject): Promise<ContractInput> => {
  const given = COMPARED_MEMBERS.filter((name) => body[name] !== undefined);
  const parts = await Promise.all(
    given.map((name) => catchRefusal(() => candidateFromMember(kind, name, body[name] ?? null))),
  );
  const read = parts.flatMap((part) => ('done' in part ? [part.done] : []));
  const { owners } = Object.assign({}, ...read) as Partial<Candidate>;
  return {
    ...(owners ? { owners } : {}),
    values: Object.assign({}, ...read.map(({ values }) => values)),
    relations: Object.assign({}, ...read.map(({ relations }) => relations)),
  };
};

const parseContractBody = async (kind: Kind, body: JsonObject): Promise<ParsedBody> => {
  const whole = await catchRefusal(() => candidateFromBody(kind, body));
  if ('done' in whole) return { input: whole.done, faults: [] };
  const said = await catchRefusal(() => kind.normaliseBody?.(body) ?? body);
  if ('fault' in said) return { input: await readComparedMembers(kind, body), faults: [said.fault] };
  const faults = listViolations(createSchema(kind), said.done);
  return { input: await readComparedMembers(kind, said.done), faults: faults.length > 0 ? faults : [whole.fault] };
};

/** Reports records that the caller may not see as missing, so that a guessed name reveals nothing. */
const checkPointer = async (
  engine: Engine,
  principal: Principal,
  attribute: RelationAttribute,
  pointer: RecordPointer,
): Promise<string | undefined> => {
  const found = await catchRefusal(() => resolveRelation(engine, attribute, [pointer]));
  if ('fault' in found) return found.fault;
  for (const { id, entityType } of found.done) {
    const seen = await catchRefusal(() =>
      authorizeRecord(engine, principal, ['ViewBasic'], { kind: requireKind(engine.registry, entityType), id }),
    );
    if ('fault' in seen) return recordNotFound(entityType, pointer.id ?? pointer.fqn ?? '').message;
  }
  return undefined;
};

/** The maximum number of references that are looked up per member. */
const MAX_POINTERS = 1000;

/** Lists the references in a body that do not exist or have the wrong type. */
const listUnresolvedReferences = async (
  engine: Engine,
  principal: Principal,
  kind: Kind,
  wish: ContractInput,
): Promise<readonly string[]> => {
  const ofRelations = Object.entries(wish.relations).flatMap(([name, pointers]) => {
    const attribute = kind.attributes[name];
    if (attribute?.store !== 'relation' || name === 'entity') return [];
    return pointers.slice(0, MAX_POINTERS).map((pointer) => checkPointer(engine, principal, attribute, pointer));
  });
  const owners = (wish.owners ?? []).slice(0, MAX_POINTERS);
  const alone = await Promise.all(owners.map((owner) => catchRefusal(() => resolveOwners(engine, [owner]))));
  const faults = alone.flatMap((one) => ('fault' in one ? [one.fault] : []));
  const together = faults.length === 0 ? await catchRefusal(() => resolveOwners(engine, owners)) : undefined;
  const all = [...faults, ...(together && 'fault' in together ? [together.fault] : [])];
  return [...new Set([...all, ...(await Promise.all(ofRelations)).filter((fault) => fault !== undefined)])];
};

/**
 * Checks that the record has no contract with another name: a record has one contract, and a body identifies it by
 * name.
 */
const checkOtherContract = async (
  engine: Engine,
  { id }: Snapshot,
  name: Json | undefined,
): Promise<readonly string[]> => {
  const known = await findContractOf(engine, id);
  return known && known.name !== name ? [`There is another ${CONTRACT} already`] : [];
};

/**
 * Lists every fault of a create body. Throws bad_request when the body is not an object, and not_found when the
 * record does not exist.
 */
export const dryRunContract = async (engine: Engine, principal: Principal, sent: unknown): Promise<JsonObject> => {
  if (!isObject(sent as Json)) throw badRequest('[body must be an object]');
  const body = dropNulls(sent as Json) as JsonObject;
  const kind = requireKind(engine.registry, CONTRACT);
  const { input, faults } = await parseContractBody(kind, body);
  const entityErrors = faults.map(stripBrackets);
  const { entity } = body;
  const pointer = isObject(entity)
    ? await catchRefusal(() => parseRecordPointer(validate(Ref, entity) as JsonObject))
    : undefined;
  if (!pointer || 'fault' in pointer) return toDryRunJson(entityErrors, []);
  const { type } = pointer.done;
  if (type !== undefined && !isContractable(engine.registry, type)) {
    return toDryRunJson(entityErrors, [`there are no contracts about a ${type}`]);
  }
  const subject = await findSubject(engine, pointer.done);
  await authorizeRecord(engine, principal, ['ViewBasic'], subject);
  const schema = (input.values['schema'] ?? []) as readonly JsonObject[];
  const expects = (input.relations['qualityExpectations'] ?? []).length > 0;
  const found = validateSubjectSchema(subject, schema);
  const [others, absent] = await Promise.all([
    checkOtherContract(engine, subject, body['name']),
    listUnresolvedReferences(engine, principal, kind, input),
  ]);
  const constraints = [...findConstraintFaults(subject, schema, expects, found), ...others, ...absent];
  return toDryRunJson(entityErrors, constraints.map(stripBrackets), found);
};
