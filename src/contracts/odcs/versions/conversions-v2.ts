import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  withMember,
  withoutMember,
} from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import { joinPath } from '../issues.ts';
import { setDefined, textMember } from '../json-parts.ts';
import type { DowngradeContext } from './conversions-v3.ts';
import type { ConversionName, FormerConversionName, ObjectShape } from './member-shapes.ts';
import { downgradeRule2, upgradeRule2 } from './rules-v2.ts';
import { downgradeServer2, isWritableAsRoot2, upgradeServer2 } from './servers.ts';
import { DOCUMENT, PERSON, PROPERTY, SCHEMA_OBJECT } from './shape.ts';
import { removeMisfits, restoreMembers } from './structure.ts';
import { NEWEST_VERSION } from './version.ts';

/** What converting between 2.2.x and 3.x means for some values besides their names, and for some objects. */

/** Converts an object within a value by the table; undefined when the version cannot have it. */
type Downgrade2Context = DowngradeContext & {
  readonly convert: (object: JsonObject, shape: ObjectShape, path: string) => JsonObject | undefined;
};

type FormerConversion = {
  readonly upgrade?: (value: Json) => Json | undefined;
  readonly downgrade: (value: Json, context: Downgrade2Context) => Json | undefined;
};

const toText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Converts a property and appends its nested ones, because 2.x has no columns inside columns. */
const downgradeProperty = (
  property: JsonObject,
  above: string,
  path: string,
  context: Downgrade2Context,
): readonly JsonObject[] => {
  const own = textMember(property, 'name') ?? '';
  const name = above === '' ? own : `${above}.${own}`;
  const { properties, items = null, ...rest } = property;
  const [held, inner] = isObject(items) ? [member(items, 'properties'), joinPath(path, 'items')] : [properties, path];
  const children = jsonObjects(held).flatMap((child, index) =>
    downgradeProperty(child, name, joinPath(joinPath(inner, 'properties'), index), context),
  );
  const type = children.length > 0 ? { logicalType: isObject(items) ? 'array' : 'object' } : {};
  const column = context.convert({ ...type, ...rest, name }, PROPERTY, path);
  return [...(column ? [column] : []), ...children];
};

const rules = (isStrict: boolean): FormerConversion => ({
  upgrade: (list) => jsonObjects(list).map(upgradeRule2),
  downgrade: (list, { path, drop }) =>
    jsonObjects(list).map((rule, index) =>
      downgradeRule2(rule, isStrict, (name) => drop(joinPath(joinPath(path, index), name))),
    ),
});

/** The members that a value is written as, and whether they tell all of it. */
type SpreadMembers = { readonly members: JsonObject; readonly isWhole: boolean };

type SpreadConversion = {
  readonly upgrade: (source: JsonObject) => Json | undefined;
  readonly downgrade: (value: Json) => SpreadMembers;
};

const SUPPORT_CHANNELS = [
  { name: 'productSlackChannel', tool: 'slack', detail: 'channel', more: {} },
  { name: 'productFeedbackUrl', tool: 'other', detail: 'url', more: { channel: 'feedback' } },
  { name: 'productDl', tool: 'email', detail: 'channel', more: {} },
] as const;

const support: SpreadConversion = {
  upgrade: (source) => {
    const items = SUPPORT_CHANNELS.flatMap(({ name, tool, detail, more }) => {
      const value = textMember(source, name);
      return value === undefined ? [] : [{ ...more, tool, [detail]: value }];
    });
    return items.length > 0 ? items : undefined;
  },
  downgrade: (value) => {
    const items = jsonObjects(value);
    const members: MutableJsonObject = {};
    const said = SUPPORT_CHANNELS.map(({ name, tool, detail }) => {
      const found = items.find((one) => member(one, 'tool') === tool && textMember(one, detail) !== undefined);
      if (found) setDefined(members, name, member(found, detail));
      return found;
    });
    const isPlain = (one: JsonObject): boolean =>
      Object.keys(one).length === 2 ||
      (member(one, 'tool') === 'other' && member(one, 'channel') === 'feedback' && Object.keys(one).length === 3);
    return { members, isWhole: items.every((one) => said.includes(one) && isPlain(one)) };
  },
};

const servers: SpreadConversion = {
  upgrade: (source) => {
    const server = upgradeServer2(source);
    return server && [server];
  },
  downgrade: (value) => {
    const list = isArray(value) ? value : [];
    const [first = null] = list;
    return { members: isObject(first) ? downgradeServer2(first) : {}, isWhole: isWritableAsRoot2(list) };
  },
};

/** Members of 3.x that are several members of the same object in 2.2.x. */
export const SPREAD_CONVERSIONS: Readonly<Partial<Record<FormerConversionName, SpreadConversion>>> = {
  servers,
  support,
};

export const FORMER_CONVERSIONS: Readonly<Partial<Record<FormerConversionName, FormerConversion>>> = {
  columns: {
    downgrade: (list, context) =>
      jsonObjects(list).flatMap((property, index) =>
        downgradeProperty(property, '', joinPath(context.path, index), context),
      ),
  },
  linesIn221: {
    downgrade: (value, { version }) => (version === 'v2.2.1' && typeof value === 'string' ? value.split('\n') : value),
  },
  not: {
    upgrade: (value) => (typeof value === 'boolean' ? !value : undefined),
    downgrade: (value) => (typeof value === 'boolean' ? !value : undefined),
  },
  rules: rules(false),
  tableRules: rules(true),
  slaValue: {
    downgrade: (value, { version }) => {
      if (value === null) return undefined;
      return typeof value === 'boolean' || (typeof value === 'number' && version === 'v2.2.1') ? String(value) : value;
    },
  },
  stakeholders: {
    downgrade: (team, { path, drop, convert }) => {
      const isWhole = isObject(team);
      for (const name of Object.keys(isWhole ? team : {})) if (name !== 'members') drop(joinPath(path, name));
      const members = isWhole ? (member(team, 'members') ?? []) : team;
      const inner = isWhole ? joinPath(path, 'members') : path;
      return jsonObjects(members).flatMap((one, index) => convert(one, PERSON, joinPath(inner, index)) ?? []);
    },
  },
  tables: {
    upgrade: (value) => jsonObjects(isObject(value) ? member(value, 'tables') : value),
    downgrade: (list, { path, convert }) =>
      jsonObjects(list).flatMap((object, index) => convert(object, SCHEMA_OBJECT, joinPath(path, index)) ?? []),
  },
  textIn221: { downgrade: (value, { version }) => (version === 'v2.2.1' ? toText(value) : value) },
  // Lists of 2.x have only texts.
  texts: { downgrade: (value) => (isArray(value) ? value.map(toText) : [toText(value)]) },
};

type ObjectConversion = {
  /** Completes an object that has the names of 3.x. */
  readonly upgrade?: (object: JsonObject) => JsonObject;
  /** Prepares an object that still has the names of 3.x. */
  readonly prepare?: (object: JsonObject, context: DowngradeContext) => JsonObject;
  /** Completes an object that has the names of 2.2.x. */
  readonly complete?: (object: JsonObject, context: DowngradeContext) => JsonObject;
};

/** 2.x has only one name, which is the product's or else the contract's. */
const nameByProduct = (document: JsonObject): JsonObject => {
  const name = member(document, 'name');
  return member(document, 'dataProduct') === undefined && name !== undefined
    ? withMember(withoutMember(document, 'name'), 'dataProduct', name)
    : document;
};

export const OBJECT_CONVERSIONS: Readonly<Partial<Record<ConversionName, ObjectConversion>>> = {
  document: {
    upgrade: (object) =>
      removeMisfits(
        restoreMembers({ ...object, apiVersion: NEWEST_VERSION, kind: 'DataContract' }, DOCUMENT, [
          'servers',
          'support',
        ]),
        DOCUMENT,
      ),
    prepare: (document) => ({ schema: [], ...nameByProduct(document) }),
    complete: ({ apiVersion: _, ...object }, { version }) => {
      const [table] = jsonObjects(member(object, 'dataset'));
      const { type = 'tables', quantumName, database } = object;
      const { datasetName = database ?? (table && textMember(table, 'table')) ?? quantumName ?? 'default' } = object;
      const declared = version === 'v2.2.0' ? { standardVersion: '2.2.0' } : { apiVersion: version };
      const names = { type, datasetName, quantumName: quantumName ?? datasetName };
      return { ...declared, ...object, kind: 'DataContract', ...names };
    },
  },
  schemaObject: {
    upgrade: (object) => ({
      physicalType: 'table',
      ...restoreMembers({ ...object, logicalType: 'object' }, SCHEMA_OBJECT),
    }),
    prepare: ({ logicalType: _, ...object }) =>
      member(object, 'physicalType') === 'table' ? withoutMember(object, 'physicalType') : object,
  },
  property: {
    complete: (object) => {
      const logicalType = member(object, 'logicalType') ?? 'string';
      return { ...object, logicalType, physicalType: member(object, 'physicalType') ?? logicalType };
    },
  },
};
