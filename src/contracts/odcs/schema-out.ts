import { equalJson, isObject, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';
import { lookupParts } from '../../model/name.ts';
import { joinKey, type PropertyRead } from './columns-in.ts';
import { type Writing, writeProperties } from './columns-out.ts';
import { type Elements, elementsBy } from './elements.ts';
import { overlay } from './overlay.ts';
import { compact, itemsOf, objectsIn, sameText, textOf } from './parts.ts';
import { columnOf, readRules } from './quality-in.ts';
import { type PlacedRule, type RuleLists, writeRules } from './quality-out.ts';
import { ruleCases } from './rule-cases.ts';
import type { Selected } from './select.ts';
import { columnFinder, type Target } from './target.ts';
import { columnOfTest, ruleOfTest } from './test-rules.ts';

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
    const key = joinKey(parent, textOf(column['name']) ?? '');
    return { ...one, column, key, children: renamed(one.children, objectsIn(column['children']), key) };
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
    ...Object.fromEntries(TYPE_MEMBERS.map((member) => [member, column?.[member]]).filter(([, value]) => value !== undefined)),
    name,
  });

/** Columns with one more at a path, and what lies above it. */
const withColumn = (
  columns: readonly JsonObject[],
  [name, ...below]: readonly string[],
  known: readonly JsonObject[],
): readonly JsonObject[] => {
  if (name === undefined) return columns;
  const place = columns.findIndex((column) => sameText(textOf(column['name']), name));
  const entity = known.find((column) => sameText(textOf(column['name']), name));
  const column = columns[place] ?? bare(textOf(entity?.['name']) ?? name, entity);
  const children = withColumn(objectsIn(column['children']), below, objectsIn(entity?.['children']));
  const whole = children.length === 0 ? column : { ...column, children };
  return place === -1 ? [...columns, whole] : columns.with(place, whole);
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
  const columns = objectsIn(contract['schema']);
  const madeColumns = objectsIn(source?.made['schema']);
  const finders = [columns, madeColumns, target.columns].map(columnFinder);
  const isColumn = (name: string) => finders.some((found) => found(name) !== undefined);
  const objectName = source?.selected.name;
  const columnFor = (rule: JsonObject) => columnOf(rule, [objectName, target.name], isColumn);
  const placed = (rule: JsonObject, column: string | undefined): PlacedRule => ({
    rule,
    ...(column !== undefined && { column }),
  });
  const rules = objectsIn(contract['odcsQualityRules']);
  const produced = ruleCases(rules, target, objectName).flatMap(({ test }) => test ?? []);
  const isProduced = (test: JsonObject) =>
    produced.some(({ name, column }) => sameText(name, textOf(test['name'])) && sameText(column ?? '', columnOfTest(test) ?? ''));
  const added = testCases.filter((test) => !isProduced(test)).map((test) => placed(ruleOfTest(test), columnOfTest(test)));
  const wanted = rules.map((rule) => placed(rule, columnFor(rule)));
  const read = source ? readRules(source.document, source.selected, source.read) : [];
  const [inContract, wasThere] = finders;
  const strangers = [...wanted, ...added].flatMap(({ column }) =>
    column === undefined || inContract?.(column) || wasThere?.(column) ? [] : [column],
  );
  return {
    lists: writeRules(read, wanted, added, columnFor),
    columns: strangers.reduce((all, column) => withColumn(all, lookupParts(column) ?? [column], target.columns), columns),
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
  const description = textOf(target.description);
  return compact({ name: target.name, logicalType: 'object', physicalType, description, ...content });
};

const withList = (out: MutableJsonObject, name: string, list: Json): void => {
  if (itemsOf(list).length === 0) delete out[name];
  else out[name] = list;
};

type Both = { readonly made: Elements; readonly wanted: Elements };

const elementsOfBoth = ({ contract }: Export, { selected, read, made }: SourceRead): Both => {
  const { object, name } = selected;
  const isSilent = object?.['authoritativeDefinitions'] === undefined && object?.['transformSourceObjects'] === undefined;
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
  const properties = writeProperties(selected.properties, objectsIn(made['schema']), columns, TOP, writing);
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
