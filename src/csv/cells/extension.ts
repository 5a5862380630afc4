import type { DefinedProperty } from '../../model/custom-property.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { CellFault } from './fault.ts';
import { INNER_ITEMS, type ItemStyle, readItems, splitParts, writeItem, writeItems } from './items.ts';

/** Custom properties in cells (csv.md 4): pairs of name and value, each value written as its type says. */

/** Custom properties by their names. */
export type Properties = ReadonlyMap<string, DefinedProperty>;

type Words = Pick<DefinedProperty, 'config'>;

/** How values of one type are written and read. */
type Codec = {
  readonly write: (value: Json, property: Words) => string;
  readonly read: (text: string, property: Words) => Json;
};

const asText: Codec = {
  write: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  read: (text) => text,
};

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const number: Codec = {
  write: (value) => String(value),
  read: (text) => {
    if (!NUMBER.test(text.trim())) throw new CellFault(`${text} is no number`);
    return Number(text);
  },
};

const readInteger = (text: string): number => {
  if (!/^-?\d+$/.test(text.trim())) throw new CellFault(`${text} is no whole number`);
  return Number(text);
};

const integer: Codec = { write: (value) => String(value), read: readInteger };

const enumeration: Codec = {
  write: (value) => writeItems((isArray(value) ? value : [value]).map(String), INNER_ITEMS),
  read: (text, { config }) => {
    const values = readItems(text, INNER_ITEMS);
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
  if (colon < 1 || fqn === '') throw new CellFault(`a reference must be written as type:name, not ${text}`);
  return { type, fullyQualifiedName: fqn };
};

const reference: Codec = { write: writeReference, read: readReference };

const references: Codec = {
  write: (value) => writeItems((isArray(value) ? value : [value]).map(writeReference), INNER_ITEMS),
  read: (text) => readItems(text, INNER_ITEMS).map(readReference),
};

const interval: Codec = {
  write: (value) => (isObject(value) ? `${String(value['start'])}:${String(value['end'])}` : JSON.stringify(value)),
  read: (text) => {
    const [start = '', end = '', ...others] = text.split(':');
    if (others.length > 0) throw new CellFault(`a span of time must be written as start:end, not ${text}`);
    return { start: readInteger(start), end: readInteger(end) };
  },
};

/** Cells of a small table are wrapped for what separates its rows as well, so that rows need no quotes of their own. */
const TABLE_CELLS: ItemStyle = { separator: ',', wrapFor: /[,|]/, mayBeQuoted: false };
const ROWS = '|';

const tableColumns = ({ config }: Words): readonly string[] =>
  ((isObject(config) ? member(config, 'columns') : undefined) ?? []) as readonly string[];

const table: Codec = {
  write: (value, property) => {
    const rows = (isObject(value) ? (member(value, 'rows') ?? []) : []) as readonly JsonObject[];
    const names = tableColumns(property);
    const lines = rows.map((row) =>
      names
        .map((name) => String(member(row, name) ?? ''))
        .map((cell) => (cell === '' ? '' : writeItem(cell, TABLE_CELLS)))
        .join(TABLE_CELLS.separator),
    );
    return lines.join(ROWS);
  },
  read: (text, property) => {
    const names = tableColumns(property);
    const rows = splitParts(text, ROWS).map((line): JsonObject => {
      const cells = splitParts(line, TABLE_CELLS.separator);
      if (cells.length > names.length) throw new CellFault(`a row of the table has more than ${names.length} cells`);
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

/** An address with a text to show for it is more than a text. */
const hyperlink: Codec = {
  write: (value) => {
    const url = isObject(value) ? member(value, 'url') : value;
    const isBare = !isObject(value) || Object.keys(value).length === 1;
    return isBare && typeof url === 'string' ? url : JSON.stringify(value);
  },
  read: (text) => {
    const value = text.startsWith('{') ? readJson(text) : undefined;
    return isObject(value) ? value : { url: text };
  },
};

const readJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/** Of types that users made themselves any JSON is a value; a text that is none stands for itself. */
const anything: Codec = {
  write: (value) => (typeof value === 'string' && readJson(value) === undefined ? value : JSON.stringify(value)),
  read: (text) => readJson(text) ?? text,
};

const CODECS: Readonly<Record<string, Codec>> = {
  string: asText,
  markdown: asText,
  sqlQuery: asText,
  email: asText,
  duration: asText,
  'date-cp': asText,
  'dateTime-cp': asText,
  'time-cp': asText,
  integer,
  number,
  timestamp: integer,
  enum: enumeration,
  entityReference: reference,
  entityReferenceList: references,
  timeInterval: interval,
  'table-cp': table,
  'hyperlink-cp': hyperlink,
};

const codecOf = (property: DefinedProperty | undefined): Codec =>
  (property && Object.hasOwn(CODECS, property.typeName) ? CODECS[property.typeName] : undefined) ?? anything;

const writeValue = (value: Json, property: DefinedProperty | undefined): string =>
  codecOf(property).write(value, { config: property?.config });

/** A pair without its wrapping; undefined for a value that nobody would see. */
const writePair = (name: string, value: Json, property: DefinedProperty | undefined): string | undefined => {
  const text = writeValue(value, property);
  return text.trim() === '' ? undefined : `${name}:${text}`;
};

const pairsOf = (extension: JsonObject, properties: Properties) =>
  Object.entries(extension).map(([name, value]) => ({
    name,
    value,
    pair: writePair(name, value, properties.get(name)),
  }));

/** Custom values as a cell. */
export const writeExtension = (extension: Json | undefined, properties: Properties): string =>
  isObject(extension)
    ? writeItems(pairsOf(extension, properties).flatMap(({ pair }) => (pair === undefined ? [] : [pair])))
    : '';

/** The name before the first colon, unless only a longer one is known. */
const splitPair = (pair: string, properties: Properties): readonly [name: string, text: string] => {
  for (let colon = pair.indexOf(':'); colon > 0; colon = pair.indexOf(':', colon + 1)) {
    const name = pair.slice(0, colon).trim();
    if (properties.has(name)) return [name, pair.slice(colon + 1)];
  }
  const colon = pair.indexOf(':');
  if (colon < 1 || pair.slice(0, colon).trim() === '')
    throw new CellFault(`a pair must be written as name:value, not ${pair}`);
  return [pair.slice(0, colon).trim(), pair.slice(colon + 1)];
};

const readPair = (pair: string, properties: Properties): readonly [name: string, value: Json] => {
  const [name, text] = splitPair(pair, properties);
  const property = properties.get(name);
  if (!property) throw new CellFault(`Unknown custom field ${name}`);
  if (text.trim() === '') throw new CellFault(`the custom field ${name} has no value`);
  return [name, property.check(codecOf(property).read(text, property))];
};

/**
 * The custom values that a cell means. A pair that says what it would say of the present values is one of them as it is,
 * and values that nobody would see stay; an empty cell leaves none.
 */
export const readExtension = (
  cell: string,
  properties: Properties,
  present: Json | undefined,
): JsonObject | undefined => {
  const known = isObject(present) ? pairsOf(present, properties) : [];
  const items = readItems(cell);
  if (items.length === 0) return undefined;
  const values: MutableJsonObject = {};
  for (const { name, value, pair } of known) if (pair === undefined) setMember(values, name, value);
  const named = new Set<string>();
  for (const item of items) {
    const same = known.find(({ pair }) => pair === item);
    const [name, value] = same ? [same.name, same.value] : readPair(item, properties);
    if (named.has(name)) throw new CellFault(`the custom field ${name} is there more than once`);
    named.add(name);
    setMember(values, name, value);
  }
  return values;
};
