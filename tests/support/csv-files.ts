import { parse } from 'csv-parse/sync';
import * as assert from 'uvu/assert';
import { CSV_LAYOUTS, type CsvLayoutName, layoutHeader } from '../../src/csv/layout.ts';
import { writeCsvLines } from '../../src/http/csv-writer.ts';
import { ok } from './expect.ts';
import { type Client, type Reply, type Service, uniqueName } from './service.ts';

/** Builds and parses the CSV files that tests send and read. */

export type CsvCells = Readonly<Record<string, string>>;

/** The rows of a file, header first. */
export const parseRecords = (text: string): string[][] => parse(text, { relax_column_count: true });

/** The rows of a file by the names of their columns, without stars. */
export const parseRows = (text: string): Record<string, string>[] => {
  const [header = [], ...rows] = parseRecords(text);
  return rows.map((row) => Object.fromEntries(header.map((name, at) => [name.replace('*', ''), row[at] ?? ''])));
};

/** A file of a layout; cells that a row does not name are empty. */
export const formatFile = (name: CsvLayoutName, rows: readonly CsvCells[]): string => {
  const layout = CSV_LAYOUTS[name];
  return writeCsvLines([
    layoutHeader(layout),
    ...rows.map((row) => layout.fields.map((field) => row[field.name] ?? '')),
  ]);
};

export const FILE_PATHS = {
  table: '/v1/tables/name',
  databaseService: '/v1/services/databaseServices/name',
  database: '/v1/databases/name',
  databaseSchema: '/v1/databaseSchemas/name',
} as const;

export type FileType = keyof typeof FILE_PATHS;

export const filePathOf = (type: FileType, fqn: string, rest: string): string =>
  `${FILE_PATHS[type]}/${encodeURIComponent(fqn)}/${rest}`;

export const exportFile = async (client: Client, type: FileType, fqn: string, query = ''): Promise<string> => {
  const reply = await client.get(filePathOf(type, fqn, `export${query}`));
  ok(reply);
  return reply.text;
};

export const sendImport = (
  client: Client,
  type: FileType,
  fqn: string,
  text: string,
  query = '?dryRun=false',
): Promise<Reply> =>
  client.raw('PUT', filePathOf(type, fqn, `import${query}`), text, { 'content-type': 'text/plain; charset=UTF-8' });

/** What became of a file, with what is told of each row. */
export const importFile = async (client: Client, type: FileType, fqn: string, text: string, query?: string) => {
  const result = ok(await sendImport(client, type, fqn, text, query));
  const told = parseRows(result.importResultsCsv);
  return { ...result, told, details: told.map(({ status, details }) => `${status}: ${details}`) };
};

export type DatabaseTree = {
  readonly service: string;
  readonly database: string;
  readonly schema: string;
  readonly table: string;
};

const COLUMNS = [
  { name: 'id', dataType: 'BIGINT', constraint: 'PRIMARY_KEY', ordinalPosition: 1 },
  { name: 'name', dataType: 'VARCHAR', dataLength: 40, description: 'Who it is', ordinalPosition: 2 },
  {
    name: 'address',
    dataType: 'STRUCT',
    ordinalPosition: 3,
    children: [
      { name: 'zip', dataType: 'VARCHAR', dataLength: 5 },
      { name: 'city.name', dataType: 'STRING', precision: 3 },
    ],
  },
];

/** A service with a database, a schema, a table with nested columns, and a stored procedure. */
export const createDatabaseTree = async (
  client: Client,
  columns: readonly object[] = COLUMNS,
): Promise<DatabaseTree> => {
  const service = uniqueName('svc');
  ok(await client.post('/v1/services/databaseServices', { name: service, serviceType: 'Postgres' }), 201);
  ok(await client.post('/v1/databases', { name: 'db', service }), 201);
  const database = `${service}.db`;
  ok(await client.post('/v1/databaseSchemas', { name: 'sc', database, description: 'A schema' }), 201);
  const schema = `${database}.sc`;
  const table = `${schema}.orders`;
  ok(
    await client.post('/v1/tables', {
      name: 'orders',
      databaseSchema: schema,
      columns,
      tableConstraints: [{ constraintType: 'PRIMARY_KEY', columns: ['id'] }],
    }),
    201,
  );
  const storedProcedureCode = { language: 'SQL', code: 'BEGIN\n  "x", 1;\nEND' };
  ok(await client.post('/v1/storedProcedures', { name: 'tidy', databaseSchema: schema, storedProcedureCode }), 201);
  return { service, database, schema, table };
};

/** Everything that is known of what lies below a service: a file that changes nothing changes none of it. */
export const readStateBelow = async (service: Service, fqn: string): Promise<string[]> => {
  const rows = await service.graph.query(
    `MATCH (n:Entity) WHERE n.fullyQualifiedName = $fqn OR n.fullyQualifiedName STARTS WITH $below
     RETURN n.fullyQualifiedName AS fqn, n.entityType AS type, properties(n) AS properties,
       COLLECT { MATCH (n)<-[:OWNS]-(o) RETURN o.id ORDER BY o.id } AS owners,
       COLLECT { MATCH (n)-[:IN_DOMAIN]->(o) RETURN o.id ORDER BY o.id } AS domains,
       COLLECT { MATCH (n)-[l:TAGGED]->(o) RETURN o.id + l.labelType ORDER BY o.id } AS tags,
       COUNT { (n)-[:HAS_VERSION]->() } AS versions, COUNT { (n)<-[:ABOUT]-(:ChangeEvent) } AS events,
       COLLECT { MATCH (n)-[:HAS_COLUMN*1..10]->(c) OPTIONAL MATCH (c)-[l:TAGGED]->(o) RETURN c.key + coalesce(o.id, '') ORDER BY c.key, o.id } AS columns
     ORDER BY fqn, type`,
    { fqn, below: `${fqn}.` },
  );
  assert.ok(rows.length > 0);
  return rows.map((row) => JSON.stringify(row));
};
