import { type JsonObject, member, withMember, withoutMember } from '../../model/json.ts';
import { toExclusiveBounds } from './bounds.ts';
import { restoreObjectMembers, restoreRootMembers } from './parking.ts';
import { upgradeRule3 } from './rules.ts';
import { isBareColumn } from './shape.ts';
import type { OdcsVersion } from './version.ts';
import { mapListMember, mapMember, mapObjectMember, textMember } from './walk.ts';

/** Converts documents of 3.0.x to the shape of 3.1.0. Members of 3.1.0 that they already contain are kept. */

/** Hour letters of a date format: a date with such a format is a timestamp. */
const HOUR = /[Hhk]|%H|%I|ss/;

const dateToTimestamp = (property: JsonObject): JsonObject => {
  const options = member(property, 'logicalTypeOptions');
  const format =
    typeof options === 'object' && options !== null ? textMember(options as JsonObject, 'format') : undefined;
  const isDate = textMember(property, 'logicalType')?.toLowerCase() === 'date';
  return isDate && format !== undefined && HOUR.test(format)
    ? withMember(property, 'logicalType', 'timestamp')
    : property;
};

const upgradeProperty = (written: JsonObject, isOld: boolean): JsonObject => {
  const inner = (child: JsonObject) => upgradeProperty(child, isOld);
  const bounded = isOld ? dateToTimestamp(mapObjectMember(written, 'logicalTypeOptions', toExclusiveBounds)) : written;
  return mapObjectMember(
    mapListMember(mapListMember(bounded, 'quality', upgradeRule3), 'properties', inner),
    'items',
    inner,
  );
};

const upgradeSchemaObject = (written: JsonObject, isOld: boolean): JsonObject =>
  isBareColumn(written)
    ? upgradeProperty(written, isOld)
    : restoreObjectMembers(
        mapListMember(mapListMember(written, 'quality', upgradeRule3), 'properties', (child) =>
          upgradeProperty(child, isOld),
        ),
      );

const upgradeServer = (written: JsonObject): JsonObject => {
  const type = textMember(written, 'type');
  if (type === 'athena') {
    const directory = member(written, 'staging_dir');
    return directory === undefined || member(written, 'stagingDir') !== undefined
      ? written
      : withMember(withoutMember(written, 'staging_dir'), 'stagingDir', directory);
  }
  return type === 'duckdb'
    ? mapMember(written, 'schema', (value) => (typeof value === 'number' ? String(value) : value))
    : written;
};

/** Converts a normalized document of 3.x to the shape of 3.1.0. */
export const upgradeFrom3 = (document: JsonObject, version: OdcsVersion): JsonObject => {
  const isOld = version !== 'v3.1.0';
  const read = mapListMember(
    mapListMember(mapListMember(document, 'servers', upgradeServer), 'schema', (child) =>
      upgradeSchemaObject(child, isOld),
    ),
    'quality',
    upgradeRule3,
  );
  return withMember(isOld ? restoreRootMembers(read) : read, 'apiVersion', 'v3.1.0');
};
