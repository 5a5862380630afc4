import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, setMember } from '../model/json.ts';

/** The schemas of a document: each is converted once, and whatever has a title is written down once. */
export type SchemaDocument = {
  /** A reference to the schema, which is named by its title or else by `fallbackName`; short ones are given as they are. */
  readonly refer: (schema: GenericSchema, fallbackName: string) => JsonObject;
  /** Everything referred to so far, by name. */
  readonly components: () => JsonObject;
};

/** Below this a reference would be no shorter than the schema. */
const INLINE_CHARACTERS = 60;

/** Members whose values are data, in which a `title` means nothing. */
const DATA_MEMBERS = new Set(['default', 'examples', 'const', 'enum']);

const pointer = (name: string): string => `#/components/schemas/${name}`;

const reference = (name: string): JsonObject => ({ $ref: pointer(name) });

const safeName = (title: string): string => title.replace(/[^\w.-]+/g, '');

const without = (schema: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

/**
 * What the converter says of single checks, put right: a pattern cannot carry flags, the bounds of safe integers are
 * noise, and our mark for free-form values becomes the type it stands for.
 */
const overrideAction: NonNullable<ConversionConfig['overrideAction']> = ({ valibotAction, jsonSchema }) => {
  const requirement: unknown = Reflect.get(valibotAction, 'requirement');
  if (requirement instanceof RegExp && requirement.flags !== '') return without(jsonSchema, 'pattern');
  if (valibotAction.type === 'safe_integer') return { ...without(jsonSchema, 'minimum', 'maximum'), type: 'integer' };
  const freeForm: unknown = Reflect.get(jsonSchema, 'freeForm');
  if (freeForm === undefined) return jsonSchema;
  return freeForm === 'object'
    ? { ...without(jsonSchema, 'freeForm'), type: 'object' }
    : without(jsonSchema, 'freeForm');
};

const titleOf = (schema: unknown): string | undefined => {
  const pipe: unknown = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'pipe') : undefined;
  const title = Array.isArray(pipe) ? pipe.find((action) => action.type === 'title')?.title : undefined;
  return typeof title === 'string' ? title : undefined;
};

/** The item schema of a list, looked for in the list itself and in its pipe. */
const itemOf = (schema: object): unknown => {
  const pipe: unknown = Reflect.get(schema, 'pipe');
  return Reflect.get(Array.isArray(pipe) ? pipe[0] : schema, 'item');
};

/** Names what refers to itself. The name must not depend on where the converter met it first. */
const createRecursionNames = () => {
  const numbers = new Map<unknown, number>();
  return (schema: object): string => {
    const title = titleOf(schema);
    if (title !== undefined) return safeName(title);
    const item = itemOf(schema) ?? schema;
    const itemTitle = titleOf(item);
    if (itemTitle !== undefined) return `${safeName(itemTitle)}Items`;
    const number = numbers.get(item) ?? numbers.size + 1;
    numbers.set(item, number);
    return `Recursive${number}`;
  };
};

/** Components by name; two different schemas that claim one name are told apart by a number. */
const createComponents = () => {
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

type Components = ReturnType<typeof createComponents>;

/** Moves everything with a title, innermost first, from its place to the components. */
const hoist = (value: Json, components: Components): Json => {
  if (isArray(value)) return value.map((item) => hoist(item, components));
  if (!isObject(value)) return value;
  const copy: MutableJsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    setMember(copy, name, DATA_MEMBERS.has(name) ? inner : hoist(inner, components));
  }
  const title = copy['title'];
  return typeof title === 'string' ? reference(components.add(safeName(title), copy)) : copy;
};

const asObject = (value: Json): JsonObject => (isObject(value) ? value : {});

/** Begins an empty collection of schemas. */
export const createSchemaDocument = (): SchemaDocument => {
  const components = createComponents();
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
        return pointer(name);
      },
    });
    // The converter's type allows members JSON does not; a round trip leaves JSON alone.
    const { $schema: _, $defs, ...own } = JSON.parse(JSON.stringify(converted));
    for (const [id, definition] of Object.entries(asObject($defs ?? {}))) {
      components.add(names.get(id) ?? id, asObject(hoist(definition, components)));
    }
    const result = asObject(hoist(own, components));
    if ('$ref' in result || JSON.stringify(result).length <= INLINE_CHARACTERS) return result;
    return reference(components.add(safeName(fallbackName), result));
  };

  const refer = (schema: GenericSchema, fallbackName: string): JsonObject => {
    const found = known.get(schema) ?? convert(schema, fallbackName);
    known.set(schema, found);
    return found;
  };
  return Object.freeze({ refer, components: components.all });
};
