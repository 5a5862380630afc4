import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { StartupError } from '../../src/errors.ts';
import { startService } from '../../src/main.ts';
import { openService, placeOfRun } from '../support/service.ts';
import { type ServiceProcess, startServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/** Shows that the service starts as a process on an existing store, answers, and ends when it is asked to. */

const test = suite('serve: one process');

let home = '';
let running: ServiceProcess;

test.before(async () => {
  // Whoever opens the store first creates its indexes, which is not what this is about.
  await openService();
  const place = placeOfRun();
  home = await mkdtemp(join(tmpdir(), 'tributary-process-'));
  await cp(join(place.home, 'keys'), join(home, 'keys'), { recursive: true });
  running = await startServiceProcess(home, {
    NEO4J_URI: place.uri,
    NEO4J_USER: place.user,
    NEO4J_PASSWORD: place.password,
  });
});

test.after(async () => {
  await stopServiceProcess(running, 'SIGKILL');
  await rm(home, { recursive: true, force: true });
});

test('a service process answers, and SIGTERM ends it with code 0', async () => {
  const answer = await running.ask('/v1/users/name/admin');
  assert.equal([answer.status, ((await answer.json()) as { name?: string }).name], [200, 'admin']);
  assert.is(await stopServiceProcess(running, 'SIGTERM'), 0, running.output());
});

test('a weak ADMIN_PASSWORD is refused before anything starts', async () => {
  const lines: string[] = [];
  const env = { ADMIN_PASSWORD: 'password', TRIBUTARY_HOME: join(home, 'weak') };
  try {
    await startService(env, (line) => lines.push(line));
    assert.unreachable('it started');
  } catch (failure) {
    assert.instance(failure, StartupError);
    assert.match(String(failure), /ADMIN_PASSWORD.*upper-case letter.*digit.*special/);
  }
  assert.equal([lines, existsSync(env.TRIBUTARY_HOME)], [[], false]);
});

test.run();
