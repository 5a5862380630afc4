/** What the dialects of SQL disagree about, as far as it changes where a column comes from. */
export type Dialect = {
  readonly name: string;
  /** The grammar of the parser that reads it. */
  readonly grammar: string;
  /** Whether a name in quotes is its exact spelling; else quotes only allow odd characters. */
  readonly exactQuotes: boolean;
  /** How a name without quotes is stored. */
  readonly fold: 'lower' | 'upper';
  /** Whether double quotes hold a text and not a name. */
  readonly doubleQuotedText: boolean;
  readonly backslashes: boolean;
  readonly hashComments: boolean;
  readonly nestedComments: boolean;
  readonly brackets: boolean;
  readonly dollarQuotes: boolean;
  readonly tripleQuotes: boolean;
  /** Whether a select item may use the alias of an earlier one. */
  readonly earlierAliases: boolean;
  /** Whether such an alias may also stand in front of a column of the same name, as settings decide. */
  readonly rivalAliases: boolean;
  /** What `a -> b` means: a step into JSON, or a function without a name. */
  readonly arrow: 'json' | 'function';
  /** Whether `FROM t x, x.items` walks through the elements of a column of `t`. */
  readonly pathsInFrom: boolean;
  /** Whether `FROM ONLY t` reads the table `t` without those that inherit from it, since no table is called ONLY. */
  readonly onlyTables: boolean;
  /** Whether `max(c)` and `c::int` are columns called `max` and `c` when nobody names them. */
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

/** Other words for a dialect: what people write, and the types of services whose SQL is another product's. */
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

/** The names that `dialectNamed` knows, without their aliases. */
export const DIALECT_NAMES: readonly string[] = DIALECTS.map((one) => one.name);

/** The dialect of a name or of a service type, or undefined when there is none of that name. */
export const findDialect = (name: string): Dialect | undefined => {
  const word = name.toLowerCase();
  return DIALECT_BY_NAME.get(Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? word) : word);
};

/** The dialect that a service of this type speaks; services of which nothing is known are read as the widest one. */
export const dialectOfService = (serviceType: string | undefined): Dialect =>
  (serviceType === undefined ? undefined : findDialect(serviceType)) ?? GENERIC;
