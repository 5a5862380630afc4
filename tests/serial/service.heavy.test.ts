import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { startService } from '../support/prepared-home.ts';
import {
  launchService,
  type ServiceProcess,
  startServiceProcess,
  stopServiceProcess,
} from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/** Shows that the service starts, stops and is administered from the command line. */

const service = suite('serial: service process');

let home: string;
let running: ServiceProcess;

service.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-service-'));
  running = await startService(home);
});

service.after(async () => {
  await stopServiceProcess(running, 'SIGTERM');
  await rm(home, { recursive: true, force: true });
});

const domain = { name: 'Sales', description: 'What is sold, to whom.', domainType: 'Aggregate' };

service('both prefixes are served, and the administrator token is readable by its owner only', async () => {
  for (const prefix of ['', '/api']) {
    assert.is((await fetch(`${running.address}${prefix}/v1/system/version`)).status, 200);
  }
  assert.is((await stat(join(home, 'admin.token'))).mode & 0o777, 0o600);
  assert.is((await stat(home)).mode & 0o777, 0o700);
  assert.is((await running.ask('/v1/domains', { method: 'POST', body: JSON.stringify(domain) })).status, 201);
});

service('a token from the command line is valid, and nothing else is printed', async () => {
  const { child, output } = launchService(home, ['token', 'issue', '--user', 'admin', '--ttl', '5m']);
  await once(child, 'close');
  assert.is(child.exitCode, 0, output());
  assert.match(output(), /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const headers = { authorization: `Bearer ${output().trim()}` };
  assert.is((await fetch(`${running.address}/v1/users/loggedInUser`, { headers })).status, 200);
});

const lifetimeOf = (token: string): number => {
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return exp - iat;
};

service('a token from the command line is valid for an hour unless another lifetime is given', async () => {
  assert.is(lifetimeOf((await command('token', 'issue', '--user', 'admin')).said), 3600);
  assert.is(lifetimeOf((await command('token', 'issue', '--user', 'admin', '--ttl', '2d')).said), 2 * 86_400);
});

const command = async (...args: string[]) => {
  const { child, output } = launchService(home, args);
  await once(child, 'close');
  return { code: child.exitCode, said: output().trim() };
};

const isLetIn = async (token: string): Promise<number> =>
  (await fetch(`${running.address}/v1/users/loggedInUser`, { headers: { authorization: `Bearer ${token}` } })).status;

service('the bot token from the command line is the one that the service stores', async () => {
  const bot = { name: 'loader', email: 'loader@example.com', isBot: true };
  assert.is((await running.ask('/v1/users', { method: 'POST', body: JSON.stringify(bot) })).status, 201);
  const issue = (...more: string[]) => command('token', 'issue', '--user', 'Loader', '--bot', ...more);
  const first = await issue();
  assert.equal([first.code, await isLetIn(first.said)], [0, 200], first.said);
  const second = await issue('--ttl', '7d');
  assert.equal([second.code, await isLetIn(second.said), await isLetIn(first.said)], [0, 200, 401], second.said);
  const odd = await issue('--ttl', '5m');
  assert.is(odd.code, 1);
  assert.match(odd.said, /"5m", expected one of 1h, 1d, 7d/);
  const person = await command('token', 'issue', '--user', 'admin', '--bot');
  assert.is(person.code, 1);
  assert.match(person.said, /answered 400: user admin is not a bot$/);
});

service('a second process on one home reports the holder and exits', async () => {
  const { child, output } = launchService(home, ['serve']);
  await once(child, 'close');
  assert.is(child.exitCode, 1);
  assert.ok(output().includes(String(running.child.pid)), output());
});

service('a killed service starts again without loss', async () => {
  const path = join(home, 'admin.token');
  const before = await readFile(path, 'utf8');
  await stopServiceProcess(running, 'SIGKILL');
  await chmod(path, 0o644);
  running = await startServiceProcess(home);
  assert.is((await running.ask('/v1/domains/name/Sales')).status, 200);
  const after = await readFile(path, 'utf8');
  assert.is.not(after, before, 'every start writes a fresh token');
  assert.is((await stat(path)).mode & 0o777, 0o600, 'for its owner only, whatever the old file was');
  assert.equal(
    (await readdir(home)).filter((name) => name.startsWith('admin.token')),
    ['admin.token'],
  );
  for (const token of [before, after]) assert.is(lifetimeOf(token), 24 * 60 * 60);
});

service('a service interrupted in a terminal exits cleanly with its database', async () => {
  const { pid } = running.child;
  assert.is(await stopServiceProcess(running, 'SIGINT'), 0, running.output());
  assert.not(running.output().includes('EADDRINUSE'));
  running = await startServiceProcess(home);
  assert.is.not(running.child.pid, pid);
  assert.is((await running.ask('/v1/domains/name/Sales')).status, 200);
});

service('a service that is asked to stop exits cleanly', async () => {
  assert.is(await stopServiceProcess(running, 'SIGTERM'), 0, running.output());
  const { code, said } = await command('token', 'issue', '--user', 'loader', '--bot');
  assert.is(code, 1);
  assert.match(said, /^No service answers at .* Start one/);
});

service.run();
