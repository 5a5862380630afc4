import { equalJson, isObject, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';
import { trySplitFqn } from '../../model/name.ts';
import { type ImportedProperty, joinColumnPath } from './columns-in.ts';
import { type ColumnWriteContext, writeProperties } from './columns-out.ts';
import { type ElementExtensions, groupElements } from './elements.ts';
import { threeWayMerge } from './overlay.ts';
import { groupByKey, jsonItems, nonBlankText, omitEmpty } from './parts.ts';
import { readQualityRules, ruleColumnOf } from './quality-in.ts';
import { type ChangedRuleLists, type PlacedRule, writeQualityRules } from './quality-out.ts';
import { buildRuleCases } from './rule-cases.ts';
import type { SelectedObject } from './select.ts';
import { createColumnPathFinder, type ImportTarget } from './target.ts';
import { testColumnOf, testToRule } from './test-rules.ts';
import { jsonObjects } from './walk.ts';

/** Writes the schema of a document for the contract, with the rules in their lists (odcs.md 3, 4, 5). */

/** A source document with the part that the contract is about, and what was imported from it. */
export type ExportSource = {
  readonly document: JsonObject;
  readonly selected: SelectedObject;
  readonly read: readonly ImportedProperty[];
  readonly made: JsonObject;
};

/** Renames imported properties to the names that their columns got in the contract at import. */
export const renameImportedColumns = (
  read: readonly ImportedProperty[],
  columns: readonly JsonObject[],
  parent = '',
): readonly ImportedProperty[] =>
  read.map((one, index) => {
    const column = columns[index] ?? one.column;
    const key = joinColumnPath(parent, nonBlankText(column['name']) ?? '');
    return { ...one, column, key, children: renameImportedColumns(one.children, jsonObjects(column['children']), key) };
  });

const PHYSICAL_TYPES: Readonly<Record<string, string>> = {
  table: 'table',
  topic: 'topic',
  apiEndpoint: 'endpoint',
  container: 'file',
  dashboardDataModel: 'view',
};

const TYPE_MEMBERS = ['name', 'dataType', 'arrayDataType', 'dataTypeDisplay', 'dataLength', 'precision', 'scale'];

/** A column with only the name and type of the entity's column. */
const toBareColumn = (name: string, column: JsonObject | undefined): JsonObject =>
  omitEmpty({
    dataType: 'STRING',
    ...Object.fromEntries(
      TYPE_MEMBERS.map((member) => [member, column?.[member]]).filter(([, value]) => value !== undefined),
    ),
    name,
  });

const lowerCaseName = (column: JsonObject): string => nonBlankText(column['name'])?.toLowerCase() ?? '';

/** Adds columns at further paths, including their ancestors. */
const addColumns = (
  columns: readonly JsonObject[],
  paths: readonly (readonly string[])[],
  known: readonly JsonObject[],
): readonly JsonObject[] => {
  const entities = groupByKey(known, lowerCaseName);
  const missing = groupByKey(
    paths.filter((path) => path.length > 0),
    ([name = '']) => name.toLowerCase(),
  );
  const complete = (column: JsonObject): JsonObject => {
    const below = (missing.get(lowerCaseName(column)) ?? []).map((path) => path.slice(1));
    const [entity] = entities.get(lowerCaseName(column)) ?? [];
    const children = addColumns(jsonObjects(column['children']), below, jsonObjects(entity?.['children']));
    return children.length === 0 ? column : { ...column, children };
  };
  if (missing.size === 0) return columns;
  const there = new Set(columns.map(lowerCaseName));
  const added = [...missing].flatMap(([folded, [path = []]]) => {
    const [entity] = entities.get(folded) ?? [];
    return there.has(folded) ? [] : [toBareColumn(nonBlankText(entity?.['name']) ?? path[0] ?? '', entity)];
  });
  return [...columns, ...added].map((column) => (missing.has(lowerCaseName(column)) ? complete(column) : column));
};

type SchemaExport = {
  readonly contract: JsonObject;
  readonly target: ImportTarget;
  readonly testCases: readonly JsonObject[];
  readonly source?: ExportSource;
};

type PlacedRules = { readonly lists: ChangedRuleLists; readonly columns: readonly JsonObject[] };

/** Collects the rules of a contract and of its linked tests, and adds the columns that only rules name. */
const placeRules = ({ contract, target, testCases, source }: SchemaExport): PlacedRules => {
  const columns = jsonObjects(contract['schema']);
  const madeColumns = jsonObjects(source?.made['schema']);
  const finders = [columns, madeColumns, target.columns].map(createColumnPathFinder);
  const isColumn = (name: string) => finders.some((found) => found(name) !== undefined);
  const objectName = source?.selected.name;
  const columnFor = (rule: JsonObject) => ruleColumnOf(rule, [objectName, target.name], isColumn);
  const placed = (rule: JsonObject, column: string | undefined): PlacedRule => ({
    rule,
    ...(column !== undefined && { column }),
  });
  const rules = jsonObjects(contract['odcsQualityRules']);
  const produced = buildRuleCases(rules, target, objectName).flatMap(({ test }) => test ?? []);
  const keyOf = (name: string | undefined, column: string | undefined) => `${column ?? ''}\u0001${name}`.toLowerCase();
  const names = new Set(produced.map(({ name, column }) => keyOf(name, column)));
  const isProduced = (test: JsonObject) => names.has(keyOf(nonBlankText(test['name']), testColumnOf(test)));
  const added = testCases
    .filter((test) => !isProduced(test))
    .map((test) => placed(testToRule(test), testColumnOf(test)));
  const wanted = rules.map((rule) => placed(rule, columnFor(rule)));
  const read = source ? readQualityRules(source.document, source.selected, source.read) : [];
  const [inContract, wasThere] = finders;
  const unknownColumns = [...wanted, ...added].flatMap(({ column }) =>
    column === undefined || inContract?.(column) || wasThere?.(column) ? [] : [column],
  );
  return {
    lists: writeQualityRules(read, wanted, added, columnFor),
    columns: addColumns(
      columns,
      unknownColumns.map((column) => trySplitFqn(column) ?? [column]),
      target.columns,
    ),
  };
};

const createWriteContext = (
  made: ElementExtensions,
  wanted: ElementExtensions,
  lists: ChangedRuleLists,
): ColumnWriteContext => ({
  made: made.column,
  wanted: wanted.column,
  rules: lists.column,
  keys: { last: 0 },
});

const ROOT_PATHS = { made: '', wanted: '' };

const createObject = ({ contract, target }: SchemaExport, { lists, columns }: PlacedRules): JsonObject | undefined => {
  const isColumnName = columns.some((column) => column['name'] === target.name);
  const wanted = groupElements(contract, target.name, isColumnName);
  const writing = createWriteContext(groupElements({}, undefined), wanted, lists);
  const content = omitEmpty({
    ...wanted.object,
    properties: writeProperties([], [], columns, ROOT_PATHS, writing),
    quality: lists.object,
  });
  if (Object.keys(content).length === 0) return undefined;
  const physicalType = PHYSICAL_TYPES[target.entityType] ?? 'table';
  const description = nonBlankText(target.description);
  return omitEmpty({ name: target.name, logicalType: 'object', physicalType, description, ...content });
};

const setList = (out: MutableJsonObject, name: string, list: Json): void => {
  if (jsonItems(list).length === 0) delete out[name];
  else out[name] = list;
};

type ElementsPair = { readonly made: ElementExtensions; readonly wanted: ElementExtensions };

const groupBothElements = ({ contract }: SchemaExport, { selected, read, made }: ExportSource): ElementsPair => {
  const { object, name } = selected;
  const isSilent =
    object?.['authoritativeDefinitions'] === undefined && object?.['transformSourceObjects'] === undefined;
  const isColumnName = read.some(({ key }) => key === name);
  return {
    made: groupElements(made, name, isSilent && isColumnName),
    wanted: groupElements(contract, name, isSilent && isColumnName),
  };
};

const updateObject = (
  object: JsonObject,
  both: ElementsPair,
  properties: Json,
  lists: ChangedRuleLists,
): JsonObject => {
  const out: MutableJsonObject = { ...threeWayMerge(object, both.made.object, both.wanted.object) };
  if (properties !== (object['properties'] ?? properties)) {
    setList(out, 'properties', properties);
    // Without columns only the type shows that this is an object.
    if (out['properties'] === undefined && out['logicalType'] === undefined) out['logicalType'] = 'object';
  } else if (jsonItems(properties).length > 0) {
    out['properties'] = properties;
  }
  if (lists.object !== undefined) setList(out, 'quality', lists.object);
  return out;
};

/** The document members that contain the schema: `schema`, and the rules at the root. */
export type DocumentSchemaMembers = { readonly schema: Json | undefined; readonly quality: Json | undefined };

const updateSchema = (input: SchemaExport, source: ExportSource, placed: PlacedRules): DocumentSchemaMembers => {
  const { document, selected, read, made } = source;
  const { lists, columns } = placed;
  const both = groupBothElements(input, source);
  const writing = createWriteContext(both.made, both.wanted, lists);
  const schema = document['schema'];
  const properties = writeProperties(selected.properties, jsonObjects(made['schema']), columns, ROOT_PATHS, writing);
  const quality = lists.root === undefined ? document['quality'] : lists.root;
  if (selected.object !== undefined && selected.index !== undefined) {
    const object = updateObject(selected.object, both, properties, lists);
    const isSame = equalJson(object, selected.object);
    return { schema: isSame ? schema : jsonItems(schema).with(selected.index, object), quality };
  }
  if (read.length > 0) {
    // Bare columns have no object, so the object's rules stay at the root.
    const all = lists.object === undefined ? quality : [...jsonItems(quality), ...lists.object];
    return { schema: jsonItems(properties).length === 0 ? undefined : properties, quality: all };
  }
  const object = createObject(input, placed);
  return { schema: object === undefined ? schema : [...jsonItems(schema).filter(isObject), object], quality };
};

/** Writes the schema of a document for the contract; without a source document, it has a single object. */
export const writeDocumentSchema = (input: SchemaExport): DocumentSchemaMembers => {
  const placed = placeRules(input);
  if (input.source) return updateSchema(input, input.source, placed);
  const object = createObject(input, placed);
  return { schema: object && [object], quality: undefined };
};
