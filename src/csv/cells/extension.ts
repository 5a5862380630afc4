import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import type { CustomPropertyDefinition } from '../../model/schemas/types/custom-property.ts';
import { CellError } from './cell-error.ts';
import { INNER_ITEM_STYLE, type ItemStyle, readItems, splitParts, writeItem, writeItems } from './item-list.ts';

/** Custom properties in cells (csv.md 4): pairs of name and value, each value written in the format of its type. */

/** Definitions of custom properties by name. */
export type CustomProperties = ReadonlyMap<string, CustomPropertyDefinition>;

type PropertyConfigOnly = Pick<CustomPropertyDefinition, 'config'>;

/** Reads and writes the values of one property type. */
type ValueCodec = {
  readonly write: (value: Json, property: PropertyConfigOnly) => string;
  readonly read: (text: string, property: PropertyConfigOnly) => Json;
};

const textCodec: ValueCodec = {
  write: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  read: (text) => text,
};

const NUMBER_PATTERN = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const numberCodec: ValueCodec = {
  write: (value) => String(value),
  read: (text) => {
    if (!NUMBER_PATTERN.test(text.trim())) throw new CellError(`${text} is not a number`);
    return Number(text);
  },
};

const readInteger = (text: string): number => {
  if (!/^-?\d+$/.test(text.trim())) throw new CellError(`${text} is not a whole number`);
  return Number(text);
};

const integerCodec: ValueCodec = { write: (value) => String(value), read: readInteger };

const enumCodec: ValueCodec = {
  write: (value) => writeItems((isArray(value) ? value : [value]).map(String), INNER_ITEM_STYLE),
  read: (text, { config }) => {
    const values = readItems(text, INNER_ITEM_STYLE);
    const isMany = isObject(config) && member(config, 'multiSelect') === true;
    return isMany || values.length !== 1 ? values : (values[0] ?? '');
  },
};

const writeReference = (value: Json): string => {
  if (!isObject(value)) return JSON.stringify(value);
  const fqn = member(value, 'fullyQualifiedName') ?? member(value, 'id') ?? '';
  return `${String(member(value, 'type') ?? '')}:${String(fqn)}`;
};

const readReference = (text: string): Json => {
  const colon = text.indexOf(':');
  const [type, fqn] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  if (colon < 1 || fqn === '') throw new CellError(`a reference must be written as type:name, not ${text}`);
  return { type, fullyQualifiedName: fqn };
};

const referenceCodec: ValueCodec = { write: writeReference, read: readReference };

const referenceListCodec: ValueCodec = {
  write: (value) => writeItems((isArray(value) ? value : [value]).map(writeReference), INNER_ITEM_STYLE),
  read: (text) => readItems(text, INNER_ITEM_STYLE).map(readReference),
};

const intervalCodec: ValueCodec = {
  write: (value) => (isObject(value) ? `${String(value['start'])}:${String(value['end'])}` : JSON.stringify(value)),
  read: (text) => {
    const [start = '', end = '', ...others] = text.split(':');
    if (others.length > 0) throw new CellError(`a time interval must be written as start:end, not ${text}`);
    return { start: readInteger(start), end: readInteger(end) };
  },
};

/** Cells of an embedded table are also quoted for the row separator, so that rows need no quotes. */
const TABLE_CELLS: ItemStyle = { separator: ',', quoteFor: /[,|]/, allowsQuotedNames: false };
const ROW_SEPARATOR = '|';

const tableColumns = ({ config }: PropertyConfigOnly): readonly string[] =>
  ((isObject(config) ? member(config, 'columns') : undefined) ?? []) as readonly string[];

const tableCodec: ValueCodec = {
  write: (value, property) => {
    const rows = (isObject(value) ? (member(value, 'rows') ?? []) : []) as readonly JsonObject[];
    const names = tableColumns(property);
    const lines = rows.map((row) =>
      names
        .map((name) => String(member(row, name) ?? ''))
        .map((cell) => (cell === '' ? '' : writeItem(cell, TABLE_CELLS)))
        .join(TABLE_CELLS.separator),
    );
    return lines.join(ROW_SEPARATOR);
  },
  read: (text, property) => {
    const names = tableColumns(property);
    const rows = splitParts(text, ROW_SEPARATOR).map((line): JsonObject => {
      const cells = splitParts(line, TABLE_CELLS.separator);
      if (cells.length > names.length) throw new CellError(`a row of the table has more than ${names.length} cells`);
      const row: MutableJsonObject = {};
      cells.forEach((cell, at) => {
        const [item] = readItems(cell, TABLE_CELLS);
        if (item !== undefined) setMember(row, names[at] ?? '', item);
      });
      return row;
    });
    return { columns: names, rows };
  },
};

/** A hyperlink with a display text is an object; a plain text is only its URL. */
const hyperlinkCodec: ValueCodec = {
  write: (value) => {
    const url = isObject(value) ? member(value, 'url') : value;
    const isBare = !isObject(value) || Object.keys(value).length === 1;
    return isBare && typeof url === 'string' ? url : JSON.stringify(value);
  },
  read: (text) => {
    const value = text.startsWith('{') ? tryParseJson(text) : undefined;
    return isObject(value) ? value : { url: text };
  },
};

const tryParseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/** Values of user-defined types may be any JSON; a text that is not JSON is the value itself. */
const jsonCodec: ValueCodec = {
  write: (value) => (typeof value === 'string' && tryParseJson(value) === undefined ? value : JSON.stringify(value)),
  read: (text) => tryParseJson(text) ?? text,
};

const CODECS: Readonly<Record<string, ValueCodec>> = {
  string: textCodec,
  markdown: textCodec,
  sqlQuery: textCodec,
  email: textCodec,
  duration: textCodec,
  'date-cp': textCodec,
  'dateTime-cp': textCodec,
  'time-cp': textCodec,
  integer: integerCodec,
  number: numberCodec,
  timestamp: integerCodec,
  enum: enumCodec,
  entityReference: referenceCodec,
  entityReferenceList: referenceListCodec,
  timeInterval: intervalCodec,
  'table-cp': tableCodec,
  'hyperlink-cp': hyperlinkCodec,
};

const codecOf = (property: CustomPropertyDefinition | undefined): ValueCodec =>
  (property && Object.hasOwn(CODECS, property.typeName) ? CODECS[property.typeName] : undefined) ?? jsonCodec;

const writeValue = (value: Json, property: CustomPropertyDefinition | undefined): string =>
  codecOf(property).write(value, { config: property?.config });

/** Writes a pair without quotes; undefined for a value that has no text. */
const writePair = (name: string, value: Json, property: CustomPropertyDefinition | undefined): string | undefined => {
  const text = writeValue(value, property);
  return text.trim() === '' ? undefined : `${name}:${text}`;
};

const extensionPairs = (extension: JsonObject, properties: CustomProperties) =>
  Object.entries(extension).map(([name, value]) => ({
    name,
    value,
    pair: writePair(name, value, properties.get(name)),
  }));

/** Writes custom values as a cell. */
export const writeExtension = (extension: Json | undefined, properties: CustomProperties): string =>
  isObject(extension)
    ? writeItems(extensionPairs(extension, properties).flatMap(({ pair }) => (pair === undefined ? [] : [pair])))
    : '';

/** Splits a pair at its first colon, unless only a longer name is a known property. */
const splitPair = (pair: string, properties: CustomProperties): readonly [name: string, text: string] => {
  for (let colon = pair.indexOf(':'); colon > 0; colon = pair.indexOf(':', colon + 1)) {
    const name = pair.slice(0, colon).trim();
    if (properties.has(name)) return [name, pair.slice(colon + 1)];
  }
  const colon = pair.indexOf(':');
  if (colon < 1 || pair.slice(0, colon).trim() === '')
    throw new CellError(`a pair must be written as name:value, not ${pair}`);
  return [pair.slice(0, colon).trim(), pair.slice(colon + 1)];
};

const readPair = (pair: string, properties: CustomProperties): readonly [name: string, value: Json] => {
  const [name, text] = splitPair(pair, properties);
  const property = properties.get(name);
  if (!property) throw new CellError(`Unknown custom field ${name}`);
  if (text.trim() === '') throw new CellError(`the custom field ${name} has no value`);
  return [name, property.check(codecOf(property).read(text, property))];
};

/**
 * Reads the custom values of a cell. A pair that equals the text of a present value keeps that value, and present
 * values without a text are kept. An empty cell removes all values.
 */
export const readExtension = (
  cell: string,
  properties: CustomProperties,
  present: Json | undefined,
): JsonObject | undefined => {
  const known = isObject(present) ? extensionPairs(present, properties) : [];
  const items = readItems(cell);
  if (items.length === 0) return undefined;
  const values: MutableJsonObject = {};
  for (const { name, value, pair } of known) if (pair === undefined) setMember(values, name, value);
  const named = new Set<string>();
  for (const item of items) {
    const same = known.find(({ pair }) => pair === item);
    const [name, value] = same ? [same.name, same.value] : readPair(item, properties);
    if (named.has(name)) throw new CellError(`the custom field ${name} is given more than once`);
    named.add(name);
    setMember(values, name, value);
  }
  return values;
};
