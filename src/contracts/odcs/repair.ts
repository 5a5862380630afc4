import {
  isArray,
  isObject,
  type JsonObject,
  type MutableJsonObject,
  member,
  withMember,
  withoutMember,
} from '../../model/json.ts';
import { toLegalType } from './conform-type.ts';
import { toLegalRule } from './rules.ts';
import { isBareColumn } from './shape.ts';
import { mapListMember, mapObjectMember, textMember } from './walk.ts';

/**
 * Repairs known violations of the 3.1.0 schema in documents of 3.1.0, even where nothing was edited (odcs.md 5.1).
 * Everything else stays unchanged.
 */

const VERSION = 'v3.1.0';
const ID = /^[A-Za-z0-9_-]+$/;

const repairRule = (written: JsonObject): JsonObject => {
  const legal = toLegalRule(written, VERSION);
  const id = member(legal, 'id');
  return id === undefined || (typeof id === 'string' && ID.test(id)) ? legal : withoutMember(legal, 'id');
};

/** Moves nested columns to where 3.1.0 allows them: into objects, or into the items of an array. */
const moveProperties = (property: JsonObject, type: string | undefined): JsonObject => {
  const children = member(property, 'properties');
  if (children === undefined || type === undefined || type === 'object') return property;
  const rest = withoutMember(property, 'properties');
  return type === 'array' && member(property, 'items') === undefined
    ? withMember(rest, 'items', { logicalType: 'object', properties: children })
    : rest;
};

const removeMaxLength = (options: JsonObject): JsonObject => withoutMember(options, 'maxLength');

const repairProperty = (written: JsonObject): JsonObject => {
  const type = toLegalType(written, VERSION);
  const placed = moveProperties(written, type);
  const measured =
    type === undefined || type === 'string' ? placed : mapObjectMember(placed, 'logicalTypeOptions', removeMaxLength);
  return mapObjectMember(repairSchemaObject(measured), 'items', repairItem);
};

/** Repairs an item, which may contain columns whatever its type is. */
const repairItem = (written: JsonObject): JsonObject =>
  mapObjectMember(repairSchemaObject(written), 'items', repairItem);

const repairSchemaObject = (written: JsonObject): JsonObject =>
  mapListMember(mapListMember(written, 'quality', repairRule), 'properties', repairProperty);

const repairPerson = (written: JsonObject): JsonObject => {
  const name = textMember(written, 'name');
  return name === undefined || textMember(written, 'username') !== undefined
    ? written
    : withMember(written, 'username', name);
};

/** Repairs a document of 3.1.0. */
export const repairDocument = (document: JsonObject): JsonObject => {
  const ruled = mapListMember(document, 'schema', (object) =>
    isBareColumn(object) ? repairProperty(object) : repairSchemaObject(object),
  );
  const team = member(ruled, 'team') ?? null;
  if (isArray(team)) return mapListMember(ruled, 'team', repairPerson);
  if (!isObject(team)) return ruled;
  const result: MutableJsonObject = { ...ruled, team: mapListMember(team, 'members', repairPerson) };
  return result;
};
