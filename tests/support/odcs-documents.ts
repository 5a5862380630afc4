import { isArray, isObject, type Json, type JsonObject } from '../../src/model/json.ts';

/** Generates reproducible random documents of every ODCS version. */

export type OdcsSample = 'v2.2.0' | 'v2.2.1' | 'v2.2.2' | 'v3.0.0' | 'v3.0.1' | 'v3.0.2' | 'v3.1.0' | 'v3.2.0';

type Chance = {
  /** A number from 0 to below 1. */
  next(): number;
  below(limit: number): number;
  one<T>(list: readonly T[]): T;
  sometimes(part?: number): boolean;
  word(): string;
};

/** The same seed brings the same chances. */
const chance = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  return {
    next,
    below,
    one,
    sometimes: (part = 0.5) => next() < part,
    word: () => (next() < 0.3 ? one(WORDS) : `${one(WORDS)}${below(100)}`),
  };
};

const WORDS = [
  'order',
  'Kunde',
  'straße',
  'a.b',
  'yes',
  '2024-01-01',
  'null',
  '1.0',
  'x y',
  '#tag',
  'Ω',
  'constructor',
];

type Made = Record<string, Json>;
type Making = { readonly c: Chance; readonly version: OdcsSample; readonly strange: boolean };

const ORDER = ['v2.2.0', 'v2.2.1', 'v2.2.2', 'v3.0.0', 'v3.0.1', 'v3.0.2', 'v3.1.0', 'v3.2.0'] as const;
const since = (making: Making, version: OdcsSample): boolean => ORDER.indexOf(making.version) >= ORDER.indexOf(version);

/** An object of members, of which each is there by chance. */
const maybe = ({ c }: Making, members: Readonly<Record<string, () => Json>>, part = 0.4): Made => {
  const made: Made = {};
  for (const [name, make] of Object.entries(members)) if (c.sometimes(part)) made[name] = make();
  return made;
};

const many = <T>({ c }: Making, most: number, make: (index: number) => T): T[] =>
  Array.from({ length: c.below(most + 1) }, (_, index) => make(index));

/** A member that no version knows, in strange documents. */
const odd = (making: Making): Made =>
  making.strange && making.c.sometimes(0.3) ? { [`x-${making.c.below(9)}`]: anything(making, 2) } : {};

const anything = (making: Making, depth: number): Json => {
  const { c } = making;
  switch (c.below(depth > 0 ? 7 : 5)) {
    case 0:
      return c.word();
    case 1:
      return c.below(1000) - 500;
    case 2:
      return c.sometimes();
    case 3:
      return null;
    case 4:
      return c.below(1000) / 8;
    case 5:
      return many(making, 3, () => anything(making, depth - 1));
    default:
      return Object.fromEntries(many(making, 3, (index) => [`k${index}`, anything(making, depth - 1)]));
  }
};

const words = (making: Making): Json => many(making, 3, () => making.c.word());
const id = (making: Making): Made =>
  since(making, 'v3.1.0') && making.c.sometimes(0.4) ? { id: `id_${making.c.below(1000)}` } : {};

const definitions = (making: Making): Json =>
  many(making, 2, () => ({
    url: `https://example.org/${making.c.below(99)}`,
    type: making.c.one(['tutorial', 'businessDefinition']),
    ...(since(making, 'v3.1.0') ? { ...id(making), ...maybe(making, { description: () => making.c.word() }) } : {}),
    ...(since(making, 'v3.1.0') ? {} : odd(making)),
  }));

/** Members of 3.2.0, of which each is there by chance. */
const maybeNew = (making: Making, members: Readonly<Record<string, () => Json>>): Made =>
  since(making, 'v3.2.0') ? maybe(making, members, 0.2) : {};

const customProperties = (making: Making): Json => {
  const list = many(making, 3, () => ({
    property: making.c.word(),
    value: anything(making, 2),
    ...(since(making, 'v3.1.0') ? { ...id(making), ...maybe(making, { description: () => making.c.word() }) } : {}),
    ...maybeNew(making, { vendor: () => 'confluent' }),
  }));
  if (!making.strange || !making.c.sometimes(0.2)) return list;
  return Object.fromEntries(list.map(({ property, value }) => [property, value]));
};

const context = (making: Making): Json =>
  making.c.sometimes()
    ? making.c.word()
    : maybe(making, {
        instructions: () => making.c.word(),
        verifiedStatements: () =>
          many(making, 2, () => ({
            question: making.c.word(),
            ...maybe(making, { id: () => 'any.thing', answer: () => making.c.word(), tags: () => words(making) }),
          })),
        constraints: () =>
          many(making, 2, () => ({
            constraint: making.c.word(),
            ...maybe(making, { authoritativeDefinitions: () => definitions(making) }),
          })),
      });

const synonyms = (making: Making): Json =>
  many(making, 2, () => ({
    synonym: making.c.word(),
    ...id(making),
    ...maybe(making, { locale: () => 'de-DE', source: () => 'glossary', status: () => 'approved' }),
  }));

const allowedValues = (making: Making): Json =>
  [making.c.below(9), making.c.word(), null].map((value) => ({
    value,
    ...id(making),
    ...maybe(making, { label: () => making.c.word(), tags: () => words(making) }),
  }));

const DIMENSIONS = ['accuracy', 'completeness', 'conformity', 'consistency', 'coverage', 'timeliness', 'uniqueness'];
const METRICS = ['nullValues', 'missingValues', 'invalidValues', 'duplicateValues', 'rowCount'];
const OLD_RULES = ['nullCheck', 'countCheck', 'minCheck', 'between', 'duplicateCount', 'uniqueValues', 'freshness'];

const operator = ({ c }: Making): Made =>
  c.one<() => Made>([
    () => ({ mustBe: c.below(9) }),
    () => ({ mustNotBe: c.word() }),
    () => ({ mustBeLessThan: c.below(9) }),
    () => ({ mustBeGreaterOrEqualTo: c.below(9) }),
    () => ({ mustBeBetween: [c.below(5), 5 + c.below(5)] }),
    () => ({ mustNotBeBetween: [c.below(5), 5 + c.below(5)] }),
  ])();

const check = (making: Making): Made => {
  const { c } = making;
  const isNew = since(making, 'v3.1.0');
  switch (c.below(4)) {
    case 0:
      return { type: 'text' };
    case 1:
      return {
        type: 'sql',
        query: `select ${c.below(9)}`,
        ...(isNew || c.sometimes() ? operator(making) : {}),
      };
    case 2:
      return { type: 'custom', engine: 'soda', implementation: c.sometimes() ? 'checks: []' : { columns: [c.word()] } };
    default:
      if (isNew && !making.strange) {
        return { metric: c.one(METRICS), ...operator(making), ...maybe(making, { type: () => 'library' }) };
      }
      return {
        ...(isNew && c.sometimes() ? { metric: c.one(METRICS) } : { rule: c.one([...OLD_RULES, ...METRICS]) }),
        ...maybe(making, { type: () => 'library' }),
        ...(c.sometimes() ? operator(making) : {}),
        ...(c.sometimes(0.3) ? { mustBeGreaterOrEqualTo: 1, mustBeLessOrEqualTo: 5 } : {}),
      };
  }
};

const rule = (making: Making): Json => ({
  ...maybe(making, {
    name: () => making.c.word(),
    description: () => making.c.word(),
    dimension: () => making.c.one(DIMENSIONS),
    severity: () => 'error',
    businessImpact: () => 'operational',
    method: () => 'reconciliation',
    schedule: () => '0 20 * * *',
    scheduler: () => 'cron',
    unit: () => 'percent',
    tags: () => words(making),
    customProperties: () => customProperties(making),
    authoritativeDefinitions: () => definitions(making),
  }),
  ...check(making),
  ...id(making),
  ...(since(making, 'v3.1.0') ? {} : odd(making)),
});

const options = (making: Making, type: string): Json => {
  const { c } = making;
  const exclusive = (value: Json): Json => (since(making, 'v3.1.0') ? value : c.sometimes());
  switch (type) {
    case 'string':
      return maybe(making, {
        minLength: () => c.below(9),
        maxLength: () => 9 + c.below(9),
        pattern: () => '^a',
        format: () => 'uuid',
      });
    case 'integer':
    case 'number':
      return maybe(making, {
        minimum: () => c.below(9),
        exclusiveMaximum: () => exclusive(c.below(99)),
        multipleOf: () => 2,
      });
    case 'date':
      return maybe(making, {
        minimum: () => '2020-01-01',
        exclusiveMinimum: () => exclusive('2020-01-01'),
        format: () => c.one(['yyyy-MM-dd', 'yyyy-MM-dd HH:mm:ss']),
      });
    case 'timestamp':
    case 'time':
      return maybe(making, { timezone: () => c.sometimes(), defaultTimezone: () => 'Etc/UTC', format: () => 'HH:mm' });
    case 'array':
      return maybe(making, { minItems: () => 1, uniqueItems: () => true });
    case 'vector':
      return { dimensions: 384, ...maybe(making, { elementType: () => 'int8', normalized: () => c.sometimes() }) };
    case 'object':
      return maybe(making, { maxProperties: () => 3, required: () => ['a'] });
    default:
      return {};
  }
};

const logicalType = (making: Making): string => {
  const { c } = making;
  const known = ['string', 'date', 'number', 'integer', 'boolean', 'object', 'array'];
  const timed = since(making, 'v3.1.0') ? [...known, 'timestamp', 'time'] : known;
  const all = since(making, 'v3.2.0') ? [...timed, 'map', 'vector'] : timed;
  return making.strange && c.sometimes(0.2) ? c.one(['String', 'TIMESTAMP', 'decimal', 'Numeric', 'UUID']) : c.one(all);
};

/** What a property says besides its name. */
const propertyBody = (making: Making, depth: number): Made => {
  const { c } = making;
  const type = c.sometimes(0.8) ? logicalType(making) : undefined;
  const isArray = depth > 0 && type === 'array';
  const isObject = depth > 0 && type === 'object';
  return {
    ...maybe(
      making,
      {
        physicalType: () => c.one(['varchar(18)', 'int', 'date']),
        description: () => c.word(),
        businessName: () => c.word(),
        primaryKey: () => c.sometimes(),
        primaryKeyPosition: () => c.below(3) - 1,
        required: () => c.sometimes(),
        unique: () => c.sometimes(),
        partitioned: () => c.sometimes(),
        partitionKeyPosition: () => c.below(3) - 1,
        classification: () => 'public',
        encryptedName: () => c.word(),
        transformSourceObjects: () => words(making),
        transformLogic: () => 'select 1',
        transformDescription: () => c.word(),
        examples: () => many(making, 3, () => anything(making, 1)),
        criticalDataElement: () => c.sometimes(),
        tags: () => words(making),
        authoritativeDefinitions: () => definitions(making),
        customProperties: () => customProperties(making),
        quality: () => many(making, 2, () => rule(making)),
      },
      0.25,
    ),
    ...(type === undefined
      ? {}
      : {
          logicalType: type,
          ...maybe(making, { logicalTypeOptions: () => options(making, type) }, type === 'vector' ? 1 : 0.4),
        }),
    ...(type === 'map' ? { map: { key: { logicalType: 'string' }, value: propertyBody(making, depth - 1) } } : {}),
    ...maybeNew(making, {
      semanticType: () => c.one(['column', 'measure', 'dimension']),
      enum: () => allowedValues(making),
      deprecated: () => c.sometimes(),
      synonyms: () => synonyms(making),
    }),
    ...(since(making, 'v3.0.2') ? maybe(making, { physicalName: () => c.word() }) : {}),
    ...(since(making, 'v3.1.0') && depth > 0
      ? maybe(making, { relationships: () => [{ to: 'orders.id', type: 'foreignKey' }] }, 0.2)
      : {}),
    ...(isArray ? { items: propertyBody(making, depth - 1) } : {}),
    ...(isObject ? { properties: properties(making, depth - 1) } : {}),
    ...id(making),
    ...(since(making, 'v3.1.0') ? {} : odd(making)),
  };
};

const properties = (making: Making, depth: number): Json =>
  many(making, 4, (index) => ({ name: `${making.c.word()}_${index}`, ...propertyBody(making, depth) }));

const schemaObject = (making: Making, index: number): Json => ({
  name: `${making.c.one(['orders', 'customers'])}_${index}`,
  ...maybe(
    making,
    {
      logicalType: () => (since(making, 'v3.2.0') && making.c.sometimes(0.2) ? 'blob' : 'object'),
      physicalType: () => making.c.one(['table', 'topic']),
      physicalName: () => making.c.word(),
      businessName: () => making.c.word(),
      description: () => making.c.word(),
      dataGranularityDescription: () => making.c.word(),
      authoritativeDefinitions: () => definitions(making),
      tags: () => words(making),
      customProperties: () => customProperties(making),
      properties: () => properties(making, 2),
      quality: () => many(making, 3, () => rule(making)),
    },
    0.6,
  ),
  ...(since(making, 'v3.1.0') ? maybe(making, { relationships: () => [{ from: 'a.b', to: 'c.d' }] }) : {}),
  ...maybeNew(making, {
    context: () => context(making),
    deprecated: () => making.c.sometimes(),
    synonyms: () => synonyms(making),
  }),
  ...id(making),
});

const SERVERS: readonly Made[] = [
  { type: 'postgres', host: 'localhost', port: 5432, database: 'd', schema: 's' },
  { type: 'bigquery', project: 'p', dataset: 'd' },
  { type: 's3', location: 's3://bucket', format: 'parquet' },
  { type: 'kafka', host: 'broker:9092', format: 'avro' },
  { type: 'custom', host: 'h', path: '/x' },
];

const SERVERS_31: readonly Made[] = [
  ...SERVERS,
  { type: 'hive', host: 'h', database: 'd' },
  { type: 'duckdb', database: 'd', schema: 's' },
];

const SERVERS_32: readonly Made[] = [
  ...SERVERS_31,
  { type: 'iceberg', catalog: 'c', catalogUrl: 'https://example.org/catalog', namespace: 'n' },
  { type: 'postgres', host: 'h', port: 'DB_PORT', database: 'd', schema: 's' },
  { type: 'athena', schema: 's', workgroup: 'primary' },
  { type: 's3', location: 's3://bucket', encoding: 'UTF-8' },
];

const serversOf = (making: Making): readonly Made[] => {
  if (since(making, 'v3.2.0')) return SERVERS_32;
  return since(making, 'v3.1.0') ? SERVERS_31 : SERVERS;
};

const server = (making: Making, index: number): Json => ({
  server: `server${index}`,
  ...making.c.one(serversOf(making)),
  ...maybe(making, {
    description: () => making.c.word(),
    environment: () => 'prod',
    customProperties: () => customProperties(making),
  }),
  ...(since(making, 'v3.1.0') ? id(making) : odd(making)),
});

const person = (making: Making, index: number): Json => ({
  ...(making.c.sometimes(0.9) || since(making, 'v3.1.0') ? { username: `user${index}` } : {}),
  ...maybe(making, {
    role: () => making.c.one(['owner', 'Owner', 'reviewer', 'dpo']),
    dateIn: () => '2022-08-02',
    dateOut: () => '2032-08-02',
    replacedByUsername: () => 'other',
  }),
  ...(since(making, 'v3.0.2')
    ? maybe(making, { name: () => making.c.word(), description: () => making.c.word() })
    : {}),
  ...(since(making, 'v3.1.0')
    ? {
        ...id(making),
        ...maybe(making, { tags: () => words(making), customProperties: () => customProperties(making) }),
      }
    : odd(making)),
});

const team = (making: Making): Json => {
  const members = many(making, 4, (index) => person(making, index));
  if (!since(making, 'v3.1.0') || making.c.sometimes()) return members;
  return {
    members,
    ...id(making),
    ...maybe(making, { name: () => making.c.word(), description: () => making.c.word(), tags: () => words(making) }),
  };
};

const role = (making: Making): Json => ({
  role: making.c.one(['reader', 'writer', 'classification-PII']),
  ...maybe(making, {
    access: () => making.c.one(['read', 'write']),
    description: () => making.c.word(),
    firstLevelApprovers: () => (making.strange && making.c.sometimes() ? ['a', 'b'] : 'a, b'),
    secondLevelApprovers: () => 'c',
  }),
  ...(since(making, 'v3.0.1') ? maybe(making, { customProperties: () => customProperties(making) }) : {}),
  ...id(making),
});

const sla = (making: Making): Json => ({
  property: making.c.one(['latency', 'retention', 'frequency', 'timeOfAvailability', 'availability']),
  value: making.c.one<Json>([4, '4', '09:00-08:00', 99.9, true, null]),
  ...maybe(making, {
    valueExt: () => making.c.one<Json>([1, 'x']),
    unit: () => making.c.one(['d', 'h', 'y']),
    element: () => 'orders_0.id',
    driver: () => 'analytics',
  }),
  ...(since(making, 'v3.1.0')
    ? {
        ...id(making),
        ...maybe(making, { description: () => making.c.word(), scheduler: () => 'cron', schedule: () => '0 1 * * *' }),
        ...maybeNew(making, {
          customProperties: () => customProperties(making),
          authoritativeDefinitions: () => definitions(making),
        }),
      }
    : odd(making)),
});

const support = (making: Making): Json => ({
  channel: making.c.word(),
  ...(since(making, 'v3.1.0') && making.c.sometimes() ? {} : { url: 'https://example.org/help' }),
  ...maybe(making, {
    description: () => making.c.word(),
    tool: () => making.c.one(['slack', 'email', 'teams', 'other']),
    scope: () => 'issues',
    invitationUrl: () => 'https://example.org/in',
  }),
  ...(since(making, 'v3.1.0')
    ? { ...id(making), ...maybe(making, { customProperties: () => customProperties(making) }) }
    : odd(making)),
});

const document3 = (making: Making): Made => {
  const { c } = making;
  const description = {
    ...maybe(making, { purpose: () => c.word(), limitations: () => c.word(), usage: () => c.word() }),
    ...(since(making, 'v3.0.1')
      ? maybe(making, {
          authoritativeDefinitions: () => definitions(making),
          customProperties: () => customProperties(making),
        })
      : {}),
  };
  return {
    apiVersion: making.version,
    kind: 'DataContract',
    id: c.sometimes() ? '53581432-6c55-4ba2-a65f-72344a91553a' : c.word(),
    version: '1.1.0',
    ...(since(making, 'v3.2.0') && c.sometimes(0.2)
      ? {}
      : { status: c.one(['active', 'draft', 'current', 'in development']) }),
    ...maybeNew(making, { context: () => context(making) }),
    ...maybe(
      making,
      {
        name: () => c.word(),
        tenant: () => c.word(),
        domain: () => c.word(),
        dataProduct: () => c.word(),
        tags: () => (making.strange && c.sometimes() ? c.word() : words(making)),
        description: () => (making.strange && c.sometimes(0.3) ? c.word() : description),
        servers: () => many(making, 2, (index) => server(making, index)),
        schema: () => many(making, 3, (index) => schemaObject(making, index)),
        support: () => many(making, 3, () => support(making)),
        price: () => ({
          ...maybe(making, { priceAmount: () => c.below(99), priceCurrency: () => 'USD', priceUnit: () => 'megabyte' }),
          ...id(making),
        }),
        team: () => team(making),
        roles: () => many(making, 3, () => role(making)),
        slaDefaultElement: () => 'orders_0.id',
        slaProperties: () => many(making, 4, () => sla(making)),
        customProperties: () => customProperties(making),
        contractCreatedTs: () => '2022-11-15T02:59:43+00:00',
      },
      0.7,
    ),
    ...(since(making, 'v3.0.1') ? maybe(making, { authoritativeDefinitions: () => definitions(making) }) : {}),
    ...(making.strange ? odd(making) : {}),
  };
};

const rule2 = (making: Making, isTable: boolean): Json => ({
  templateName: making.c.one(['NullCheck', 'CountCheck', 'RangeCheck']),
  toolName: 'Elevate',
  ...maybe(making, {
    code: () => 'nullCheck',
    description: () => making.c.word(),
    toolRuleName: () => 'DQ.rule',
    dimension: () => making.c.one(DIMENSIONS),
    column: () => making.c.word(),
    type: () => making.c.one(['dataQuality', 'reconciliation']),
    severity: () => 'error',
    businessImpact: () => 'operational',
    scheduleCronExpression: () => '0 20 * * *',
    customProperties: () =>
      isTable
        ? [{ property: 'range', value: { from: making.c.below(9) } }]
        : [
            { property: 'min', value: making.c.below(5) },
            { property: 'max', value: 5 + making.c.below(5) },
          ],
  }),
  ...odd(making),
});

const column = (making: Making, index: number): Json => {
  const { c, version, strange } = making;
  const key = c.sometimes();
  const isFirst = version === 'v2.2.0';
  const nothing: Made = strange && c.sometimes(0.2) ? { classification: null } : {};
  return {
    column: `${c.word()}_${index}`,
    logicalType: c.one(['string', 'Numeric', 'Timestamp', 'UUID', 'date', 'Object']),
    physicalType: c.one(['varchar(18)', 'int4', 'timestamp']),
    ...(c.sometimes()
      ? { [strange && c.sometimes() ? 'isPrimary' : 'isPrimaryKey']: version === 'v2.2.1' ? String(key) : key }
      : {}),
    ...(c.sometimes() ? { [strange && c.sometimes() ? 'nullable' : 'isNullable']: c.sometimes() } : {}),
    ...maybe(making, {
      businessName: () => c.word(),
      description: () => c.word(),
      partitionStatus: () => c.sometimes(),
      clusterStatus: () => c.sometimes(),
      encryptedColumnName: () => c.word(),
      transformSourceTables: () => words(making),
      transformLogic: () => 'select 1',
      sampleValues: () => words(making),
      criticalDataElementStatus: () => c.sometimes(),
      tags: () => words(making),
      authoritativeDefinitions: () => definitions(making),
      quality: () => many(making, 2, () => rule2(making, false)),
    }),
    ...(isFirst
      ? {}
      : maybe(making, {
          isUnique: () => c.sometimes(),
          primaryKeyPosition: () => 1,
          partitionKeyPosition: () => -1,
          clusterKeyPosition: () => 2,
        })),
    ...nothing,
    ...odd(making),
  };
};

const table = (making: Making, index: number): Json => ({
  table: `${making.c.one(['orders', 'customers'])}_${index}`,
  ...maybe(
    making,
    {
      physicalName: () => making.c.word(),
      priorTableName: () => making.c.word(),
      description: () => (making.version === 'v2.2.1' ? [making.c.word(), making.c.word()] : making.c.word()),
      authoritativeDefinitions: () => definitions(making),
      tags: () => words(making),
      dataGranularity: () => making.c.word(),
      columns: () => many(making, 4, (nth) => column(making, nth)),
      quality: () => many(making, 2, () => rule2(making, true)),
    },
    0.6,
  ),
  ...odd(making),
});

const document2 = (making: Making): Made => {
  const { c, version, strange } = making;
  const tables = many(making, 3, (index) => table(making, index));
  const amount = version === 'v2.2.1' ? '9.95' : 9.95;
  const slaValue = (): Json => (version === 'v2.2.1' ? '4' : c.one<Json>([4, '4', '09:00-08:00']));
  return {
    ...(version === 'v2.2.0' ? { standardVersion: '2.2.0' } : { apiVersion: version }),
    kind: strange ? c.one(['managedDataset', 'virtualDataset']) : 'DataContract',
    version: '1.1.0',
    uuid: '53581432-6c55-4ba2-a65f-72344a91553a',
    status: c.one(['current', 'Development', 'production']),
    type: 'tables',
    datasetName: 'access_views',
    quantumName: 'my quantum',
    dataset: strange && c.sometimes(0.3) ? { tables } : tables,
    ...maybe(making, {
      tenant: () => c.word(),
      tags: () => words(making),
      datasetDomain: () => 'seller',
      datasetKind: () => 'managedDataset',
      userConsumptionMode: () => 'analytical',
      sourceSystem: () => c.one(['bigQuery', 'Oracle', 'house']),
      sourcePlatform: () => 'googleCloudPlatform',
      server: () => 'localhost:5432',
      database: () => 'd',
      driver: () => 'jdbc:postgresql',
      driverVersion: () => '1.0.0',
      [strange ? 'datasetProject' : 'project']: () => 'edw',
      schedulerAppName: () => c.word(),
      systemInstance: () => c.word(),
      productSlackChannel: () => '#help',
      productFeedbackUrl: () => 'https://example.org/feedback',
      productDl: () => 'dl@example.org',
      description: () => maybe(making, { purpose: () => c.word(), limitations: () => c.word(), usage: () => c.word() }),
      price: () => ({ priceAmount: amount, priceCurrency: 'USD', priceUnit: 'megabyte' }),
      stakeholders: () =>
        many(making, 3, (index) => ({
          username: `user${index}`,
          ...maybe(making, { role: () => 'Owner', comment: () => c.word(), dateIn: () => '2022-08-02' }),
          ...odd(making),
        })),
      roles: () =>
        many(making, 3, () => ({
          role: c.one(['reader', 'writer']),
          access: 'read',
          ...maybe(making, { firstLevelApprovers: () => 'a', secondLevelApprovers: () => 'b' }),
        })),
      slaDefaultColumn: () => 'orders_0.id',
      slaProperties: () =>
        many(making, 4, () => ({
          property: c.one(['latency', 'retention']),
          value: slaValue(),
          ...maybe(making, { unit: () => 'd', column: () => 'orders_0.id', driver: () => 'analytics' }),
        })),
      customProperties: () => many(making, 3, () => ({ property: c.word(), value: anything(making, 2) })),
      contractCreatedTs: () => '2022-11-15 02:59:43',
    }),
    ...odd(making),
  };
};

/**
 * A document of the version that its schema allows; a strange one is written as documents are found: in other
 * spellings, with members nobody knows and rules that no schema allows.
 */
export const odcsDocument = (version: OdcsSample, seed: number, kind: 'valid' | 'strange' = 'valid'): JsonObject => {
  const making: Making = { c: chance(seed), version, strange: kind === 'strange' };
  return version.startsWith('v2') ? document2(making) : document3(making);
};

/** The document with a few changes of the kind people make: texts changed, members and items removed, items added. */
export const edited = (document: JsonObject, seed: number): JsonObject => {
  const c = chance(seed);
  const inner = (value: Json, depth: number): Json => {
    if (typeof value === 'string') return depth > 1 && c.sometimes(0.1) ? `${value} edited` : value;
    if (isArray(value)) {
      const kept = value.filter(() => !c.sometimes(0.1)).map((item) => inner(item, depth + 1));
      const [first] = kept;
      return first !== undefined && c.sometimes(0.1) ? [...kept, renamed(first, c)] : kept;
    }
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, KEPT.has(name) ? member : inner(member, depth + 1)]),
    );
  };
  const result = inner(document, 0);
  return isObject(result) ? result : document;
};

/** Members whose words are few: changed, they would be something else than edited. */
const KEPT = new Set([
  'apiVersion',
  'kind',
  'id',
  'version',
  'status',
  'type',
  'logicalType',
  'logicalTypeOptions',
  'dimension',
  'scheduler',
  'format',
  'relationships',
  'tool',
  'servers',
  'metric',
  'rule',
  'implementation',
]);

const renamed = (item: Json, c: Chance): Json => {
  if (!isObject(item)) return item;
  const copy: Made = { ...item };
  for (const name of ['name', 'username', 'role', 'property', 'channel', 'url', 'id']) {
    if (typeof copy[name] === 'string') copy[name] = `new${c.below(1_000_000)}`;
  }
  return copy;
};

/** The document with some of its values replaced by others that do not belong there. */
export const spoiled = (document: JsonObject, seed: number): JsonObject => {
  const c = chance(seed);
  const inner = (value: Json): Json => {
    if (c.sometimes(0.005)) return c.one(MISFITS);
    if (isArray(value)) {
      const items = value.map(inner);
      const [first] = items;
      if (c.sometimes(0.01)) items.push(c.one(MISFITS));
      return first !== undefined && c.sometimes(0.01) ? [...items, first] : items;
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, child]): [string, Json] => [name, inner(child)]);
    return Object.fromEntries(c.sometimes(0.03) ? [...entries, [c.one(PLACES), c.one(MISFITS)]] : entries);
  };
  const result = inner(document);
  return isObject(result) ? result : document;
};

const MISFITS: readonly Json[] = [
  null,
  5,
  -1.5,
  'x',
  '',
  true,
  [],
  {},
  [null],
  [[5]],
  { a: 1 },
  'object',
  { property: 'odcsServers', value: [{}] },
  [{ property: 'odcsRule', value: { type: 'sql' } }],
  { type: 'custom', engine: 'odcs', implementation: '{"metric":"x","mustBe":[1]}' },
];
const PLACES = (
  'schema properties items quality team name logicalType customProperties roles support servers dataset columns rule ' +
  'metric arguments authoritativeDefinitions relationships constructor validValues tags description mustBeBetween id ' +
  'required tables type engine implementation'
).split(' ');
