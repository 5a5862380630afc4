import { uniqueName } from '../../support/service.ts';
import type { Made, World } from '../fixture.ts';

/** Helpers for tests of OpenLineage: services of PostgreSQL, and schemas and tables below them. */

export type PostgresService = { readonly service: Made; readonly host: string; readonly namespace: string };

/** A service of PostgreSQL at a host of its own, or at one that was spoken of before. */
export const newPostgres = async (
  { make }: World,
  host = uniqueName('host').replaceAll('_', '-'),
): Promise<PostgresService> => {
  const type = 'Postgres';
  const config = { type, hostPort: `${host}:5432`, username: 'u', authType: { password: 'hush' }, database: 'shop' };
  const service = await make('services/databaseServices', {
    name: uniqueName('pg'),
    serviceType: type,
    connection: { config },
  });
  return { service, host, namespace: `postgres://${host}:5432` };
};

export const newSchema = async (
  { make }: World,
  { service }: Pick<PostgresService, 'service'>,
  database = 'shop',
  schema = 'public',
): Promise<Made> => {
  const above = await make('databases', { name: database, service: service.fullyQualifiedName });
  return make('databaseSchemas', { name: schema, database: above.fullyQualifiedName });
};

export const newTable = (
  { make }: World,
  schema: Made,
  name: string,
  columns: readonly string[] = ['id'],
): Promise<Made> =>
  make('tables', {
    name,
    databaseSchema: schema.fullyQualifiedName,
    columns: columns.map((column) => ({ name: column, dataType: 'INT' })),
  });
