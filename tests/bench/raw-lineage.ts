/** Edges of lineage by the bare driver, in the shape in which the service writes them. */
import { randomUUID } from 'node:crypto';
import type { Driver } from 'neo4j-driver';

type Properties = { readonly [name: string]: unknown };

/** What one edge is made of in the graph, ready to be written again between other records. */
export type EdgeTemplate = {
  readonly from: string;
  readonly to: string;
  readonly edge: Properties;
  readonly said: Properties;
  readonly event: Properties;
  readonly pairs: readonly { readonly from: string; readonly to: string; readonly properties: Properties }[];
};

/** Where an edge begins and ends, by the ids of the records. */
export type EdgeEnds = readonly [from: string, to: string];

const SAMPLE = `
MATCH (from:Entity {id: $from})-[edge:FEEDS]->(to:Entity {id: $to})
MATCH (said:Assertion {edgeId: edge.id})
MATCH (event:ChangeEvent {eventType: 'entityLineageAdded'})-[:ABOUT]->(from)
RETURN from.id AS from, to.id AS to, properties(edge) AS edge, properties(said) AS said,
  event{.*, seq: null, place: null} AS event,
  COLLECT {
    MATCH (from)-[:HAS_COLUMN]->(one:Column)-[pair:DERIVES]->(other:Column)
    RETURN {from: one.key, to: other.key, properties: properties(pair)}
  } AS pairs`;

/** Takes the only edge out of a record as the model, so that the raw writer writes what the service does. */
export const learnEdge = async (driver: Driver, [from, to]: EdgeEnds): Promise<EdgeTemplate> => {
  const { records } = await driver.executeQuery(SAMPLE, { from, to });
  const [record] = records;
  if (records.length !== 1 || !record) throw new Error(`the edge was not written once, but ${records.length} times`);
  return record.toObject() as unknown as EdgeTemplate;
};

const swapIn = (properties: Properties, swap: (text: string) => string): Properties =>
  Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, typeof value === 'string' ? swap(value) : value]),
  );

/** The model with another column in the place of the first one. */
export const aboutColumn = (template: EdgeTemplate, column: string): EdgeTemplate => {
  const swap = (text: string) => text.replaceAll('column_0', column);
  return {
    ...template,
    edge: swapIn(template.edge, swap),
    said: swapIn(template.said, swap),
    pairs: template.pairs.map((pair) => ({ ...pair, from: swap(pair.from), to: swap(pair.to) })),
  };
};

const eventOf = ({ from, to, event }: EdgeTemplate, ends: EdgeEnds): Properties => {
  const id = randomUUID();
  const known = String(event['id']);
  return swapIn(event, (text) => text.replaceAll(from, ends[0]).replaceAll(to, ends[1]).replaceAll(known, id));
};

const withoutId = ({ id: _, ...rest }: Properties): Properties => rest;

/** What writes edges between so many ends; `told` writes the events about them as well. */
export const edgeParameters = (template: EdgeTemplate, all: readonly EdgeEnds[], told: boolean): Properties => ({
  // No two have one id, not even for as long as a statement takes.
  edge: withoutId(template.edge),
  said: withoutId(template.said),
  derived: template.pairs[0]?.properties ?? {},
  pairs: template.pairs.map(({ from, to }) => [from.slice(template.from.length), to.slice(template.to.length)]),
  rows: all.map(([from, to]) => ({
    from,
    to,
    id: randomUUID(),
    saidId: randomUUID(),
    ...(told ? { event: eventOf(template, [from, to]) } : {}),
  })),
});

const TELL = `
CREATE (event:ChangeEvent:Unsequenced)-[:ABOUT]->(from)
SET event = row.event, event.revision = from.revision
MERGE (mark:Dirty {entityId: row.from})
SET mark.revision = from.revision, mark.entityType = from.entityType`;

/** Writes edges as an unhurried author of a script would: one statement, everything in it. */
export const edgeStatement = (told: boolean): string => `
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
MERGE (from)-[edge:FEEDS]->(to)
SET edge = $edge, edge.id = row.id
SET from.revision = from.revision + 1
SET to.revision = to.revision + 1
CREATE (said:Assertion)
SET said = $said, said.id = row.saidId, said.edgeId = row.id, said.fromId = row.from, said.toId = row.to${told ? TELL : ''}
WITH row
UNWIND $pairs AS pair
MATCH (one:Column {key: row.from + pair[0]})
MATCH (other:Column {key: row.to + pair[1]})
CREATE (one)-[derived:DERIVES]->(other)
SET derived = $derived, derived.edgeId = row.id`;
