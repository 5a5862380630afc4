import * as v from 'valibot';
import { badRequest } from '../../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { MentionRule } from '../../kind/record-rules.ts';
import { parseDateFormat } from '../../language/date-format.ts';
import { normaliseName } from '../../name.ts';
import { dropNulls, validate } from '../../validate.ts';
import {
  AnyJson,
  Duration,
  Flag,
  Integer,
  listOf,
  Markdown,
  must,
  NameInput,
  Num,
  Ref,
  shape,
  Text,
  Timestamp,
  Url,
} from '../../values.ts';
import { Email } from '../people/person.ts';

/**
 * Custom properties, which users add to a kind. The type of a property defines its configuration, and both together
 * define its values (entities.md, Property types).
 */

/** Clients send null for members that they leave unset, here as well. */
const PropertyConfig = v.pipe(AnyJson, v.transform(dropNulls));

export const CustomProperty = shape('CustomProperty', {
  name: must(NameInput),
  displayName: Text,
  // Clients omit it, but require it in answers.
  description: must(v.optional(Markdown, '')),
  propertyType: must(Ref),
  customPropertyConfig: shape('CustomPropertyConfig', { config: PropertyConfig }),
});

/** A property as needed to validate its values. */
export type CustomPropertyDefinition = {
  /** The name of its property type. */
  readonly typeName: string;
  readonly config: Json | undefined;
  /**
   * Normalises a value for storage. Throws bad_request that names the property when the value does not match its type.
   */
  readonly check: (value: Json) => Json;
};

type PropertyType = {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its values. */
  readonly json: JsonObject;
  /** The schema of the configuration. Absent for types that have none. */
  readonly config?: v.GenericSchema;
  /** Answers the schema of the values for a validated configuration. */
  readonly values: (config: Json | undefined) => v.GenericSchema;
};

const MAX_CHOICES = 1000;
const MAX_REFERENCES = 1000;
const MAX_TABLE_ROWS = 1000;
/** The size is limited because every write of a value reads all properties of its kind. */
const MAX_PROPERTIES_LENGTH = 1_000_000;

const isDistinct = (list: readonly string[]): boolean => new Set(list).size === list.length;

const ChoiceLabel = v.pipe(
  v.string('must be a string'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(256, 'size must be at most 256'),
);

const labelList = (max: number) =>
  v.pipe(
    v.array(ChoiceLabel, 'must be a list'),
    v.minLength(1, 'must not be empty'),
    v.maxLength(max, `must have at most ${max} items`),
    v.check((list) => isDistinct(list), 'must not repeat an item'),
  );

type EnumConfig = { readonly multiSelect?: boolean; readonly values: readonly string[] };

const enumValues = (config: Json | undefined): v.GenericSchema => {
  const { values, multiSelect } = config as unknown as EnumConfig;
  const one = v.picklist(values as string[], `must be one of ${values.join(', ')}`);
  if (!multiSelect) return one;
  const many = v.pipe(
    v.array(one, 'must be a list'),
    v.check((list) => isDistinct(list), 'must not repeat a value'),
  );
  // A lazy schema reports the invalid item itself, which a union would not.
  return v.lazy((input) => (Array.isArray(input) ? many : one));
};

const formatConfig = (date: boolean, time: boolean): v.GenericSchema =>
  v.pipe(
    v.string('must be a format such as yyyy-MM-dd or HH:mm:ss'),
    v.check(
      (text) => {
        const format = parseDateFormat(text);
        return format?.date === date && format.time === time;
      },
      `must be a known format of ${[...(date ? ['dates'] : []), ...(time ? ['times'] : [])].join(' and ')}`,
    ),
  );

const formattedText = (config: Json | undefined): v.GenericSchema => {
  const format = parseDateFormat(config as string);
  return v.pipe(
    v.string('must be a string'),
    v.check((text) => format?.matches(text) ?? false, `must have the format ${String(config)}`),
  );
};

/** Validates a reference. Its type may be omitted only when the configuration allows a single one. */
const referenceValue = (config: Json | undefined): v.GenericSchema => {
  const types = config as readonly string[];
  const only = types.length === 1 ? types[0] : undefined;
  return v.pipe(
    Ref,
    v.transform((ref) => (only === undefined ? ref : { type: only, ...(ref as JsonObject) })),
    v.check((ref) => types.includes(String((ref as JsonObject)['type'])), `must be of type ${types.join(' or ')}`),
    v.check(
      (ref) => ['id', 'fullyQualifiedName'].some((name) => (ref as JsonObject)[name] !== undefined),
      'must have id, or type and fullyQualifiedName',
    ),
  );
};

type TableConfig = { readonly columns: readonly string[]; readonly minColumns?: number; readonly maxColumns?: number };

const ColumnCount = v.pipe(Integer, v.minValue(1, 'must be at least 1'), v.maxValue(3, 'must be at most 3'));

const TableConfigSchema = v.pipe(
  shape('TableConfig', { columns: must(labelList(3)), minColumns: ColumnCount, maxColumns: ColumnCount }),
  v.check((config) => {
    const { columns, minColumns = 1, maxColumns = 3 } = config as unknown as TableConfig;
    return minColumns <= columns.length && columns.length <= maxColumns;
  }, 'must have between minColumns and maxColumns columns'),
);

const tableValues = (config: Json | undefined): v.GenericSchema => {
  const { columns } = config as unknown as TableConfig;
  const cells = Object.fromEntries(columns.map((name) => [name, Markdown]));
  const known = v.picklist(columns as string[], `must be one of ${columns.join(', ')}`);
  return shape('TableValue', {
    columns: listOf(known, columns.length),
    rows: must(listOf(shape('Row', cells), MAX_TABLE_ROWS)),
  });
};

const TimeInterval = v.pipe(
  shape('TimeInterval', { start: must(Timestamp), end: must(Timestamp) }),
  v.check((value) => {
    const { start, end } = value as { start: number; end: number };
    return start <= end;
  }, 'must not end before it starts'),
);

const plainType = (name: string, description: string, json: JsonObject, schema: v.GenericSchema): PropertyType => ({
  name,
  description,
  json,
  values: () => schema,
});

const TEXT_SCHEMA: JsonObject = { type: 'string' };

const ALL_PROPERTY_TYPES: readonly PropertyType[] = [
  plainType('string', 'A text in one piece.', TEXT_SCHEMA, Markdown),
  plainType('integer', 'A whole number.', { type: 'integer' }, Integer),
  plainType('number', 'A number, whole or not.', { type: 'number' }, Num),
  plainType('markdown', 'A text in Markdown.', TEXT_SCHEMA, Markdown),
  plainType('sqlQuery', 'A query in SQL.', TEXT_SCHEMA, Markdown),
  plainType('timestamp', 'A moment, in milliseconds since 1970.', { type: 'integer', minimum: 0 }, Timestamp),
  plainType(
    'timeInterval',
    'A span of time between two moments.',
    {
      type: 'object',
      properties: { start: { type: 'integer' }, end: { type: 'integer' } },
      required: ['start', 'end'],
      additionalProperties: false,
    },
    TimeInterval,
  ),
  plainType('duration', 'A length of time in the form of ISO 8601.', { type: 'string', format: 'duration' }, Duration),
  plainType('email', 'An e-mail address.', { type: 'string', format: 'email', minLength: 6, maxLength: 127 }, Email),
  {
    name: 'enum',
    description: 'One or more of the values that the property allows.',
    json: { anyOf: [TEXT_SCHEMA, { type: 'array', items: TEXT_SCHEMA, uniqueItems: true }] },
    config: shape('EnumConfig', { multiSelect: Flag, values: must(labelList(MAX_CHOICES)) }),
    values: enumValues,
  },
  {
    name: 'date-cp',
    description: 'A date in the format of the property.',
    json: TEXT_SCHEMA,
    config: formatConfig(true, false),
    values: formattedText,
  },
  {
    name: 'dateTime-cp',
    description: 'A date with a time, in the format of the property.',
    json: TEXT_SCHEMA,
    config: formatConfig(true, true),
    values: formattedText,
  },
  {
    name: 'time-cp',
    description: 'A time of day in the format of the property.',
    json: TEXT_SCHEMA,
    config: formatConfig(false, true),
    values: formattedText,
  },
  {
    name: 'entityReference',
    description: 'A reference to an asset of one of the entity types that the property allows.',
    json: {
      type: 'object',
      properties: { id: { type: 'string', format: 'uuid' }, type: TEXT_SCHEMA },
      required: ['id', 'type'],
    },
    config: labelList(100),
    values: referenceValue,
  },
  {
    name: 'entityReferenceList',
    description: 'References to assets of the entity types that the property allows.',
    json: { type: 'array', items: { type: 'object', required: ['id', 'type'] } },
    config: labelList(100),
    values: (config) => listOf(referenceValue(config), MAX_REFERENCES),
  },
  {
    name: 'table-cp',
    description: 'A small table with the columns of the property.',
    json: {
      type: 'object',
      properties: {
        columns: { type: 'array', items: TEXT_SCHEMA, minItems: 1, maxItems: 3 },
        rows: { type: 'array', items: { type: 'object', additionalProperties: TEXT_SCHEMA } },
      },
      required: ['rows'],
    },
    config: TableConfigSchema,
    values: tableValues,
  },
  plainType(
    'hyperlink-cp',
    'An address with the text to show for it.',
    {
      type: 'object',
      properties: { url: { type: 'string', format: 'uri' }, displayText: TEXT_SCHEMA },
      required: ['url'],
      additionalProperties: false,
    },
    shape('Hyperlink', { url: must(Url), displayText: Text }),
  ),
];

const TYPES_BY_NAME: ReadonlyMap<string, PropertyType> = new Map(ALL_PROPERTY_TYPES.map((type) => [type.name, type]));

/** The property types that every catalog has. */
export const PROPERTY_TYPES: readonly Pick<PropertyType, 'name' | 'description' | 'json'>[] = ALL_PROPERTY_TYPES;

const checkAtPath = (path: readonly [string, string], schema: v.GenericSchema, value: Json): Json => {
  const [outer, inner] = path;
  const checked = validate(v.object({ [outer]: v.object({ [inner]: schema }) }), { [outer]: { [inner]: value } });
  return ((checked as JsonObject)[outer] as JsonObject)[inner] as Json;
};

/** Defines a property by its name, the name of its property type, and its configuration. */
export const defineCustomProperty = (
  name: string,
  typeName: string,
  config: Json | undefined,
): CustomPropertyDefinition => {
  // Property types that users created define nothing to validate against.
  const schema = TYPES_BY_NAME.get(typeName)?.values(config);
  return { typeName, config, check: (value) => (schema ? checkAtPath(['extension', name], schema, value) : value) };
};

export type StoredCustomProperty = {
  readonly name: string;
  readonly propertyType: { readonly id: string };
  readonly customPropertyConfig?: { readonly config?: Json };
};

/**
 * Validates the name of a property. It begins like a word, so that it can be told from everything else in a document.
 */
const checkPropertyName = (name: string): void => {
  normaliseName(name);
  if (!/^[\p{L}\p{N}]/u.test(name)) throw badRequest(`Invalid name ${name}`);
};

const checkPropertyConfig = ({ name, customPropertyConfig }: StoredCustomProperty, typeName: string): void => {
  const schema = TYPES_BY_NAME.get(typeName)?.config;
  const config = customPropertyConfig?.config;
  if (schema && config === undefined) throw badRequest(`[${name}.customPropertyConfig must not be null]`);
  if (schema && config !== undefined) checkAtPath([name, 'customPropertyConfig'], schema, config);
  if (!schema && config !== undefined) throw badRequest(`[${name}.customPropertyConfig is not known for ${typeName}]`);
};

/** Validates the custom properties of a kind: each has its own name, and a type that values can have. */
export const checkCustomProperties: MentionRule = (candidate, find) => {
  const properties = (candidate['customProperties'] ?? []) as unknown as readonly StoredCustomProperty[];
  if (properties.length === 0) return;
  if (candidate['category'] === 'field') throw badRequest('Only types of category entity can have custom properties');
  if (JSON.stringify(properties).length > MAX_PROPERTIES_LENGTH) {
    throw badRequest(`[customProperties must be at most ${MAX_PROPERTIES_LENGTH} characters of JSON]`);
  }
  const seen = new Set<string>();
  for (const property of properties) {
    checkPropertyName(property.name);
    if (seen.has(property.name)) throw badRequest(`[customProperties has the name ${property.name} more than once]`);
    seen.add(property.name);
    const type = find(property.propertyType.id);
    if (type?.entityType !== 'type' || type.category !== 'field') {
      throw badRequest(`[${property.name}.propertyType must be a type of category field]`);
    }
    checkPropertyConfig(property, type.name);
  }
};
