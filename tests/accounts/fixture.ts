import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitFor } from '../support/patience.ts';
import { anonymous, type Client, type Reply, type Service, uniqueName, withToken } from '../support/service.ts';

/** Helpers for tests of accounts: people, bots, logins and a second application. */

export const PASSWORD = 'Correct-Horse-7';

export type Member = { readonly id: string; readonly name: string; readonly email: string };

/** Somebody who may log in with the password above. What the e-mail begins with is not the name. */
export const newMember = async (service: Service, more: object = {}): Promise<Member> => {
  const name = uniqueName('mem');
  const body = { name, email: `first.${name}@example.com`, password: PASSWORD, ...more };
  return ok(await service.admin.post('/v1/users', body), 201);
};

export const newBot = async (service: Service, more: object = {}): Promise<Member> => {
  const name = uniqueName('robot');
  return ok(
    await service.admin.post('/v1/users', { name, email: `mail-of-${name}@example.com`, isBot: true, ...more }),
    201,
  );
};

/** The service as another process serves it. */
export const withApp = (service: Service, app: App): Service => ({ ...service, app });

export const logIn = (service: Service, email: string, password = PASSWORD): Promise<Reply> =>
  anonymous(service).post('/v1/users/login', { email, password });

export type Tokens = { readonly accessToken: string; readonly refreshToken: string };

/** The tokens of a login that works. */
export const logInMember = async (service: Service, { email }: Member): Promise<Tokens> =>
  ok(await logIn(service, email));

export const refresh = (service: Service, refreshToken: unknown): Promise<Reply> =>
  anonymous(service).post('/v1/users/refresh', { refreshToken });

const WHOAMI = '/v1/users/loggedInUser';

export const whoIs = (service: Service, token: string): Promise<Reply> => withToken(service, token).get(WHOAMI);

/** The token counts, and is that person's. */
export const expectTokenAccepted = async (
  service: Service,
  token: string,
  { name }: Pick<Member, 'name'>,
): Promise<void> => assert.is(ok(await whoIs(service, token)).name, name);

export const expectTokenRefused = async (service: Service, token: string): Promise<void> =>
  expectRefused(await whoIs(service, token), 401, 'Not Authorized! Invalid Token');

/** Waits until a token is refused. A process uses what it knows of a token for about a second. */
export const waitUntilTokenRefused = async (service: Service, token: string): Promise<void> => {
  await waitFor(
    () => whoIs(service, token),
    ({ status }) => status !== 200,
    'the token is refused',
  );
  await expectTokenRefused(service, token);
};

export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

/** How many nodes hang on a person as what they prove themselves with. */
export const countHeldCredentials = async (service: Service, { id }: Pick<Member, 'id'>): Promise<number> => {
  const [row] = await service.graph.query(
    'MATCH (n:Entity {id: $id}) RETURN COUNT { (n)-[:HAS_SESSION|HAS_TOKEN]->() } AS held',
    { id },
  );
  return Number(row?.['held'] ?? 0);
};

/** Everything the store says of a record and of what hangs on it, its history and its events included, as one text. */
export const dumpRecord = async (service: Service, { id }: Pick<Member, 'id'>): Promise<string> => {
  const rows = await service.graph.query(
    `MATCH (n:Entity {id: $id})
     OPTIONAL MATCH (n)--(other)
     RETURN properties(n) AS own, collect(properties(other)) AS others`,
    { id },
  );
  const events = await service.graph.query('MATCH (e:ChangeEvent {entityId: $id}) RETURN e.json AS json', { id });
  return JSON.stringify([rows, events]);
};

export const generate = (client: Client, id: string, body: object = {}): Promise<Reply> =>
  client.put(`/v1/users/generateToken/${id}`, body);
