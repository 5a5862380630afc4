import type { Principal } from '../access/principal.ts';
import { candidateFromBody, pointerOf } from '../catalog/desire/candidate.ts';
import type { Engine } from '../catalog/engine.ts';
import { permit } from '../catalog/read/facts.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { badRequest, CatalogError } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { dropNulls } from '../model/validate.ts';
import { CONTRACT, constraintFaults } from './steward.ts';
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

/**
 * Says what speaks against a create body. Throws bad_request for what is no body at all, and not_found where the record
 * is not there.
 */
export const dryRun = async (engine: Engine, principal: Principal, body: unknown): Promise<JsonObject> => {
  if (!isObject(body as Json)) throw badRequest('[body must be an object]');
  const { entity } = body as JsonObject;
  const kind = kindNamed(engine.registry, CONTRACT);
  const entityErrors: string[] = [];
  let schema: readonly JsonObject[] = [];
  let expects = false;
  try {
    const { values, relations } = candidateFromBody(kind, body);
    schema = (values['schema'] ?? []) as readonly JsonObject[];
    expects = (relations['qualityExpectations'] ?? []).length > 0;
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    entityErrors.push(bare(failure.message));
  }
  if (entityErrors.length > 0 || !isObject(entity)) return answer(entityErrors, []);
  const pointer = pointerOf(dropNulls(entity) as JsonObject);
  if (pointer.type !== undefined && !isContractable(pointer.type)) {
    return answer([], [`there are no contracts about a ${pointer.type}`]);
  }
  const subject = await findSubject(engine, pointer);
  await permit(engine, principal, ['ViewBasic'], subject);
  return trialOf(subject, schema, expects);
};
