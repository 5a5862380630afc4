import { isArray, isObject, type Json, type JsonObject, member, withMember, withoutMember } from '../../model/json.ts';
import { isBareColumn } from './shape.ts';
import { jsonObjects, textMember } from './walk.ts';

/**
 * Puts what stands where no version has it to where every version has it: columns that stand in the schema without an
 * object, and rules at the root.
 */

/** Columns without an object get one, named like the contract. */
const wrapBareColumns = (document: JsonObject): JsonObject => {
  const schema = jsonObjects(member(document, 'schema'));
  if (!schema.some(isBareColumn) || schema.some((object) => !isBareColumn(object))) return document;
  const name = ['name', 'dataProduct', 'id']
    .map((other) => textMember(document, other))
    .find((text) => text !== undefined);
  return withMember(document, 'schema', [{ name: name ?? 'schema', logicalType: 'object', properties: schema }]);
};

/** Rules at the root are about the object, and of several the first. */
const moveRootRules = (document: JsonObject): JsonObject => {
  const rules = member(document, 'quality') ?? null;
  const schema = member(document, 'schema') ?? null;
  if (!isArray(rules) || !isArray(schema)) return document;
  const [first, ...others] = schema;
  if (first === undefined || !isObject(first)) return document;
  const own: Json = member(first, 'quality') ?? [];
  const object = withMember(first, 'quality', [...rules, ...(isArray(own) ? own : [])]);
  return withMember(withoutMember(document, 'quality'), 'schema', [object, ...others]);
};

/** The document with everything in a place that the standard has. */
export const relocateMembers = (document: JsonObject): JsonObject => moveRootRules(wrapBareColumns(document));
