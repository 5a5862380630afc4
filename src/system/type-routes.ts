import type { Engine } from '../catalog/engine.ts';
import { buildWriteAnswer, createView, idAddress, readRequiredJson } from '../catalog/read/answer.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { reviseRecord } from '../catalog/write/update.ts';
import { recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { type Json, type JsonObject, withMember } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { CustomProperty } from '../model/schemas/types/custom-property.ts';
import { isUuid } from '../model/uuid.ts';
import { dropNulls, validate } from '../model/validate.ts';

const PROPERTIES_MEMBER = 'customProperties';

const upsertProperty = (document: JsonObject, property: JsonObject): JsonObject => {
  const present = (document[PROPERTIES_MEMBER] ?? []) as readonly JsonObject[];
  const known = present.some((other) => other['name'] === property['name']);
  const properties = known
    ? present.map((other) => (other['name'] === property['name'] ? property : other))
    : [...present, property];
  return withMember(document, PROPERTIES_MEMBER, properties);
};

const putCustomProperty =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const property = validate(CustomProperty, dropNulls((await readRequiredJson(call)) as Json)) as JsonObject;
    const address = idAddress(call);
    if (!isUuid(address.id)) throw recordNotFound(kind.entityType, address.id);
    const written = await reviseRecord(
      engine,
      { kind, principal: call.principal, countWork: call.countWork },
      {
        address,
        revise: (document) => upsertProperty(document, property),
        touched: [PROPERTIES_MEMBER],
        isJsonPatch: false,
        operations: ['EditAll'],
        precondition: () => {},
        viewFor: (fields) => createView(engine, call, fields),
      },
    );
    return buildWriteAnswer(engine, call, written);
  };

/** The operation that adds one custom property to the kind a type describes, or changes it. */
export const typeRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds
    .filter((kind) => kind.describesKinds)
    .map((kind) => ({
      method: 'PUT',
      path: `/v1/${kind.path}/{id}`,
      summary: 'Create or update a custom property',
      tag: kind.title,
      access: { operation: 'EditAll', resource: kind.entityType },
      body: { schema: CustomProperty, mediaTypes: ['application/json'] },
      responses: { 200: schema.recordSchema(kind) },
      handle: putCustomProperty(engine, kind),
    }));
