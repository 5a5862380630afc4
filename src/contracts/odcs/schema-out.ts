import { equalJson, isObject, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';
import { lookupParts } from '../../model/name.ts';
import { joinKey, type PropertyRead } from './columns-in.ts';
import { type Writing, writeProperties } from './columns-out.ts';
import { type Elements, elementsBy } from './elements.ts';
import { overlay } from './overlay.ts';
import { compact, groupedBy, itemsOf, spoken } from './parts.ts';
import { columnOf, readRules } from './quality-in.ts';
import { type PlacedRule, type RuleLists, writeRules } from './quality-out.ts';
import { ruleCases } from './rule-cases.ts';
import type { Selected } from './select.ts';
import { columnFinder, type Target } from './target.ts';
import { columnOfTest, ruleOfTest } from './test-rules.ts';
import { objectsOf } from './walk.ts';

/** The schema of a document as the contract has it, with the rules in their places (odcs.md 3, 4, 5). */

/** A document with the part of it that is the contract's, and what was made of that. */
export type SourceRead = {
  readonly document: JsonObject;
  readonly selected: Selected;
  readonly read: readonly PropertyRead[];
  readonly made: JsonObject;
};

/** A reading under the names that its columns got in the contract at the time. */
export const renamed = (
  read: readonly PropertyRead[],
  columns: readonly JsonObject[],
  parent = '',
): readonly PropertyRead[] =>
  read.map((one, index) => {
    const column = columns[index] ?? one.column;
    const key = joinKey(parent, spoken(column['name']) ?? '');
    return { ...one, column, key, children: renamed(one.children, objectsOf(column['children']), key) };
  });

const PHYSICAL_TYPES: Readonly<Record<string, string>> = {
  table: 'table',
  topic: 'topic',
  apiEndpoint: 'endpoint',
  container: 'file',
  dashboardDataModel: 'view',
};

const TYPE_MEMBERS = ['name', 'dataType', 'arrayDataType', 'dataTypeDisplay', 'dataLength', 'precision', 'scale'];

/** A column of the entity with nothing but its name and type. */
const bare = (name: string, column: JsonObject | undefined): JsonObject =>
  compact({
    dataType: 'STRING',
    ...Object.fromEntries(
      TYPE_MEMBERS.map((member) => [member, column?.[member]]).filter(([, value]) => value !== undefined),
    ),
    name,
  });

const foldedName = (column: JsonObject): string => spoken(column['name'])?.toLowerCase() ?? '';

/** Columns with those at some more paths, and what lies above them. */
const withColumns = (
  columns: readonly JsonObject[],
  paths: readonly (readonly string[])[],
  known: readonly JsonObject[],
): readonly JsonObject[] => {
  const entities = groupedBy(known, foldedName);
  const missing = groupedBy(
    paths.filter((path) => path.length > 0),
    ([name = '']) => name.toLowerCase(),
  );
  const complete = (column: JsonObject): JsonObject => {
    const below = (missing.get(foldedName(column)) ?? []).map((path) => path.slice(1));
    const [entity] = entities.get(foldedName(column)) ?? [];
    const children = withColumns(objectsOf(column['children']), below, objectsOf(entity?.['children']));
    return children.length === 0 ? column : { ...column, children };
  };
  if (missing.size === 0) return columns;
  const there = new Set(columns.map(foldedName));
  const added = [...missing].flatMap(([folded, [path = []]]) => {
    const [entity] = entities.get(folded) ?? [];
    return there.has(folded) ? [] : [bare(spoken(entity?.['name']) ?? path[0] ?? '', entity)];
  });
  return [...columns, ...added].map((column) => (missing.has(foldedName(column)) ? complete(column) : column));
};

type Export = {
  readonly contract: JsonObject;
  readonly target: Target;
  readonly testCases: readonly JsonObject[];
  readonly source?: SourceRead;
};

type Placed = { readonly lists: RuleLists; readonly columns: readonly JsonObject[] };

/** The rules of a contract and of the tests linked with it, and the columns with those that only rules speak of. */
const placedRules = ({ contract, target, testCases, source }: Export): Placed => {
  const columns = objectsOf(contract['schema']);
  const madeColumns = objectsOf(source?.made['schema']);
  const finders = [columns, madeColumns, target.columns].map(columnFinder);
  const isColumn = (name: string) => finders.some((found) => found(name) !== undefined);
  const objectName = source?.selected.name;
  const columnFor = (rule: JsonObject) => columnOf(rule, [objectName, target.name], isColumn);
  const placed = (rule: JsonObject, column: string | undefined): PlacedRule => ({
    rule,
    ...(column !== undefined && { column }),
  });
  const rules = objectsOf(contract['odcsQualityRules']);
  const produced = ruleCases(rules, target, objectName).flatMap(({ test }) => test ?? []);
  const keyOf = (name: string | undefined, column: string | undefined) => `${column ?? ''}\u0001${name}`.toLowerCase();
  const names = new Set(produced.map(({ name, column }) => keyOf(name, column)));
  const isProduced = (test: JsonObject) => names.has(keyOf(spoken(test['name']), columnOfTest(test)));
  const added = testCases
    .filter((test) => !isProduced(test))
    .map((test) => placed(ruleOfTest(test), columnOfTest(test)));
  const wanted = rules.map((rule) => placed(rule, columnFor(rule)));
  const read = source ? readRules(source.document, source.selected, source.read) : [];
  const [inContract, wasThere] = finders;
  const strangers = [...wanted, ...added].flatMap(({ column }) =>
    column === undefined || inContract?.(column) || wasThere?.(column) ? [] : [column],
  );
  return {
    lists: writeRules(read, wanted, added, columnFor),
    columns: withColumns(
      columns,
      strangers.map((column) => lookupParts(column) ?? [column]),
      target.columns,
    ),
  };
};

const writingOf = (made: Elements, wanted: Elements, lists: RuleLists): Writing => ({
  made: made.column,
  wanted: wanted.column,
  rules: lists.column,
  keys: { last: 0 },
});

const TOP = { made: '', wanted: '' };

const newObject = ({ contract, target }: Export, { lists, columns }: Placed): JsonObject | undefined => {
  const isColumnName = columns.some((column) => column['name'] === target.name);
  const wanted = elementsBy(contract, target.name, isColumnName);
  const writing = writingOf(elementsBy({}, undefined), wanted, lists);
  const content = compact({
    ...wanted.object,
    properties: writeProperties([], [], columns, TOP, writing),
    quality: lists.object,
  });
  if (Object.keys(content).length === 0) return undefined;
  const physicalType = PHYSICAL_TYPES[target.entityType] ?? 'table';
  const description = spoken(target.description);
  return compact({ name: target.name, logicalType: 'object', physicalType, description, ...content });
};

const withList = (out: MutableJsonObject, name: string, list: Json): void => {
  if (itemsOf(list).length === 0) delete out[name];
  else out[name] = list;
};

type Both = { readonly made: Elements; readonly wanted: Elements };

const elementsOfBoth = ({ contract }: Export, { selected, read, made }: SourceRead): Both => {
  const { object, name } = selected;
  const isSilent =
    object?.['authoritativeDefinitions'] === undefined && object?.['transformSourceObjects'] === undefined;
  const isColumnName = read.some(({ key }) => key === name);
  return {
    made: elementsBy(made, name, isSilent && isColumnName),
    wanted: elementsBy(contract, name, isSilent && isColumnName),
  };
};

const changedObject = (object: JsonObject, both: Both, properties: Json, lists: RuleLists): JsonObject => {
  const out: MutableJsonObject = { ...overlay(object, both.made.object, both.wanted.object) };
  if (properties !== (object['properties'] ?? properties)) {
    withList(out, 'properties', properties);
    // Without columns nothing else would say that this is an object.
    if (out['properties'] === undefined && out['logicalType'] === undefined) out['logicalType'] = 'object';
  } else if (itemsOf(properties).length > 0) {
    out['properties'] = properties;
  }
  if (lists.object !== undefined) withList(out, 'quality', lists.object);
  return out;
};

/** The members of a document that hold its schema: `schema`, and rules that stood beside it. */
export type SchemaMembers = { readonly schema: Json | undefined; readonly quality: Json | undefined };

const changedSchema = (asked: Export, source: SourceRead, placed: Placed): SchemaMembers => {
  const { document, selected, read, made } = source;
  const { lists, columns } = placed;
  const both = elementsOfBoth(asked, source);
  const writing = writingOf(both.made, both.wanted, lists);
  const schema = document['schema'];
  const properties = writeProperties(selected.properties, objectsOf(made['schema']), columns, TOP, writing);
  const quality = lists.root === undefined ? document['quality'] : lists.root;
  if (selected.object !== undefined && selected.index !== undefined) {
    const object = changedObject(selected.object, both, properties, lists);
    const isSame = equalJson(object, selected.object);
    return { schema: isSame ? schema : itemsOf(schema).with(selected.index, object), quality };
  }
  if (read.length > 0) {
    // Columns that stand by themselves have no object, so its rules stand beside them.
    const all = lists.object === undefined ? quality : [...itemsOf(quality), ...lists.object];
    return { schema: itemsOf(properties).length === 0 ? undefined : properties, quality: all };
  }
  const object = newObject(asked, placed);
  return { schema: object === undefined ? schema : [...itemsOf(schema).filter(isObject), object], quality };
};

/** The schema of a document as the contract has it; of a document that never was, the one object that there is. */
export const writeSchema = (asked: Export): SchemaMembers => {
  const placed = placedRules(asked);
  if (asked.source) return changedSchema(asked, asked.source, placed);
  const object = newObject(asked, placed);
  return { schema: object && [object], quality: undefined };
};
