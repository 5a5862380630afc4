import type { Engine } from '../catalog/engine.ts';
import { idAddress, requiredJson, viewFor, writeAnswer } from '../catalog/read/answer.ts';
import * as schema from '../catalog/routes/schemas.ts';
import { reviseRecord } from '../catalog/write/write.ts';
import { recordNotFound } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { CustomProperty } from '../model/custom-property.ts';
import { type Json, type JsonObject, withMember } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { isUuid } from '../model/uuid.ts';
import { check, dropNulls } from '../model/validate.ts';

const MEMBER = 'customProperties';

const withProperty = (document: JsonObject, property: JsonObject): JsonObject => {
  const present = (document[MEMBER] ?? []) as readonly JsonObject[];
  const known = present.some((other) => other['name'] === property['name']);
  const properties = known
    ? present.map((other) => (other['name'] === property['name'] ? property : other))
    : [...present, property];
  return withMember(document, MEMBER, properties);
};

const putProperty =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const property = check(CustomProperty, dropNulls((await requiredJson(call)) as Json)) as JsonObject;
    const address = idAddress(call);
    if (!isUuid(address.id)) throw recordNotFound(kind.entityType, address.id);
    const written = await reviseRecord(
      engine,
      { kind, principal: call.principal, spend: call.spend },
      {
        address,
        revise: (document) => withProperty(document, property),
        touched: [MEMBER],
        isJsonPatch: false,
        operations: ['EditAll'],
        precondition: () => {},
        viewFor: (fields) => viewFor(engine, call, fields),
      },
    );
    return writeAnswer(engine, call, written);
  };

/** The operation that adds one custom property to the kind a type describes, or changes it. */
export const typeRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds
    .filter((kind) => kind.describesKinds)
    .map((kind) => ({
      method: 'PUT',
      path: `/v1/${kind.path}/{id}`,
      summary: 'Add or change a custom property',
      tag: kind.title,
      access: { operation: 'EditAll', resource: kind.entityType },
      body: { schema: CustomProperty, mediaTypes: ['application/json'] },
      responses: { 200: schema.record(kind) },
      handle: putProperty(engine, kind),
    }));
