import type { Principal } from '../access/principal.ts';
import {
  type Candidate,
  candidateFromBody,
  candidateFromMember,
  createSchema,
  type Pointer,
  pointerOf,
} from '../catalog/desire/candidate.ts';
import { resolveOwners, resolveRelation } from '../catalog/desire/resolve.ts';
import type { Engine } from '../catalog/engine.ts';
import { permit } from '../catalog/read/facts.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { badRequest, CatalogError, type ErrorCode, recordNotFound } from '../errors.ts';
import type { RelationAttribute } from '../model/attribute.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { check, dropNulls, faultsOf } from '../model/validate.ts';
import { Ref } from '../model/values.ts';
import { CONTRACT, constraintFaults, contractOf } from './steward.ts';
import { findSubject, isContractable, schemaOf } from './subject.ts';
import { contractValidation } from './validation/draft.ts';

/** A sentence of the body's check without its brackets. */
export const bare = (text: string): string => text.replace(/^\[(.*)\]$/s, '$1');

const answer = (...said: Parameters<typeof contractValidation>): JsonObject =>
  contractValidation(...said) as unknown as JsonObject;

/** What a trial says of a contract about a record: of its columns, where both have some, and of everything that is wrong. */
export const trialOf = (subject: Snapshot, columns: readonly JsonObject[], expectsTests: boolean): JsonObject => {
  const found = schemaOf(subject, columns);
  return answer([], constraintFaults(subject, columns, expectsTests, found).map(bare), found);
};

/** What a body wants, as far as it can be read, and every fault of its members in the words of the operation that creates. */
type BodyRead = { readonly wish: Wish; readonly faults: readonly string[] };

type Wish = Pick<Candidate, 'owners' | 'relations' | 'values'>;

const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['bad_request', 'not_found', 'forbidden']);

/** Runs something that may refuse; answers what came of it, or the sentence of the refusal. */
const tried = async <T>(work: () => T | Promise<T>): Promise<{ readonly done: T } | { readonly fault: string }> => {
  try {
    return { done: await work() };
  } catch (failure) {
    if (!(failure instanceof CatalogError) || !REFUSALS.has(failure.code)) throw failure;
    return { fault: failure.message };
  }
};

/** The members that are looked up, or compared with the record, whatever is wrong with the others. */
const COMPARED = ['owners', 'reviewers', 'qualityExpectations', 'schema'] as const;

const readPart = async (kind: Kind, body: JsonObject): Promise<Wish> => {
  const given = COMPARED.filter((name) => body[name] !== undefined);
  const parts = await Promise.all(
    given.map((name) => tried(() => candidateFromMember(kind, name, body[name] ?? null))),
  );
  const read = parts.flatMap((part) => ('done' in part ? [part.done] : []));
  const { owners } = Object.assign({}, ...read) as Partial<Candidate>;
  return {
    ...(owners ? { owners } : {}),
    values: Object.assign({}, ...read.map(({ values }) => values)),
    relations: Object.assign({}, ...read.map(({ relations }) => relations)),
  };
};

const readBody = async (kind: Kind, body: JsonObject): Promise<BodyRead> => {
  const whole = await tried(() => candidateFromBody(kind, body));
  if ('done' in whole) return { wish: whole.done, faults: [] };
  const said = await tried(() => kind.readBody?.(body) ?? body);
  if ('fault' in said) return { wish: await readPart(kind, body), faults: [said.fault] };
  const faults = faultsOf(createSchema(kind), said.done);
  return { wish: await readPart(kind, said.done), faults: faults.length > 0 ? faults : [whole.fault] };
};

/** What is out of sight is told to be missing, as a name that is tried out shall tell nothing. */
const missing = async (
  engine: Engine,
  principal: Principal,
  attribute: RelationAttribute,
  pointer: Pointer,
): Promise<string | undefined> => {
  const found = await tried(() => resolveRelation(engine, attribute, [pointer]));
  if ('fault' in found) return found.fault;
  for (const { id, entityType } of found.done) {
    const seen = await tried(() =>
      permit(engine, principal, ['ViewBasic'], { kind: kindNamed(engine.registry, entityType), id }),
    );
    if ('fault' in seen) return recordNotFound(entityType, pointer.id ?? pointer.fqn ?? '').message;
  }
  return undefined;
};

/** So many of the records that a member names are looked up. */
const MOST_NAMED = 1000;

/** Everything that a body names and that is not there, or may not be what it is named as. */
const unresolved = async (engine: Engine, principal: Principal, kind: Kind, wish: Wish): Promise<readonly string[]> => {
  const ofRelations = Object.entries(wish.relations).flatMap(([name, pointers]) => {
    const attribute = kind.attributes[name];
    if (attribute?.store !== 'relation' || name === 'entity') return [];
    return pointers.slice(0, MOST_NAMED).map((pointer) => missing(engine, principal, attribute, pointer));
  });
  const owners = (wish.owners ?? []).slice(0, MOST_NAMED);
  const alone = await Promise.all(owners.map((owner) => tried(() => resolveOwners(engine, [owner]))));
  const faults = alone.flatMap((one) => ('fault' in one ? [one.fault] : []));
  const together = faults.length === 0 ? await tried(() => resolveOwners(engine, owners)) : undefined;
  const all = [...faults, ...(together && 'fault' in together ? [together.fault] : [])];
  return [...new Set([...all, ...(await Promise.all(ofRelations)).filter((fault) => fault !== undefined)])];
};

/** A record has one contract, which a body means by its name. */
const another = async (engine: Engine, { id }: Snapshot, name: Json | undefined): Promise<readonly string[]> => {
  const known = await contractOf(engine, id);
  return known && known.name !== name ? [`There is another ${CONTRACT} already`] : [];
};

/**
 * Says everything that speaks against a create body. Throws bad_request for what is no body at all, and not_found where
 * the record is not there.
 */
export const dryRun = async (engine: Engine, principal: Principal, sent: unknown): Promise<JsonObject> => {
  if (!isObject(sent as Json)) throw badRequest('[body must be an object]');
  const body = dropNulls(sent as Json) as JsonObject;
  const kind = kindNamed(engine.registry, CONTRACT);
  const { wish, faults } = await readBody(kind, body);
  const entityErrors = faults.map(bare);
  const { entity } = body;
  const pointer = isObject(entity) ? await tried(() => pointerOf(check(Ref, entity) as JsonObject)) : undefined;
  if (!pointer || 'fault' in pointer) return answer(entityErrors, []);
  const { type } = pointer.done;
  if (type !== undefined && !isContractable(type)) {
    return answer(entityErrors, [`there are no contracts about a ${type}`]);
  }
  const subject = await findSubject(engine, pointer.done);
  await permit(engine, principal, ['ViewBasic'], subject);
  const schema = (wish.values['schema'] ?? []) as readonly JsonObject[];
  const expects = (wish.relations['qualityExpectations'] ?? []).length > 0;
  const found = schemaOf(subject, schema);
  const [others, absent] = await Promise.all([
    another(engine, subject, body['name']),
    unresolved(engine, principal, kind, wish),
  ]);
  const constraints = [...constraintFaults(subject, schema, expects, found), ...others, ...absent];
  return answer(entityErrors, constraints.map(bare), found);
};
