import neo4j, { type Driver } from 'neo4j-driver';
import { copyOf, learnTemplate } from '../bench/raw-template.ts';
import { column, feed, type Made, mapping, type World } from '../lineage/fixture.ts';
import { ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';

/**
 * Makes lineage of a size that people have and tests seldom see. One table and one edge come from the API and are copied
 * by the driver, without the search documents that the pages of the lineage do not read; with what is known of the past
 * where two times are compared.
 */

export type LargeLineage = {
  /** A table that 3,500 others are made from. */
  readonly hub: Made;
  /** A table of 3,600 columns, each made from one of another table. */
  readonly wide: Made;
  /** The first of 2,000 tables. */
  readonly many: Made;
  /** The first of 10,000 tables. */
  readonly most: Made;
};

export const HUB_NEIGHBOURS = 3500;
export const WIDE_COLUMNS = 3600;
export const MANY = 2000;
export const MOST = 10_000;

/** Tables of one schema. */
const PER_SCHEMA = 250;

const WRITE_TABLES = (labels: readonly string[]): string => `
UNWIND $rows AS row
MATCH (parent:Entity {id: row.parentId})
CREATE (parent)-[:CONTAINS]->(n:${labels.join(':')})
SET n = row.properties`;

const WRITE_EDGES = `
MATCH (:Entity {id: $from})-[model:FEEDS]->(:Entity {id: $to})
WITH properties(model) AS model
UNWIND $pairs AS pair
MATCH (from:Entity {id: pair[0]})
MATCH (to:Entity {id: pair[1]})
CREATE (from)-[edge:FEEDS]->(to)
SET edge = model, edge.id = randomUUID()
RETURN edge.id AS edgeId, from.id AS fromId, to.id AS toId`;

/** What is known of an edge at other times than now is read from its assertions. */
const WRITE_ASSERTIONS = `
MATCH (:Entity {id: $from})-[model:FEEDS]->(:Entity {id: $to})
MATCH (said:Assertion {edgeId: model.id})
WITH properties(said) AS said
UNWIND $edges AS edge
CREATE (copy:Assertion)
SET copy = said{.*, id: randomUUID(), edgeId: edge.edgeId, fromId: edge.fromId, toId: edge.toId}`;

const REMOVE_ASSERTIONS = `
UNWIND $edges AS edge
MATCH (said:Assertion {edgeId: edge.edgeId})
DETACH DELETE said`;

const REMOVE = `
MATCH (n:Entity)
WHERE n.fullyQualifiedName STARTS WITH $prefix
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS`;

const AT_ONCE = 2000;

const inBatches = async <T>(all: readonly T[], write: (some: readonly T[]) => Promise<unknown>): Promise<void> => {
  for (let start = 0; start < all.length; start += AT_ONCE) await write(all.slice(start, start + AT_ONCE));
};

type Maker = {
  tables(count: number, perSchema: number): Promise<readonly Made[]>;
  edges(pairs: readonly (readonly [Made | undefined, Made | undefined])[]): Promise<readonly object[]>;
  assertions(edges: readonly object[]): Promise<void>;
};

const createMaker = async (world: World, driver: Driver): Promise<Maker> => {
  const [model, reader] = [await world.table('model'), await world.table('reader')];
  const template = await learnTemplate(driver, model.fullyQualifiedName);
  ok(await feed(world.admin, model, reader, { columnsLineage: [mapping(model, ['a'], reader, 'a')] }));
  const tables: Maker['tables'] = async (count, perSchema) => {
    const made: Made[] = [];
    const rows: object[] = [];
    while (made.length < count) {
      const schema = await world.make('databaseSchemas', {
        name: uniqueName('large'),
        database: world.schemaFqn.split('.').slice(0, 2).join('.'),
      });
      const fqnPrefix = `${schema.fullyQualifiedName}.`;
      for (let nth = Math.min(perSchema, count - made.length); nth > 0; nth -= 1) {
        const name = uniqueName('copy');
        const { properties } = copyOf(template, name);
        const moved = Object.fromEntries(
          Object.entries(properties).map(([key, value]) => [
            key,
            typeof value === 'string' ? value.replaceAll(`${world.schemaFqn}.`, fqnPrefix) : value,
          ]),
        );
        rows.push({ parentId: schema.id, properties: moved });
        made.push({ id: String(moved['id']), name, fullyQualifiedName: `${fqnPrefix}${name}` });
      }
    }
    await inBatches(rows, (some) => driver.executeQuery(WRITE_TABLES(template.labels), { rows: some }));
    return made;
  };
  return {
    tables,
    edges: async (joined) => {
      const ends = joined.flatMap(([from, to]) => (from && to && from !== to ? [[from.id, to.id]] : []));
      const made: object[] = [];
      await inBatches(ends, async (pairs) => {
        const { records } = await driver.executeQuery(WRITE_EDGES, { from: model.id, to: reader.id, pairs });
        for (const record of records) made.push(record.toObject());
      });
      return made;
    },
    assertions: (all) =>
      inBatches(all, (edges) => driver.executeQuery(WRITE_ASSERTIONS, { from: model.id, to: reader.id, edges })),
  };
};

/** A tree in which every table feeds two others, and every third one another far away. All come from the first. */
const weave = (tables: readonly Made[]) =>
  tables.flatMap((table, at) => [
    [table, tables[2 * at + 1]] as const,
    [table, tables[2 * at + 2]] as const,
    ...(at % 3 === 2 ? [[table, tables[3 * at + 7]] as const] : []),
  ]);

const makeWide = async (world: World): Promise<{ readonly wide: Made; readonly source: Made }> => {
  const names = Array.from({ length: WIDE_COLUMNS }, (_, at) => `column_${String(at).padStart(4, '0')}`);
  const columns = names.map((name) => column(name));
  const [source, wide] = [await world.table('wide_source', columns), await world.table('wide', columns)];
  const columnsLineage = names.map((name) => mapping(source, [name], wide, name));
  ok(await feed(world.admin, source, wide, { columnsLineage }));
  const small = await world.table('narrow', [column('sum')]);
  ok(await feed(world.admin, wide, small, { columnsLineage: [mapping(wide, ['column_3000'], small, 'sum')] }));
  return { wide, source };
};

type Place = { readonly uri: string; readonly user: string; readonly password: string };

/** Makes all of it; `remove` takes it away again, for the tests that come after. */
export const makeLargeLineage = async (world: World, { uri, user, password }: Place) => {
  const driver = neo4j.driver(uri, neo4j.auth.basic(user, password), { disableLosslessIntegers: true });
  const maker = await createMaker(world, driver);
  const [hub, ...readers] = await maker.tables(HUB_NEIGHBOURS + 1, HUB_NEIGHBOURS + 1);
  await maker.edges(readers.map((reader) => [hub, reader]));
  const many = await maker.tables(MANY, PER_SCHEMA);
  const past = await maker.edges(weave(many));
  await maker.assertions(past);
  const most = await maker.tables(MOST, PER_SCHEMA);
  await maker.edges(weave(most));
  const { wide, source } = await makeWide(world);
  const lineage = { hub, wide, many: many[0], most: most[0] } as LargeLineage;
  const remove = async (): Promise<void> => {
    // These were made by the service, which finds them by their columns as long as they are there.
    for (const { id } of [wide, source]) ok(await world.admin.delete(`/v1/tables/${id}?hardDelete=true`));
    await inBatches(past, (edges) => driver.executeQuery(REMOVE_ASSERTIONS, { edges }));
    // Statements that commit on their way run outside of the driver's transactions.
    const session = driver.session();
    await session.run(REMOVE, { prefix: `${world.serviceFqn}.` });
    await session.close();
    await driver.close();
  };
  return { lineage, remove };
};
