import { createPerson, expectList, ok } from '../support/expect.ts';
import { type Client, type Service, uniqueName } from '../support/service.ts';
import { waitForNotifications } from '../support/wait-for-events.ts';

export type Person = Awaited<ReturnType<typeof createPerson>>;

/** A notification, as far as these tests look at it. */
export type Told = {
  readonly id: string;
  readonly reason: string;
  readonly read: boolean;
  readonly timestamp: number;
  readonly eventType: string;
  readonly entityRef: { readonly id: string; readonly name: string };
  readonly actor: string;
  readonly summary: string;
};

/** A database below a service with a schema and tables of its own, made by nobody in particular. */
export const newShop = async ({ admin }: Service) => {
  const name = uniqueName('shop');
  const service = ok(await admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  const database = ok(await admin.post('/v1/databases', { name: 'db', service: name }), 201);
  const schema = ok(await admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  const newTable = async (table: string): Promise<string> => {
    const columns = [{ name: 'id', dataType: 'INT' }];
    return ok(await admin.post('/v1/tables', { name: table, databaseSchema: `${name}.db.public`, columns }), 201).id;
  };
  return {
    name,
    serviceId: service.id as string,
    databaseId: database.id as string,
    schemaId: schema.id as string,
    newTable,
  };
};

export const follow = async (client: Client & { readonly id: string }, collection: string, id: string) =>
  ok(await client.put(`/v1/${collection}/${id}/followers`, client.id));

export const describe = async (client: Client, collection: string, id: string, description: string) =>
  ok(await client.patch(`/v1/${collection}/${id}`, { description }));

/** Everything that somebody was told, newest first, once everybody was told of everything. */
export const inboxOf = async (service: Service, client: Client): Promise<readonly Told[]> => {
  await waitForNotifications(service);
  return expectList(await client.get('/v1/notifications?limit=1000')).data;
};

export const inShort = (told: readonly Told[]): string[] =>
  told.map(({ reason, eventType, entityRef, summary }) => `${reason} ${eventType} ${entityRef.name}: ${summary}`);

/** An administrator by another name than that of the tests, so that it is somebody else who does things. */
export const newActor = (service: Service): Promise<Person> =>
  createPerson(service, uniqueName('actor'), { isAdmin: true });

export const newPerson = (service: Service, name = 'reader'): Promise<Person> =>
  createPerson(service, uniqueName(name));
