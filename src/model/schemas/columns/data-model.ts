import { isObject, type Json, type JsonObject, member } from '../../json.ts';
import { jsonObjects } from '../../json-parts.ts';
import { foldCase } from '../../kind/columns.ts';
import { DateTime, listOf, Markdown, must, oneOf, Ref, shape, TagLabel, Text } from '../../values.ts';
import { EmbeddedColumns } from './column.ts';

/** How a table is made, as a tool that models data tells it. */
export const DataModel = shape('DataModel', {
  modelType: must(oneOf(['DBT', 'DDL'])),
  resourceType: Text,
  dbtSourceProject: Text,
  description: Markdown,
  path: Text,
  rawSql: Text,
  sql: Text,
  upstream: listOf(Text),
  owners: listOf(Ref),
  tags: listOf(TagLabel),
  columns: EmbeddedColumns,
  generatedAt: DateTime,
});

const TIER = 'Tier.';

const objectsAt = (holder: JsonObject, name: string): readonly JsonObject[] => jsonObjects(member(holder, name));

const tagOf = (label: JsonObject): string => String(label['tagFQN']);

/** Adds the labels that are missing. A tier that was chosen stays, because there can be only one. */
const withLabels = (holder: JsonObject, labels: readonly JsonObject[]): JsonObject => {
  const present = objectsAt(holder, 'tags');
  const hasTier = present.some((label) => tagOf(label).startsWith(TIER));
  const missing = labels.filter(
    (label) => !present.some((known) => tagOf(known) === tagOf(label)) && !(hasTier && tagOf(label).startsWith(TIER)),
  );
  return missing.length === 0 ? holder : { ...holder, tags: [...present, ...missing] };
};

const withColumnLabels = (columns: readonly JsonObject[], told: readonly JsonObject[]): readonly JsonObject[] => {
  const byName = new Map(told.map((column) => [foldCase(String(column['name'])), column]));
  return columns.map((column) => {
    const model = byName.get(foldCase(String(column['name'])));
    if (model === undefined) return column;
    const children = withColumnLabels(objectsAt(column, 'children'), objectsAt(model, 'children'));
    const labelled = withLabels(column, objectsAt(model, 'tags'));
    return children.length === 0 ? labelled : { ...labelled, children };
  });
};

/** Adds owners where the table has none of its own; those that it inherits are not its own. */
const withOwners = (document: JsonObject, owners: readonly JsonObject[]): JsonObject => {
  const present = objectsAt(document, 'owners');
  const hasOwn = present.some((owner) => member(owner, 'inherited') !== true);
  return hasOwn || owners.length === 0 ? document : { ...document, owners };
};

/**
 * Applies what a data model says of its table: its labels are added to the table and to the columns of the same names,
 * and its owners where the table has none.
 */
export const applyDataModel = (document: JsonObject, model: Json): JsonObject => {
  if (!isObject(model)) return document;
  const labelled = withLabels(withOwners(document, objectsAt(model, 'owners')), objectsAt(model, 'tags'));
  const columns = withColumnLabels(objectsAt(labelled, 'columns'), objectsAt(model, 'columns'));
  return columns.length === 0 ? labelled : { ...labelled, columns };
};
