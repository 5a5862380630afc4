import { groupBy } from '../../../model/group-by.ts';
import {
  canonicalJson,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  withoutMember,
} from '../../../model/json.ts';
import { jsonItems, jsonObjects, nonBlankText } from '../../../model/json-parts.ts';
import { trySplitFqn } from '../../../model/name.ts';
import { dropNulls } from '../../../model/validate.ts';
import { type ElementExtensions, groupElements } from '../fundamentals.ts';
import { omitEmpty, pairByKeys } from '../json-parts.ts';
import { buildRuleCases, testColumnOf, testToRule } from '../rules/rule-tests.ts';
import { threeWayMerge } from '../three-way-merge.ts';
import {
  createColumnPathFinder,
  type ImportedProperty,
  type ImportedRule,
  type ImportTarget,
  joinColumnPath,
  type RuleLocation,
  readQualityRules,
  ruleColumnOf,
  type SelectedObject,
} from './read-schema.ts';
import { type ColumnWriteContext, writeProperties } from './write-columns.ts';

/** Writes the schema of a document for the contract, with the rules in their lists (odcs.md 3, 4, 5). */

/** A rule of a contract and the column it is about. */
type PlacedRule = { readonly rule: JsonObject; readonly column?: string };

/** The lists of rules that changed, by location. */
type ChangedRuleLists = {
  readonly root?: readonly Json[];
  readonly object?: readonly Json[];
  readonly column: (key: string) => readonly Json[] | undefined;
};

const locationKey = (home: RuleLocation): string =>
  typeof home === 'string' ? home : `column:${home.column.toLowerCase()}`;

const locationOf = (column: string | undefined): RuleLocation => (column === undefined ? 'object' : { column });

type RuleEntry = PlacedRule & { readonly home: RuleLocation; readonly read?: ImportedRule };

const SUBJECT_MEMBERS = ['type', 'metric', 'rule', 'query', 'engine', 'implementation'] as const;

const columnKey = ({ column }: RuleEntry): string => (column ?? '').toLowerCase();

/** The key of what a rule checks, regardless of its bounds. */
const subjectKey = (entry: RuleEntry): string =>
  canonicalJson([columnKey(entry), ...SUBJECT_MEMBERS.map((name) => entry.rule[name] ?? null)]);

/** Creates keys by rule ID. A rule without an ID gets a unique key, so that it matches no other. */
const createIdKey = (): ((kept: RuleEntry) => string) => {
  let nameless = 0;
  return (kept) => {
    const id = nonBlankText(kept.rule['id']);
    nameless += 1;
    return id === undefined ? `\u0000${nameless}` : `${columnKey(kept)}\u0001${id}`;
  };
};

/** Records drop nulls, so a null in a document is not a difference. */
const dropNullMembers = (rule: JsonObject): JsonObject => dropNulls(rule) as JsonObject;

/** Builds a rule as a list of the document contains it; the list determines the column. */
const toListedRule = ({ rule, read }: RuleEntry, before: ImportedRule | undefined): JsonObject => {
  const source = (before ?? read)?.source;
  const isNamed = source !== undefined && Object.hasOwn(source, 'column');
  return isNamed ? rule : withoutMember(rule, 'column');
};

/** Updates a rule to the contract's current one; unchanged members stay as written in the document. */
const updateRule = (wanted: RuleEntry, before: ImportedRule | undefined): JsonObject => {
  const after = toListedRule(wanted, before);
  if (before === undefined) return after;
  const [source, made] = [before.source, toListedRule({ ...wanted, rule: dropNullMembers(before.rule) }, before)];
  const kept = Object.entries(source).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    const now = member(after, name);
    if (equalJson(member(made, name), now)) return [[name, value]];
    return now === undefined ? [] : [[name, now]];
  });
  const added = Object.entries(after).filter(([name]) => !Object.hasOwn(source, name));
  const isSame = added.length === 0 && kept.length === Object.keys(source).length;
  return isSame && kept.every(([name, value]) => source[name] === value)
    ? source
    : Object.fromEntries([...kept, ...added]);
};

/** Writes every list of rules that differs from the contract; `added` are rules that the contract does not store. */
const writeQualityRules = (
  read: readonly ImportedRule[],
  wanted: readonly PlacedRule[],
  added: readonly PlacedRule[],
  columnOf: (rule: JsonObject) => string | undefined,
): ChangedRuleLists => {
  const before = read.map((one): RuleEntry => {
    const column = typeof one.home === 'string' ? columnOf(one.rule) : one.home.column;
    return { rule: dropNullMembers(one.rule), home: one.home, read: one, ...(column !== undefined && { column }) };
  });
  const after = wanted.map(
    (one): RuleEntry => ({ ...one, rule: dropNullMembers(one.rule), home: locationOf(one.column) }),
  );
  const equal = (kept: RuleEntry) => `${columnKey(kept)}\u0001${canonicalJson(withoutMember(kept.rule, 'column'))}`;
  const partners = pairByKeys(after, before, equal, createIdKey(), subjectKey, columnKey);
  const items = after.map((one, index) => {
    const partner = before[partners[index] ?? -1];
    return { home: partner?.home ?? one.home, rule: updateRule(one, partner?.read) };
  });
  const all = [...items, ...added.map(({ rule, column }) => ({ home: locationOf(column), rule }))];
  const lists = groupBy(all, ({ home }) => locationKey(home));
  const sources = groupBy(read, ({ home }) => locationKey(home));
  const listFor = (home: RuleLocation): readonly Json[] | undefined => {
    const [now, then] = [lists.get(locationKey(home)) ?? [], sources.get(locationKey(home)) ?? []];
    const isSame = now.length === then.length && now.every(({ rule }, index) => rule === then[index]?.source);
    return isSame ? undefined : now.map(({ rule }) => rule);
  };
  const [root, object] = [listFor('root'), listFor('object')];
  return {
    ...(root !== undefined && { root }),
    ...(object !== undefined && { object }),
    column: (column) => listFor({ column }),
  };
};

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
  const entities = groupBy(known, lowerCaseName);
  const missing = groupBy(
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
