import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { type Client, openService, type Reply, type Service, uniqueName } from '../support/service.ts';

/** Helpers for lineage tests: sample records, edges and the requests that create and read them. */

export type Made = { readonly id: string; readonly name: string; readonly fullyQualifiedName: string };

/** The records of one suite, all below a service of their own. */
export type World = {
  readonly service: Service;
  readonly admin: Client;
  readonly schemaFqn: string;
  readonly serviceFqn: string;
  table(name: string, columns?: readonly JsonObject[]): Promise<Made>;
  make(path: string, body: JsonObject): Promise<Made>;
};

export const column = (name: string, more: JsonObject = {}): JsonObject => ({ name, dataType: 'STRING', ...more });

const COLUMNS = [column('a'), column('b'), column('c')];

/** Opens the service of the run, unless the suite has one of its own, with sample records. */
export const openWorld = async (own?: Service): Promise<World> => {
  const service = own ?? (await openService());
  const { admin } = service;
  const make = async (path: string, body: JsonObject): Promise<Made> => ok(await admin.post(`/v1/${path}`, body), 201);
  const root = await make('services/databaseServices', { name: uniqueName('lin'), serviceType: 'Snowflake' });
  const database = await make('databases', { name: 'db', service: root.fullyQualifiedName });
  const schema = await make('databaseSchemas', { name: 'public', database: database.fullyQualifiedName });
  return {
    service,
    admin,
    schemaFqn: schema.fullyQualifiedName,
    serviceFqn: root.fullyQualifiedName,
    make,
    table: (name, columns = COLUMNS) =>
      make('tables', { name: uniqueName(name), databaseSchema: schema.fullyQualifiedName, columns }),
  };
};

export const ref = ({ id }: Pick<Made, 'id'>, type = 'table'): JsonObject => ({ id, type });

export const edgeBody = (
  from: Pick<Made, 'id'>,
  to: Pick<Made, 'id'>,
  lineageDetails?: JsonObject,
  more: JsonObject = {},
) => ({
  edge: {
    fromEntity: ref(from),
    toEntity: ref(to),
    ...(lineageDetails === undefined ? {} : { lineageDetails }),
    ...more,
  },
});

/** Says that one table feeds another. */
export const feed = (
  client: Client,
  from: Pick<Made, 'id'>,
  to: Pick<Made, 'id'>,
  details?: JsonObject,
): Promise<Reply> => client.put('/v1/lineage', edgeBody(from, to, details));

export const mapping = (
  from: Made,
  fromColumns: readonly string[],
  to: Made,
  toColumn: string,
  more: JsonObject = {},
) => ({
  fromColumns: fromColumns.map((name) => `${from.fullyQualifiedName}.${name}`),
  toColumn: `${to.fullyQualifiedName}.${toColumn}`,
  ...more,
});

/** What data runs through, below a service of its own. */
export const pipelineIn = async (world: World, name: string, more: JsonObject = {}): Promise<Made> => {
  const service = await world.make('services/pipelineServices', { name: uniqueName('etl'), serviceType: 'Airflow' });
  return world.make('pipelines', { name: uniqueName(name), service: service.fullyQualifiedName, ...more });
};

/** What data runs through as well, in the schema of the suite. */
export const procedureIn = ({ make, schemaFqn }: World, name: string, more: JsonObject = {}): Promise<Made> =>
  make('storedProcedures', {
    name: uniqueName(name),
    databaseSchema: schemaFqn,
    storedProcedureCode: { code: 'select 1', language: 'SQL' },
    ...more,
  });

export const graphOf = async (client: Client, { id }: Pick<Made, 'id'>, query = '', type = 'table') =>
  ok(await client.get(`/v1/lineage/${type}/${id}${query}`));

export const detailsOf = async (client: Client, from: Pick<Made, 'id'>, to: Pick<Made, 'id'>) =>
  ok(await client.get(`/v1/lineage/getLineageEdge/${from.id}/${to.id}`)).edge;
