/** The catalog that is measured: one service, ten databases of ten schemas, and as many tables as asked for. */

const DATABASES = 10;
const SCHEMAS = 10;
export const BATCH = 1000;
const SERVICE = 'bench';

export const TYPES = [
  'BIGINT',
  'VARCHAR',
  'TIMESTAMP',
  'DECIMAL',
  'BOOLEAN',
  'VARCHAR',
  'DATE',
  'INT',
  'VARCHAR',
  'DOUBLE',
];

const columns = TYPES.map((dataType, index) => ({
  name: `column_${index}`,
  dataType,
  dataTypeDisplay: dataType.toLowerCase(),
  ...(dataType === 'VARCHAR' ? { dataLength: 256 } : {}),
  description: `What column ${index} of this table holds, in the words of the team that fills it.`,
}));

const SYLLABLES = ['ba', 'ce', 'di', 'fo', 'gu', 'ka', 'le', 'mi', 'no', 'pu'];

/** A word for a number, so far from those of all others that no slip of the pen makes one of them the other. */
export const topicOf = (number: number): string => {
  const half = [...String(number).padStart(4, '0')].map((digit) => SYLLABLES[Number(digit)]).join('');
  return half + half;
};

const numberIn = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);

export const tableBody = (name: string, databaseSchema: string): Record<string, unknown> => ({
  name,
  databaseSchema,
  description: `Rows of ${name} about ${topicOf(numberIn(name))}, loaded every night and checked in the morning.`,
  tableType: 'Regular',
  columns,
});

const databaseName = (index: number): string => `database_${index}`;
const schemaFqn = (index: number): string =>
  `${SERVICE}.${databaseName(Math.floor(index / SCHEMAS))}.schema_${index % SCHEMAS}`;

/** The schema that `POST` and the raw writer fill, apart from the others so that these stay equally large. */
export const SPARE_SCHEMA = `${SERVICE}.${databaseName(0)}.spare`;

/** What has to exist before the first table, in order: path and body of each `PUT`. */
export const containers = (): readonly { readonly path: string; readonly body: object }[] => [
  { path: '/v1/services/databaseServices', body: { name: SERVICE, serviceType: 'Mysql' } },
  ...Array.from({ length: DATABASES }, (_, index) => ({
    path: '/v1/databases',
    body: { name: databaseName(index), service: SERVICE },
  })),
  ...[...Array.from({ length: DATABASES * SCHEMAS }, (_, index) => schemaFqn(index)), SPARE_SCHEMA].map((fqn) => ({
    path: '/v1/databaseSchemas',
    body: { name: fqn.slice(fqn.lastIndexOf('.') + 1), database: fqn.slice(0, fqn.lastIndexOf('.')) },
  })),
];

/** One bulk request of the load. Names repeat from schema to schema, as they do in real warehouses. */
export const batchBody = (batch: number, tables: number): Record<string, unknown>[] => {
  const perSchema = tables / (DATABASES * SCHEMAS);
  return Array.from({ length: BATCH }, (_, row) => {
    const index = batch * BATCH + row;
    const schema = Math.floor(index / perSchema);
    return tableBody(`table_${String(index - schema * perSchema).padStart(4, '0')}`, schemaFqn(schema));
  });
};

const PLACES = { lake: 'bench_lake', flows: 'bench_flows' } as const;

/** Kinds that are ingested in bulk beside tables, and what one row of each says. */
export const BULK_KINDS = {
  containers: {
    path: '/v1/containers',
    row: (name: string) => ({
      name,
      service: PLACES.lake,
      prefix: `/raw/${name}`,
      numberOfObjects: 12,
      size: 4096,
      fileFormats: ['parquet'],
      fullPath: `s3://lake/raw/${name}`,
      dataModel: { isPartitioned: false, columns: columns.slice(0, 5) },
    }),
  },
  pipelines: {
    path: '/v1/pipelines',
    row: (name: string) => ({
      name,
      service: PLACES.flows,
      sourceUrl: `https://flows.example/${name}`,
      tasks: ['extract', 'transform', 'load'].map((task) => ({ name: task, taskType: 'Python' })),
    }),
  },
  services: {
    path: '/v1/services/messagingServices',
    row: (name: string) => ({
      name,
      serviceType: 'Kafka',
      connection: { config: { type: 'Kafka', bootstrapServers: `${name}.example:9092`, saslPassword: 'hidden' } },
    }),
  },
} as const;

export type BulkKind = keyof typeof BULK_KINDS;

/** What containers and pipelines hang below. */
export const kindServices = (): readonly { readonly path: string; readonly body: object }[] => [
  { path: '/v1/services/storageServices', body: { name: PLACES.lake, serviceType: 'S3' } },
  { path: '/v1/services/pipelineServices', body: { name: PLACES.flows, serviceType: 'Airflow' } },
];

export const kindRows = (kind: BulkKind, batch: number): readonly object[] =>
  Array.from({ length: BATCH }, (_, row) => BULK_KINDS[kind].row(`bench_${kind}_${batch}_${row}`));
