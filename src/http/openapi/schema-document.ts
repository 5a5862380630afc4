import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, setMember } from '../../model/json.ts';
import type { ApiTexts } from './texts.ts';

/** The schemas of an API document. Each is converted once, and every titled schema is written once. */
export type SchemaDocument = {
  /** Answers a reference to the schema, named by its title or else by `fallbackName`. Short schemas are inlined. */
  readonly refer: (schema: GenericSchema, fallbackName: string) => JsonObject;
  /** All schemas referred to so far, by name. */
  readonly components: () => JsonObject;
};

/** Up to this length, a reference would be no shorter than the schema. */
const INLINE_CHARACTERS = 60;

/** Members whose values are data. A `title` inside them is no schema title. */
const DATA_MEMBERS = new Set(['default', 'examples', 'const', 'enum']);

const componentPointer = (name: string): string => `#/components/schemas/${name}`;

const componentReference = (name: string): JsonObject => ({ $ref: componentPointer(name) });

const componentName = (title: string): string => title.replace(/[^\w.-]+/g, '');

const omitMembers = (schema: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

/**
 * Corrects the conversion of single checks: patterns cannot have flags, the bounds of safe integers are noise, and the
 * marker for free-form values becomes its type.
 */
const overrideAction: NonNullable<ConversionConfig['overrideAction']> = ({ valibotAction, jsonSchema }) => {
  const requirement: unknown = Reflect.get(valibotAction, 'requirement');
  if (requirement instanceof RegExp && requirement.flags !== '') return omitMembers(jsonSchema, 'pattern');
  if (valibotAction.type === 'safe_integer')
    return { ...omitMembers(jsonSchema, 'minimum', 'maximum'), type: 'integer' };
  const freeForm: unknown = Reflect.get(jsonSchema, 'freeForm');
  if (freeForm === undefined) return jsonSchema;
  return freeForm === 'object'
    ? { ...omitMembers(jsonSchema, 'freeForm'), type: 'object' }
    : omitMembers(jsonSchema, 'freeForm');
};

const schemaTitle = (schema: unknown): string | undefined => {
  const pipe: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'pipe') : undefined;
  const title = Array.isArray(pipe) ? pipe.find((action) => action.type === 'title')?.title : undefined;
  return typeof title === 'string' ? title : undefined;
};

/** Finds the item schema of a list, in the list itself or in its pipe. */
const schemaItem = (schema: object): unknown => {
  const pipe: unknown = Reflect.get(schema, 'pipe');
  return Reflect.get(Array.isArray(pipe) ? pipe[0] : schema, 'item');
};

/** Names recursive schemas. The name must not depend on where the converter met the schema first. */
const createRecursionNames = () => {
  const numbers = new Map<unknown, number>();
  return (schema: object): string => {
    const title = schemaTitle(schema);
    if (title !== undefined) return componentName(title);
    const item = schemaItem(schema) ?? schema;
    const itemTitle = schemaTitle(item);
    if (itemTitle !== undefined) return `${componentName(itemTitle)}Items`;
    const number = numbers.get(item) ?? numbers.size + 1;
    numbers.set(item, number);
    return `Recursive${number}`;
  };
};

/** Collects components by name. Different schemas with the same name get a number. */
const createSchemaComponents = () => {
  const texts = new Map<string, string>();
  const values = new Map<string, JsonObject>();
  const add = (wanted: string, schema: JsonObject): string => {
    const text = JSON.stringify(schema);
    let name = wanted;
    for (let number = 2; (texts.get(name) ?? text) !== text; number += 1) name = `${wanted}${number}`;
    texts.set(name, text);
    values.set(name, schema);
    return name;
  };
  const all = () => Object.fromEntries([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { add, all };
};

type SchemaComponents = ReturnType<typeof createSchemaComponents>;

type Hoisting = { readonly components: SchemaComponents; readonly describeMember: ApiTexts['describeMember'] };

/** Adds the description of a member, outside the schema that it refers to. */
const describeMembers = (members: JsonObject, title: string, hoisting: Hoisting): JsonObject => {
  const described: MutableJsonObject = {};
  for (const [name, inner] of Object.entries(members)) {
    const schema = objectOrEmpty(hoistTitled(inner, title, hoisting));
    const description = schema['description'] ?? hoisting.describeMember(title, name);
    setMember(described, name, description === undefined ? schema : { ...schema, description });
  }
  return described;
};

/** Moves every titled schema, innermost first, to the components. `owner` is the title of the schema round this one. */
const hoistTitled = (value: Json, owner: string, hoisting: Hoisting): Json => {
  if (isArray(value)) return value.map((item) => hoistTitled(item, owner, hoisting));
  if (!isObject(value)) return value;
  const title = typeof value['title'] === 'string' ? value['title'] : undefined;
  const copy: MutableJsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    if (DATA_MEMBERS.has(name)) setMember(copy, name, inner);
    else if (name === 'properties') copy[name] = describeMembers(objectOrEmpty(inner), title ?? owner, hoisting);
    else setMember(copy, name, hoistTitled(inner, title ?? owner, hoisting));
  }
  return title === undefined ? copy : componentReference(hoisting.components.add(componentName(title), copy));
};

const objectOrEmpty = (value: Json): JsonObject => (isObject(value) ? value : {});

/** Creates an empty collection of schemas. */
export const createSchemaDocument = ({ describeMember }: Pick<ApiTexts, 'describeMember'>): SchemaDocument => {
  const components = createSchemaComponents();
  const hoisting: Hoisting = { components, describeMember };
  const recursionName = createRecursionNames();
  const known = new Map<GenericSchema, JsonObject>();

  const convert = (schema: GenericSchema, fallbackName: string): JsonObject => {
    const names = new Map<string, string>();
    const converted = toJsonSchema(schema, {
      target: 'draft-2020-12',
      typeMode: 'input',
      errorMode: 'ignore',
      overrideAction,
      overrideRef: ({ referenceId, valibotSchema }) => {
        const name = recursionName(valibotSchema);
        names.set(referenceId, name);
        return componentPointer(name);
      },
    });
    // The converter's type allows members that JSON lacks. A round trip through text keeps only JSON.
    const { $schema: _, $defs, ...own } = JSON.parse(JSON.stringify(converted));
    for (const [id, definition] of Object.entries(objectOrEmpty($defs ?? {}))) {
      components.add(names.get(id) ?? id, objectOrEmpty(hoistTitled(definition, names.get(id) ?? id, hoisting)));
    }
    const result = objectOrEmpty(hoistTitled(own, fallbackName, hoisting));
    if ('$ref' in result || JSON.stringify(result).length <= INLINE_CHARACTERS) return result;
    return componentReference(components.add(componentName(fallbackName), result));
  };

  const refer = (schema: GenericSchema, fallbackName: string): JsonObject => {
    const found = known.get(schema) ?? convert(schema, fallbackName);
    known.set(schema, found);
    return found;
  };
  return Object.freeze({ refer, components: components.all });
};
