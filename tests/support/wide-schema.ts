import { ok } from './expect.ts';
import { type Client, type Service, uniqueName } from './service.ts';

/** Creates database schemas with many tables and counts their events. */

/** A database with one schema and many tables in its own service. */
export type WideSchema = {
  readonly service: string;
  /** The full name of the schema. */
  readonly schema: string;
  readonly database: { readonly id: string };
};

export const tableRows = (schema: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `t${at}`,
    databaseSchema: schema,
    columns: [{ name: 'id', dataType: 'INT' }],
  }));

export const createWideSchema = async (client: Client, tables: number): Promise<WideSchema> => {
  const name = uniqueName('wide');
  ok(await client.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  const database = ok(await client.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await client.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  const schema = `${name}.db.public`;
  for (let start = 0; start < tables; start += 1000) {
    ok(await client.put('/v1/tables/bulk', tableRows(schema, tables).slice(start, start + 1000)));
  }
  return { service: name, schema, database };
};

export type TableTally = {
  readonly alive: number;
  readonly hidden: number;
  /** The versions that the tables are at, and how many former ones each has kept. */
  readonly versions: readonly number[];
  readonly kept: readonly number[];
  readonly events: number;
};

/** What became of the tables of a schema, and how often it was told of. */
export const countTables = async ({ graph }: Service, schema: string, eventType: string): Promise<TableTally> => {
  const [row] = await graph.query(
    `MATCH (n:Table) WHERE n.fullyQualifiedName STARTS WITH $prefix
     RETURN count(CASE WHEN n:LiveTable AND NOT n.deleted THEN 1 END) AS alive,
       count(CASE WHEN n.deleted AND NOT n:LiveTable THEN 1 END) AS hidden,
       collect(DISTINCT n.version) AS versions,
       collect(DISTINCT COUNT { (n)-[:HAS_VERSION]->() }) AS kept,
       sum(COUNT { (n)<-[:ABOUT]-(:ChangeEvent {eventType: $eventType}) }) AS events`,
    { prefix: `${schema}.`, eventType },
  );
  return row as TableTally;
};

/** How many farewells were said to records below a service, and to how many of them. */
export const countDeletionEvents = async ({ graph }: Service, service: string) => {
  const [row] = await graph.query(
    `MATCH (e:ChangeEvent {eventType: 'entityDeleted'}) WHERE e.json CONTAINS $name
     RETURN count(e) AS events, count(DISTINCT e.entityId) AS records`,
    { name: `"entityFullyQualifiedName":"${service}.` },
  );
  return row;
};

/** How many far-reaching changes are still under way in the whole store. */
export const countIntents = async ({ graph }: Service): Promise<unknown> =>
  (await graph.query('MATCH (n:Intent)-->() RETURN count(n) AS left'))[0]?.['left'];
