/** The differences between SQL dialects that affect column lineage. */
export type Dialect = {
  readonly name: string;
  /** The parser's grammar for the dialect. */
  readonly grammar: string;
  /** Whether quoted names are case-sensitive; otherwise quotes only allow special characters. */
  readonly exactQuotes: boolean;
  /** The case in which unquoted names are stored. */
  readonly fold: 'lower' | 'upper';
  /** Whether double quotes enclose text instead of names. */
  readonly doubleQuotedText: boolean;
  readonly backslashes: boolean;
  readonly hashComments: boolean;
  readonly nestedComments: boolean;
  readonly brackets: boolean;
  readonly dollarQuotes: boolean;
  readonly tripleQuotes: boolean;
  /** Whether a select item may use the alias of an earlier item. */
  readonly earlierAliases: boolean;
  /** Whether such an alias may also hide a column of the same name, depending on settings. */
  readonly rivalAliases: boolean;
  /** The meaning of `a -> b`: JSON access or a lambda. */
  readonly arrow: 'json' | 'function';
  /** Whether `FROM t x, x.items` iterates over the elements of a column of `t`. */
  readonly pathsInFrom: boolean;
  /** Whether `FROM ONLY t` reads `t` without inheriting tables; no table can be called ONLY then. */
  readonly onlyTables: boolean;
  /** Whether `max(c)` and `c::int` without alias yield columns called `max` and `c`. */
  readonly namesByFunction: boolean;
};

const DEFAULTS: Omit<Dialect, 'name' | 'grammar'> = {
  exactQuotes: false,
  fold: 'lower',
  doubleQuotedText: false,
  backslashes: false,
  hashComments: false,
  nestedComments: false,
  brackets: false,
  dollarQuotes: false,
  tripleQuotes: false,
  earlierAliases: false,
  rivalAliases: false,
  arrow: 'json',
  pathsInFrom: false,
  onlyTables: false,
  namesByFunction: false,
};

const defineDialect = (name: string, own: Partial<Dialect> = {}): Dialect => ({
  ...DEFAULTS,
  name,
  grammar: name,
  ...own,
});

const HADOOP: Partial<Dialect> = { doubleQuotedText: true, backslashes: true, arrow: 'function' };

const GENERIC = defineDialect('generic', {
  earlierAliases: true,
  dollarQuotes: true,
  nestedComments: true,
  onlyTables: true,
});

const DIALECTS: readonly Dialect[] = [
  GENERIC,
  defineDialect('ansi', { exactQuotes: true, fold: 'upper', onlyTables: true }),
  defineDialect('bigquery', {
    doubleQuotedText: true,
    backslashes: true,
    hashComments: true,
    tripleQuotes: true,
    pathsInFrom: true,
  }),
  defineDialect('clickhouse', {
    backslashes: true,
    hashComments: true,
    earlierAliases: true,
    rivalAliases: true,
    arrow: 'function',
  }),
  defineDialect('databricks', { ...HADOOP, earlierAliases: true }),
  defineDialect('duckdb', { dollarQuotes: true, nestedComments: true, earlierAliases: true, arrow: 'function' }),
  defineDialect('hive', HADOOP),
  defineDialect('mssql', { brackets: true, nestedComments: true }),
  defineDialect('mysql', { doubleQuotedText: true, backslashes: true, hashComments: true }),
  defineDialect('oracle', { exactQuotes: true, fold: 'upper' }),
  defineDialect('postgres', {
    grammar: 'postgresql',
    exactQuotes: true,
    dollarQuotes: true,
    nestedComments: true,
    onlyTables: true,
    namesByFunction: true,
  }),
  defineDialect('redshift', {
    dollarQuotes: true,
    nestedComments: true,
    earlierAliases: true,
    pathsInFrom: true,
    namesByFunction: true,
  }),
  defineDialect('snowflake', {
    exactQuotes: true,
    fold: 'upper',
    backslashes: true,
    dollarQuotes: true,
    earlierAliases: true,
    arrow: 'function',
  }),
  defineDialect('spark', { ...HADOOP, earlierAliases: true }),
  defineDialect('sqlite'),
  defineDialect('teradata', { earlierAliases: true }),
  defineDialect('trino', { grammar: 'generic', arrow: 'function' }),
];

/** Aliases of dialects: common other names, and types of services that use the SQL of another product. */
const ALIASES: Readonly<Record<string, string>> = {
  athena: 'trino',
  azuresql: 'mssql',
  cockroach: 'postgres',
  deltalake: 'databricks',
  doris: 'mysql',
  greenplum: 'postgres',
  impala: 'hive',
  mariadb: 'mysql',
  microsoftfabric: 'mssql',
  postgresql: 'postgres',
  presto: 'trino',
  questdb: 'postgres',
  singlestore: 'mysql',
  sparksql: 'spark',
  sqlserver: 'mssql',
  starrocks: 'mysql',
  synapse: 'mssql',
  timescale: 'postgres',
  tsql: 'mssql',
  unitycatalog: 'databricks',
};

const DIALECT_BY_NAME: ReadonlyMap<string, Dialect> = new Map(DIALECTS.map((one) => [one.name, one]));

/** The names of the dialects, without aliases. */
export const DIALECT_NAMES: readonly string[] = DIALECTS.map((one) => one.name);

/** Finds a dialect by name or service type; undefined for an unknown name. */
export const findDialect = (name: string): Dialect | undefined => {
  const word = name.toLowerCase();
  return DIALECT_BY_NAME.get(Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? word) : word);
};

/** Returns the dialect of a service type; unknown types use the most permissive dialect. */
export const dialectOfService = (serviceType: string | undefined): Dialect =>
  (serviceType === undefined ? undefined : findDialect(serviceType)) ?? GENERIC;
