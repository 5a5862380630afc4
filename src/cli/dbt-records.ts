import { DBT_CLASSIFICATION, dbtTagName } from '../dbt/data-model.ts';
import type { DbtOwners, DbtRelation } from '../dbt/relations.ts';
import type { JsonObject } from '../model/json.ts';
import { joinFqn } from '../model/name.ts';
import { attempt, type Refusal } from './attempt.ts';
import { type CatalogAnswer, type CatalogClient, objectOf, readList, searchCatalog, textOf } from './catalog-client.ts';
import { createServiceRequest, type ServiceConnection, ServiceRefusal } from './service-client.ts';

/** Finds and creates the records that a dbt project speaks of. Nothing that exists is replaced. */

const COMMAND = 'import dbt';
const PAGE = 1000;
const BATCH = 100;

/** What one import has done. */
export type DbtTally = {
  created: number;
  models: number;
  described: number;
  edges: number;
  exposures: number;
  metrics: number;
  tests: number;
  results: number;
  readonly refusals: Refusal[];
  /** What the project says and the catalog has no place for. */
  readonly leftOut: Set<string>;
};

export type DbtRequests = {
  send(method: string, path: string, body?: unknown): Promise<CatalogAnswer>;
  /** The record, or undefined where there is none. */
  find(path: string): Promise<CatalogAnswer | undefined>;
  /** Sends rows in batches; each is refused by itself. */
  sendRows(path: string, rows: readonly JsonObject[], nameOf: (row: JsonObject) => string): Promise<number>;
};

/** An asset of the catalog. */
export type AssetId = { readonly type: string; readonly id: string };

const isAbsent = (failure: unknown): boolean => failure instanceof ServiceRefusal && failure.status === 404;

export const openDbtRequests = (remote: ServiceConnection, tally: DbtTally): DbtRequests => {
  const ask = createServiceRequest(remote);
  const send: DbtRequests['send'] = async (method, path, body) => {
    const text = await (await ask(COMMAND, method, path, body)).text();
    return text === '' ? {} : objectOf(JSON.parse(text));
  };
  return {
    send,
    find: async (path) => {
      try {
        return await send('GET', path);
      } catch (failure) {
        if (isAbsent(failure)) return undefined;
        throw failure;
      }
    },
    sendRows: async (path, rows, nameOf) => {
      let passed = 0;
      for (let at = 0; at < rows.length; at += BATCH) {
        const answer = await send('PUT', path, rows.slice(at, at + BATCH));
        passed += Number(answer['numberOfRowsPassed'] ?? 0);
        for (const { request, message } of readList(answer['failedRequest'])) {
          tally.refusals.push({ name: nameOf(request as JsonObject), message: textOf(message) });
        }
      }
      return passed;
    },
  };
};

const DBT_LINEAGE = 'DbtLineage';

/** Names who asserts the edges of a project, because several projects may assert edges into one asset. */
export const asserterOf = (project: string) => ({ source: DBT_LINEAGE, sourceName: project });

/** The edges into an asset, as the catalog shows them. */
export const readUpstreamEdges = async (
  { send }: DbtRequests,
  { type, id }: AssetId,
): Promise<readonly CatalogAnswer[]> =>
  readList((await send('GET', `lineage/${type}/${id}?upstreamDepth=1&downstreamDepth=0`))['upstreamEdges']);

/**
 * Withdraws what a project asserted earlier about edges into an asset and no longer has. Of edges from other sources
 * only the newest assertion is shown, so the project is withdrawn from each; where it asserted nothing, nothing happens.
 */
export const endFormerEdges = async (
  requests: DbtRequests,
  project: string,
  asset: AssetId,
  sources: ReadonlySet<string>,
): Promise<void> => {
  for (const { fromEntity } of await readUpstreamEdges(requests, asset)) {
    const from = textOf(fromEntity);
    if (sources.has(from)) continue;
    const query = new URLSearchParams({ sourceName: project, from });
    await requests.send('DELETE', `lineage/${asset.type}/${asset.id}/type/${DBT_LINEAGE}?${query}`);
  }
};

/** The service types of the adapters of dbt; others become `CustomDatabase`. */
const SERVICE_TYPES: Readonly<Record<string, string>> = {
  athena: 'Athena',
  bigquery: 'BigQuery',
  clickhouse: 'Clickhouse',
  databricks: 'Databricks',
  doris: 'Doris',
  dremio: 'Dremio',
  exasol: 'Exasol',
  fabric: 'MicrosoftFabric',
  glue: 'Glue',
  greenplum: 'Greenplum',
  hive: 'Hive',
  impala: 'Impala',
  mysql: 'Mysql',
  oracle: 'Oracle',
  postgres: 'Postgres',
  redshift: 'Redshift',
  singlestore: 'SingleStore',
  snowflake: 'Snowflake',
  sqlite: 'SQLite',
  sqlserver: 'Mssql',
  starrocks: 'StarRocks',
  synapse: 'Synapse',
  teradata: 'Teradata',
  trino: 'Trino',
  vertica: 'Vertica',
};

const nameInPath = (fqn: string): string => encodeURIComponent(fqn);

/** Creates a record unless the catalog has it; tells whether it did. */
const createUnlessThere = async (
  { find, send }: DbtRequests,
  collection: string,
  fqn: string,
  body: JsonObject,
): Promise<boolean> => {
  if (await find(`${collection}/name/${nameInPath(fqn)}`)) return false;
  await send('POST', collection, body);
  return true;
};

/** Names by which the spellings of a warehouse and of dbt meet. */
export const foldName = (fqn: string): string => fqn.toLowerCase();

/** The service, databases and schemas in which the relations are. */
export const createPlaces = async (
  requests: DbtRequests,
  tally: DbtTally,
  place: { readonly service: string; readonly adapter: string | undefined },
  relations: readonly DbtRelation[],
): Promise<void> => {
  const service = joinFqn(undefined, place.service);
  const serviceType = SERVICE_TYPES[place.adapter ?? ''] ?? 'CustomDatabase';
  const make = async (collection: string, fqn: string, body: JsonObject) => {
    if (await createUnlessThere(requests, collection, fqn, body)) tally.created += 1;
  };
  await make('services/databaseServices', service, { name: place.service, serviceType });
  const databases = new Map<string, string>();
  const schemas = new Map<string, { readonly name: string; readonly database: string }>();
  for (const { database, schema } of relations) {
    const fqn = joinFqn(service, database);
    databases.set(fqn, database);
    schemas.set(joinFqn(fqn, schema), { name: schema, database: fqn });
  }
  for (const [fqn, name] of databases) await make('databases', fqn, { name, service });
  for (const [fqn, body] of schemas) await make('databaseSchemas', fqn, body);
};

/** A table of the catalog as an import needs it. */
export type KnownTable = {
  readonly id: string;
  readonly fqn: string;
  readonly description: string;
  readonly columns: readonly { readonly name: string; readonly description: string }[];
};

/** The tables of the databases that the relations name, by folded full names. */
export const listTables = async (
  { send }: DbtRequests,
  databases: Iterable<string>,
): Promise<ReadonlyMap<string, KnownTable>> => {
  const found = new Map<string, KnownTable>();
  for (const database of databases) {
    let after: string | undefined;
    do {
      const query = new URLSearchParams({ database, fields: 'columns', limit: String(PAGE) });
      if (after !== undefined) query.set('after', after);
      const page = await send('GET', `tables?${query}`);
      for (const table of readList(page['data'])) {
        const fqn = textOf(table['fullyQualifiedName']);
        const columns = readList(table['columns']).map(({ name, description }) => ({
          name: textOf(name),
          description: textOf(description),
        }));
        found.set(foldName(fqn), { id: textOf(table['id']), fqn, description: textOf(table['description']), columns });
      }
      after = textOf(objectOf(page['paging'])['after']) || undefined;
    } while (after !== undefined);
  }
  return found;
};

/** Creates the tables that the catalog does not have yet; those that it has keep the columns that it knows. */
export const createTables = async (
  { sendRows }: DbtRequests,
  tally: DbtTally,
  service: string,
  missing: readonly DbtRelation[],
): Promise<void> => {
  const rows = missing.map(({ database, schema, name, isView, description, columns }) => ({
    name,
    databaseSchema: joinFqn(joinFqn(joinFqn(undefined, service), database), schema),
    tableType: isView ? 'View' : 'Regular',
    ...(description === undefined ? {} : { description }),
    columns: columns.map((column) => ({
      name: column.name,
      ...column.type,
      ...(column.description === undefined ? {} : { description: column.description }),
    })),
  }));
  tally.created += await sendRows('tables/bulk', rows, (row) => `${row['databaseSchema']}.${row['name']}`);
};

/** The tags that a project gives to what the catalog has. */
export const createTags = async (requests: DbtRequests, tally: DbtTally, tags: ReadonlySet<string>): Promise<void> => {
  if (tags.size === 0) return;
  const description = 'Tags that dbt projects give to their models, columns, exposures and metrics.';
  await createUnlessThere(requests, 'classifications', DBT_CLASSIFICATION, { name: DBT_CLASSIFICATION, description });
  for (const name of tags) {
    await attempt(tally, dbtTagName(name), async () => {
      const body = { name, classification: DBT_CLASSIFICATION, description: `The tag ${name} of dbt.` };
      await createUnlessThere(requests, 'tags', dbtTagName(name), body);
    });
  }
};

/** The number of hits among which an address is looked for: a search also finds addresses that contain it. */
const MAX_SAME_ADDRESSES = 10;

/** Finds the people and teams that a project names as owners, each once. */
export const createOwnerFinder = ({ find }: DbtRequests, catalog: CatalogClient) => {
  const known = new Map<string, Promise<JsonObject | undefined>>();
  const findByAddress = async (address: string): Promise<JsonObject | undefined> => {
    const q = `email:${JSON.stringify(address)}`;
    const { sources } = await searchCatalog(catalog, { index: 'user_search_index', q, size: MAX_SAME_ADDRESSES });
    const user = sources.find(({ email }) => textOf(email).toLowerCase() === address.toLowerCase());
    return user && { id: textOf(user['id']), type: 'user' };
  };
  const search = async (name: string): Promise<JsonObject | undefined> => {
    if (name.includes('@')) return findByAddress(name);
    const fqn = joinFqn(undefined, name);
    const user = await find(`users/name/${nameInPath(fqn.toLowerCase())}`);
    if (user) return { id: textOf(user['id']), type: 'user' };
    const team = await find(`teams/name/${nameInPath(fqn)}`);
    return team && { id: textOf(team['id']), type: 'team' };
  };
  return (name: string): Promise<JsonObject | undefined> => {
    const found = known.get(name) ?? search(name);
    known.set(name, found);
    return found;
  };
};

/** The owners that the catalog knows. A name beside addresses counts where nobody has one of them. */
export const findOwners = async (
  find: ReturnType<typeof createOwnerFinder>,
  { leftOut }: DbtTally,
  { named, otherwise }: DbtOwners,
): Promise<readonly JsonObject[]> => {
  const found = new Map<unknown, JsonObject>();
  const unknown: string[] = [];
  for (const name of named) {
    const owner = await find(name);
    if (owner === undefined) unknown.push(name);
    else found.set(owner['id'], owner);
  }
  if (found.size === 0 && otherwise !== undefined) {
    const owner = await find(otherwise);
    if (owner !== undefined) return [owner];
    unknown.push(otherwise);
  }
  for (const name of unknown) leftOut.add(`the owner ${name}: nobody and no team is called so`);
  return [...found.values()];
};
