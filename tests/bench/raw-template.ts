import { randomUUID } from 'node:crypto';
import type { Driver } from 'neo4j-driver';

type Properties = { readonly [name: string]: unknown };

/** What one table is made of in the graph, ready to be written again under another name. */
export type Template = {
  readonly labels: readonly string[];
  readonly parentId: string;
  readonly id: string;
  readonly eventId: string;
  readonly name: string;
  readonly properties: Properties;
  readonly columns: readonly { readonly position: unknown; readonly properties: Properties }[];
  readonly event: Properties;
  readonly mark: Properties;
  /** What it is found by. */
  readonly document: Properties;
};

/** The parameters that write one table. */
export type TableRow = Pick<Template, 'parentId' | 'properties' | 'columns' | 'event' | 'mark' | 'document'>;

const SAMPLE = `
MATCH (n:Table {fullyQualifiedName: $fqn})<-[:CONTAINS]-(parent)
MATCH (event:ChangeEvent)-[:ABOUT]->(n)
MATCH (doc:SearchDoc {id: n.id})
RETURN labels(n) AS labels, parent.id AS parentId, n.id AS id, event.id AS eventId, n.name AS name,
  properties(n) AS properties, event{.*, seq: null, place: null} AS event, {entityId: n.id, entityType: n.entityType, revision: n.revision} AS mark,
  properties(doc) AS document,
  COLLECT {
    MATCH (n)-[has:HAS_COLUMN]->(c:Column)
    RETURN {position: has.position, properties: properties(c)}
  } AS columns`;

/**
 * Takes a table that the service wrote as the model for the raw writer, so that both write the same whatever the
 * service will come to write.
 */
export const learnTemplate = async (driver: Driver, fqn: string): Promise<Template> => {
  const { records } = await driver.executeQuery(SAMPLE, { fqn });
  const [record] = records;
  if (records.length !== 1 || !record) throw new Error(`${fqn} was not written once, but ${records.length} times`);
  return record.toObject() as unknown as Template;
};

const swapIn = (properties: Properties, swap: (text: string) => string): Properties => {
  const swapped: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(properties)) {
    swapped[name] = typeof value === 'string' ? swap(value) : value;
  }
  return swapped;
};

/** The model under another name, with ids of its own. */
export const copyOf = (template: Template, name: string): TableRow => {
  const id = randomUUID();
  const eventId = randomUUID();
  const swap = (text: string) =>
    text.replaceAll(template.id, id).replaceAll(template.name, name).replaceAll(template.eventId, eventId);
  return {
    parentId: template.parentId,
    properties: swapIn(template.properties, swap),
    columns: template.columns.map((column) => ({ ...column, properties: swapIn(column.properties, swap) })),
    event: swapIn(template.event, swap),
    mark: swapIn(template.mark, swap),
    document: swapIn(template.document, swap),
  };
};

/** Writes tables as an unhurried author of a script would: one statement, everything in it. */
export const writeStatement = (template: Template): string => `
UNWIND $rows AS row
MATCH (parent:Entity {id: row.parentId})
CREATE (n:${template.labels.join(':')})
SET n = row.properties
CREATE (parent)-[:CONTAINS]->(n)
CREATE (event:ChangeEvent:Unsequenced)-[:ABOUT]->(n)
SET event = row.event
CREATE (mark:Dirty)
SET mark = row.mark
CREATE (doc:SearchDoc)
SET doc = row.document
WITH n, row
UNWIND row.columns AS column
CREATE (n)-[:HAS_COLUMN {position: column.position}]->(c:Column)
SET c = column.properties`;
