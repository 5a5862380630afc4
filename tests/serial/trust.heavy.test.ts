import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import * as assert from 'uvu/assert';
import { listKeyFiles } from '../../src/access/key-ring.ts';
import { waitFor } from '../support/patience.ts';
import { startService } from '../support/prepared-home.ts';
import {
  launchService,
  type ServiceProcess,
  startServiceProcess,
  stopServiceProcess,
} from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/** Shows that tokens and keys can be managed from the command line. */

const test = suite('serial: tokens and keys on the command line');

const PASSWORD = 'Correct-Horse-7';

let home: string;
let running: ServiceProcess;

test.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-trust-'));
  running = await startService(home);
});
test.after(async () => {
  await stopServiceProcess(running, 'SIGTERM');
  await rm(home, { recursive: true, force: true });
});

const command = async (...args: string[]) => {
  const { child, output } = launchService(home, args);
  await once(child, 'close');
  return { code: child.exitCode, said: output().trim() };
};

/** What a command answers as JSON. */
const answer = async (...line: string[]) => {
  const { code, said } = await command(...line, '--json');
  assert.is(code, 0, said);
  return JSON.parse(said);
};

const send = async (method: string, path: string, body?: unknown) => {
  const response = await running.ask(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { status: response.status, json: (await response.json()) as Record<string, never> };
};

const status = async (token: string): Promise<number> =>
  (await fetch(`${running.address}/v1/users/loggedInUser`, { headers: { authorization: `Bearer ${token}` } })).status;

/** Other processes notice within about a second, and so does the service what the command line did. */
const soon = (wanted: number, token: string): Promise<unknown> =>
  waitFor(
    () => status(token),
    (answered) => answered === wanted,
    `the token is answered ${wanted}`,
  );

const issued = async (user: string): Promise<string> => {
  const { code, said } = await command('token', 'issue', '--user', user);
  assert.is(code, 0, said);
  return said;
};

const person = async (name: string): Promise<string> => {
  const body = { name, email: `${name}@example.com`, password: PASSWORD };
  const { status: made, json } = await send('POST', '/v1/users', body);
  assert.is(made, 201, JSON.stringify(json));
  return json['id'] as unknown as string;
};

test('a token for an unknown or deleted user or a bot is refused with a reason', async () => {
  const missing = await command('token', 'issue', '--user', 'Nobody');
  assert.equal([missing.code, missing.said], [1, 'There is no user nobody, so a token would be refused']);
  await send('DELETE', `/v1/users/${await person('gone')}`);
  const deleted = await command('token', 'issue', '--user', 'gone');
  assert.equal([deleted.code, deleted.said], [1, 'The user gone is deleted, so a token would be refused']);
  const bot = await command('token', 'issue', '--user', 'ingestion-bot');
  assert.equal([bot.code, bot.said], [1, 'The user ingestion-bot is a bot: add --bot']);
});

test('revoking on the command line ends every token and session, including those of the administrator', async () => {
  await person('ana.lovelace');
  const token = await issued('Ana.Lovelace');
  const login = await fetch(`${running.address}/v1/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ana.lovelace@example.com', password: PASSWORD }),
  });
  const { accessToken } = (await login.json()) as { accessToken: string };
  for (const one of [token, accessToken]) await soon(200, one);
  const { code, said } = await command('token', 'revoke', '--user', 'Ana.Lovelace');
  assert.equal([code, said], [0, 'All tokens and sessions of ana.lovelace are revoked.']);
  for (const one of [token, accessToken]) await soon(401, one);
  await soon(200, await issued('ana.lovelace'));

  const admins = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
  assert.equal(await answer('token', 'revoke', '--user', 'admin'), { user: 'admin', revoked: ['sessions', 'tokens'] });
  await soon(401, admins);
  assert.is((await send('GET', '/v1/users/loggedInUser')).status, 200, 'the file holds one that works');

  const nobody = await command('token', 'revoke', '--user', 'nobody');
  assert.equal([nobody.code, nobody.said], [1, 'There is no user nobody']);
});

test('a token is for the person for whom it was issued, and not for a later one of that name', async () => {
  const first = await person('grace');
  const token = await issued('grace');
  await soon(200, token);
  assert.is((await send('DELETE', `/v1/users/${first}?hardDelete=true`)).status, 200);
  await soon(401, token);
  await person('grace');
  const issue = await answer('token', 'issue', '--user', 'Grace', '--ttl', '2h');
  assert.equal([issue.user, Object.keys(issue)], ['grace', ['user', 'token', 'expiresAt']]);
  const later = issue.token;
  assert.is(Date.parse(issue.expiresAt) / 1000, decodeJwt(later).exp);
  await soon(200, later);
  assert.is(await status(token), 401);
});

const published = async (): Promise<readonly string[]> => {
  const { json } = await send('GET', '/v1/system/config/jwks');
  return (json['keys'] as unknown as readonly { kid: string }[]).map(({ kid }) => kid);
};

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

/** What the audit log holds of rotations, the newest first, once there are so many. A process looks every two seconds. */
const rotations = async (count: number): Promise<readonly (readonly string[])[]> => {
  const read = async () => {
    const { json } = await send('GET', '/v1/audit?action=keysRotated');
    return json['data'] as unknown as readonly { details: { keys: readonly string[] } }[];
  };
  const found = await waitFor(read, ({ length }) => length >= count, `${count} rotations are logged`);
  return found.map(({ details }) => details.keys);
};

test('keys rotate while the service runs, and former tokens are valid until --now', async () => {
  const former = await issued('ana.lovelace');
  const { code, said } = await command('keys', 'rotate');
  assert.is(code, 0, said);
  const next = await issued('ana.lovelace');
  assert.is.not(kidOf(next), kidOf(former));
  for (const token of [next, former]) await soon(200, token);
  assert.equal(await published(), [kidOf(next), kidOf(former)]);
  assert.equal((await readdir(join(home, 'keys'))).sort(), [
    'secrets-2.key',
    'secrets.key',
    'signing-2.pem',
    'signing.pem',
  ]);
  // Two rotations that a process notices together are one entry.
  assert.equal(await rotations(1), [['signing', 'sealing']]);

  const { signing, ...others } = await answer('keys', 'rotate', 'signing', '--now');
  assert.equal(others, {});
  for (const token of [next, former]) await soon(401, token);
  assert.is((await send('GET', '/v1/users/loggedInUser')).status, 200, 'the token of the home is a new one');
  const last = await issued('ana.lovelace');
  await soon(200, last);
  assert.is(kidOf(last), signing);
  assert.equal(await published(), [kidOf(last)]);
  assert.equal(
    (await listKeyFiles(home)).map((path) => path.slice(home.length + 1)),
    ['secrets-2.key', 'secrets.key', 'signing-3.pem', 'signing.retired'].map((name) => join('keys', name)),
  );
  assert.equal(await rotations(2), [['signing'], ['signing', 'sealing']]);
  const misuse = await command('keys', 'rotate', 'sealing', '--now');
  assert.is(misuse.code, 2);
  assert.is((await command('keys', 'rotate', 'signings')).code, 2);
});

test('after a restart the key rings are unchanged, and texts sealed with a former key can be opened', async () => {
  await stopServiceProcess(running, 'SIGTERM');
  // Rotated with --now while nobody could tell the others.
  assert.is((await command('keys', 'rotate', 'signing', '--now')).code, 0);
  running = await startServiceProcess(home);
  assert.is((await send('GET', '/v1/users/loggedInUser')).status, 200);
  assert.is((await published()).length, 1);
});

test('a process with other keys does not start on this store', async () => {
  await stopServiceProcess(running, 'SIGTERM');
  await rm(join(home, 'keys'), { recursive: true });
  const { child, output } = launchService(home, ['serve']);
  await once(child, 'close');
  assert.is(child.exitCode, 1, output());
  assert.match(output(), /another signing key than the store was set up with/);
});

test.run();
