import type { JsonObject } from '../../model/json.ts';
import { jsonObjects, jsonTexts, nonBlankText } from '../../model/json-parts.ts';
import type { ColumnChange } from './column-changes.ts';

/** Compares and judges what contracts say of columns besides the schema: allowed values, and types within types. */

const allowedValuesOf = (column: JsonObject | undefined): readonly string[] => jsonTexts(column?.['enum']);

const typeOf = (column: JsonObject | undefined): string | undefined => nonBlankText(column?.['type']);

const columnsOf = (annotations: JsonObject): ReadonlyMap<string, JsonObject> =>
  new Map(jsonObjects(annotations['columns']).map((column) => [String(column['column']).toLowerCase(), column]));

/** Finds what annotations say of a column, in any letter case. */
export const findAnnotatedColumn = (annotations: JsonObject): ((path: string) => JsonObject | undefined) => {
  const columns = columnsOf(annotations);
  return (path) => columns.get(path.toLowerCase());
};

/** A list of values as the text of a change; undefined when any value is allowed. */
const toValuesText = (values: readonly string[]): string | undefined =>
  values.length === 0 ? undefined : JSON.stringify(values);

const hasSameValues = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value) => other.includes(value));

const toChange = (
  column: string,
  change: ColumnChange['change'],
  before: string | undefined,
  after: string | undefined,
): ColumnChange => ({
  column,
  change,
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});

/**
 * Compares what a contract says of columns with what a proposed document says. Columns that are dropped or get a plain
 * type are changes of the schema, which are found elsewhere.
 */
export const diffAnnotations = (
  before: JsonObject,
  after: JsonObject,
  proposed: ReadonlySet<string>,
): readonly ColumnChange[] => {
  const [known, declared] = [columnsOf(before), columnsOf(after)];
  return [...new Set([...known.keys(), ...declared.keys()])]
    .filter((key) => proposed.has(key))
    .flatMap((key) => {
      const [was, is] = [known.get(key), declared.get(key)];
      const column = String((is ?? was)?.['column']);
      const [oldValues, newValues] = [allowedValuesOf(was), allowedValuesOf(is)];
      const [oldType, newType] = [typeOf(was), typeOf(is)];
      const isRetyped = oldType !== undefined && newType !== undefined && oldType !== newType;
      return [
        ...(isRetyped ? [toChange(column, 'retyped', oldType, newType)] : []),
        ...(hasSameValues(oldValues, newValues)
          ? []
          : [toChange(column, 'enum', toValuesText(oldValues), toValuesText(newValues))]),
      ];
    });
};

/** A reason names this many values. */
const MAX_VALUES = 10;

const listValues = (values: readonly string[]): string =>
  `${values.slice(0, MAX_VALUES).join(', ')}${values.length > MAX_VALUES ? ' and others' : ''}`;

/**
 * Why a change breaks what a contract says of a column, or undefined. Readers rely on the values that may occur, so more
 * of them break the contract and fewer do not.
 */
export const findBrokenAnnotation = (
  promised: JsonObject | undefined,
  { column, change, before, after }: ColumnChange,
): string | undefined => {
  const type = typeOf(promised);
  if (change === 'retyped' && type !== undefined && before === type)
    return `column ${column} changes from ${type} to ${after}`;
  const values = allowedValuesOf(promised);
  if (change !== 'enum' || values.length === 0) return undefined;
  if (after === undefined) return `column ${column} may have any value and the contract allows ${listValues(values)}`;
  const added = (JSON.parse(after) as readonly string[]).filter((value) => !values.includes(value));
  return added.length === 0
    ? undefined
    : `column ${column} may be ${listValues(added)} and the contract allows ${listValues(values)}`;
};
