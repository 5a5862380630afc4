import { isArray, isObject, type Json, type JsonObject, member, withMember, withoutMember } from '../../model/json.ts';
import { isBareColumn } from './shape.ts';
import { jsonObjects, textMember } from './walk.ts';

/**
 * Moves members from places that no version defines to those that the standard defines: bare columns in the schema,
 * and rules at the root.
 */

/** Wraps columns without an object in one that is named like the contract. */
const wrapBareColumns = (document: JsonObject): JsonObject => {
  const schema = jsonObjects(member(document, 'schema'));
  if (!schema.some(isBareColumn) || schema.some((object) => !isBareColumn(object))) return document;
  const name = ['name', 'dataProduct', 'id']
    .map((other) => textMember(document, other))
    .find((text) => text !== undefined);
  return withMember(document, 'schema', [{ name: name ?? 'schema', logicalType: 'object', properties: schema }]);
};

/** Moves rules at the root to the object, or to the first of several. */
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

/** Moves all misplaced members of a document. */
export const relocateMembers = (document: JsonObject): JsonObject => moveRootRules(wrapBareColumns(document));
