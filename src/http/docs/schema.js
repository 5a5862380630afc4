import { make } from './dom.js';

const MAX_EXAMPLE_DEPTH = 5;
const MAX_SEARCH_DEPTH = 8;
const SHORT_CHOICE = 8;

/** Follows references within the document; anything else is returned as it is. */
export const createResolver = (api) => (value) => {
  const steps = typeof value?.$ref === 'string' ? value.$ref.slice(2).split('/') : undefined;
  return steps === undefined ? value : steps.reduce((place, step) => place?.[step], api);
};

const allChoices = (values) => values.map((value) => JSON.stringify(value)).join(' | ');

const choiceText = (values) =>
  values.length <= SHORT_CHOICE
    ? allChoices(values)
    : `${allChoices(values.slice(0, SHORT_CHOICE))} … one of ${values.length}`;

const refName = (schema) => schema?.$ref?.split('/').at(-1);

/** What a value is, in a few words. */
export const typeName = (schema) => {
  if (schema === undefined) return 'anything';
  if (schema.$ref) return refName(schema);
  if (schema.enum) return choiceText(schema.enum);
  if ('const' in schema) return JSON.stringify(schema.const);
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (options) return options.map(typeName).join(schema.allOf ? ' & ' : ' | ');
  if (schema.type === 'array') return `list of ${typeName(schema.items)}`;
  return [schema.type ?? 'anything', schema.format && `(${schema.format})`].filter(Boolean).join(' ');
};

const BOUNDS = {
  minLength: 'at least {} characters',
  maxLength: 'at most {} characters',
  minimum: 'at least {}',
  maximum: 'at most {}',
  minItems: 'at least {} items',
  maxItems: 'at most {} items',
  pattern: 'matches {}',
  default: 'default {}',
};

/** The bounds a value keeps to, in words. */
export const boundsText = (schema) =>
  Object.entries(BOUNDS)
    .filter(([name]) => schema?.[name] !== undefined)
    .map(([name, words]) => words.replace('{}', () => String(schema[name])))
    .join(', ');

/** The schema whose members are worth opening: the object itself, the items of a list, a choice that has members. */
const innerOf = (schema, resolve, depth = 0) => {
  const own = resolve(schema);
  if (own?.properties) return own;
  if (own === undefined || depth > MAX_SEARCH_DEPTH) return undefined;
  if (own.type === 'array') return innerOf(own.items, resolve, depth + 1);
  if (typeof own.additionalProperties === 'object') return innerOf(own.additionalProperties, resolve, depth + 1);
  for (const option of own.anyOf ?? own.oneOf ?? own.allOf ?? []) {
    const found = innerOf(option, resolve, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** A details element whose content is made when it is first opened, since schemas may refer to themselves. */
export const lazyDetails = (summary, content) => {
  const details = make('details', {}, make('summary', {}, ...summary));
  details.addEventListener('toggle', () => details.append(content()), { once: true });
  return details;
};

const memberLine = (name, schema, isRequired) => [
  make('span', { class: 'name' }, name),
  isRequired ? make('span', { class: 'required' }, ' required') : '',
  make('span', { class: 'type' }, `  ${[typeName(schema), boundsText(schema)].filter(Boolean).join(', ')}`),
];

/** What stands behind a member when it is opened: its own members, or all values of a long choice. */
const behind = (member, resolve) => {
  const inner = innerOf(member, resolve);
  if (inner !== undefined) return () => memberList(inner, resolve);
  const values = resolve(member)?.enum ?? [];
  return values.length > SHORT_CHOICE ? () => make('p', { class: 'type' }, allChoices(values)) : undefined;
};

const memberList = (schema, resolve) => {
  const items = Object.entries(schema.properties).map(([name, member]) => {
    const line = memberLine(name, member, schema.required?.includes(name));
    const content = behind(member, resolve);
    const head = content === undefined ? line : [lazyDetails(line, content)];
    const description = member?.description ?? resolve(member)?.description;
    return make('li', {}, ...head, description ? make('p', { class: 'note' }, description) : '');
  });
  return make('ul', { class: 'members' }, ...items);
};

/** A schema as a tree that opens member by member. */
export const schemaView = (schema, resolve) => {
  const inner = innerOf(schema, resolve);
  const title = make('p', { class: 'type' }, typeName(schema));
  return inner === undefined ? title : make('div', {}, title, memberList(inner, resolve));
};

/** The smallest value the schema describes: required members only. */
export const exampleOf = (schema, resolve, depth = 0) => {
  const own = resolve(schema) ?? {};
  if (own.default !== undefined) return own.default;
  if (own.enum) return own.enum[0];
  if ('const' in own) return own.const;
  const option = (own.anyOf ?? own.oneOf ?? own.allOf)?.[0];
  if (option) return exampleOf(option, resolve, depth);
  if (own.type === 'array') return depth > MAX_EXAMPLE_DEPTH ? [] : [exampleOf(own.items, resolve, depth + 1)];
  if (own.type === 'object') {
    const names = depth > MAX_EXAMPLE_DEPTH ? [] : (own.required ?? []);
    return Object.fromEntries(names.map((name) => [name, exampleOf(own.properties?.[name], resolve, depth + 1)]));
  }
  if (own.type === 'integer' || own.type === 'number') return own.minimum ?? 0;
  return own.type === 'boolean' ? false : '';
};
