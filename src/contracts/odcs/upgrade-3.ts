import { type JsonObject, member, withMember, withoutMember } from '../../model/json.ts';
import { withOwnBounds } from './bounds.ts';
import { withUnparkedObject, withUnparkedRoot } from './parking.ts';
import { readRule } from './rules.ts';
import { isBareColumn } from './shape.ts';
import type { OdcsVersion } from './version.ts';
import { mapped, mappedList, mappedObject, textOf } from './walk.ts';

/** Documents of 3.0.x in the shape of 3.1.0. They are met with members of 3.1.0 in them, which stay. */

/** Letters of an hour in a format: such a date is a moment. */
const HOUR = /[Hhk]|%H|%I|ss/;

const withMoment = (property: JsonObject): JsonObject => {
  const options = member(property, 'logicalTypeOptions');
  const format = typeof options === 'object' && options !== null ? textOf(options as JsonObject, 'format') : undefined;
  const isDate = textOf(property, 'logicalType')?.toLowerCase() === 'date';
  return isDate && format !== undefined && HOUR.test(format)
    ? withMember(property, 'logicalType', 'timestamp')
    : property;
};

const property = (written: JsonObject, isOld: boolean): JsonObject => {
  const inner = (child: JsonObject) => property(child, isOld);
  const bounded = isOld ? withMoment(mappedObject(written, 'logicalTypeOptions', withOwnBounds)) : written;
  return mappedObject(mappedList(mappedList(bounded, 'quality', readRule), 'properties', inner), 'items', inner);
};

const schemaObject = (written: JsonObject, isOld: boolean): JsonObject =>
  isBareColumn(written)
    ? property(written, isOld)
    : withUnparkedObject(
        mappedList(mappedList(written, 'quality', readRule), 'properties', (child) => property(child, isOld)),
      );

const server = (written: JsonObject): JsonObject => {
  const type = textOf(written, 'type');
  if (type === 'athena') {
    const directory = member(written, 'staging_dir');
    return directory === undefined || member(written, 'stagingDir') !== undefined
      ? written
      : withMember(withoutMember(written, 'staging_dir'), 'stagingDir', directory);
  }
  return type === 'duckdb'
    ? mapped(written, 'schema', (value) => (typeof value === 'number' ? String(value) : value))
    : written;
};

/** A document of 3.x, straightened already, in the shape of 3.1.0. */
export const upgraded3 = (document: JsonObject, version: OdcsVersion): JsonObject => {
  const isOld = version !== 'v3.1.0';
  const read = mappedList(
    mappedList(mappedList(document, 'servers', server), 'schema', (child) => schemaObject(child, isOld)),
    'quality',
    readRule,
  );
  return withMember(isOld ? withUnparkedRoot(read) : read, 'apiVersion', 'v3.1.0');
};
