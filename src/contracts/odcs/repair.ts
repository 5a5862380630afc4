import {
  isArray,
  isObject,
  type JsonObject,
  type MutableJsonObject,
  member,
  withMember,
  withoutMember,
} from '../../model/json.ts';
import { legalType } from './conform-type.ts';
import { legalRule } from './rules.ts';
import { isBareColumn } from './shape.ts';
import { mappedList, mappedObject, textOf } from './walk.ts';

/**
 * What is put right in a document of 3.1.0 even where nobody edited it: what the schema of 3.1.0 forbids and documents
 * are known to say all the same (odcs.md 5.1). Everything else comes back as it came.
 */

const VERSION = 'v3.1.0';
const ID = /^[A-Za-z0-9_-]+$/;

const rule = (written: JsonObject): JsonObject => {
  const legal = legalRule(written, VERSION);
  const id = member(legal, 'id');
  return id === undefined || (typeof id === 'string' && ID.test(id)) ? legal : withoutMember(legal, 'id');
};

/** Columns only stand inside objects; those of an array stand in its items. */
const withPlacedProperties = (property: JsonObject, type: string | undefined): JsonObject => {
  const children = member(property, 'properties');
  if (children === undefined || type === undefined || type === 'object') return property;
  const rest = withoutMember(property, 'properties');
  return type === 'array' && member(property, 'items') === undefined
    ? withMember(rest, 'items', { logicalType: 'object', properties: children })
    : rest;
};

const withoutForeignLength = (options: JsonObject): JsonObject => withoutMember(options, 'maxLength');

const property = (written: JsonObject): JsonObject => {
  const type = legalType(written, VERSION);
  const placed = withPlacedProperties(written, type);
  const measured =
    type === undefined || type === 'string' ? placed : mappedObject(placed, 'logicalTypeOptions', withoutForeignLength);
  return mappedObject(schemaObject(measured), 'items', item);
};

/** An item may hold columns whatever it is. */
const item = (written: JsonObject): JsonObject => mappedObject(schemaObject(written), 'items', item);

const schemaObject = (written: JsonObject): JsonObject =>
  mappedList(mappedList(written, 'quality', rule), 'properties', property);

const person = (written: JsonObject): JsonObject => {
  const name = textOf(written, 'name');
  return name === undefined || textOf(written, 'username') !== undefined
    ? written
    : withMember(written, 'username', name);
};

/** The document of 3.1.0 with what its schema forbids put right. */
export const repaired = (document: JsonObject): JsonObject => {
  const ruled = mappedList(document, 'schema', (object) =>
    isBareColumn(object) ? property(object) : schemaObject(object),
  );
  const team = member(ruled, 'team') ?? null;
  if (isArray(team)) return mappedList(ruled, 'team', person);
  if (!isObject(team)) return ruled;
  const result: MutableJsonObject = { ...ruled, team: mappedList(team, 'members', person) };
  return result;
};
