import * as assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { SYSTEM } from '../../src/app.ts';
import { openService, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { providePython, runScript } from './python.ts';

const test = suite('the published OpenMetadata SDK');

type Told = { readonly case?: string; readonly failure?: string | null; readonly done?: boolean };

const provided = await providePython();

let server: ServerType | undefined;
let told: readonly Told[] = [];

const failures = () => told.filter(({ failure }) => failure).map((one) => `${one.case}: ${one.failure}`);

const MUST_RUN = 70;

if ('missing' in provided) {
  test.skipped('create, read, list, patch and delete of every kind', provided.missing);
  test('says why it was skipped', () => assert.ok(provided.missing.length > 0));
} else {
  test.before(async () => {
    const service = await openService();
    server = serve({ fetch: service.app.hono.fetch, hostname: '127.0.0.1', port: 0 });
    if (!server.listening) await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const args = [`http://127.0.0.1:${port}`, await service.token(SYSTEM.name), uniqueName('sdk').slice(4)];
    const output = await runScript(provided.python, 'openmetadata_sdk.py', args);
    told = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Told);
  });

  test.after(async () => {
    server?.close();
  });

  test('reads, lists, patches and deletes every kind it can create', () => {
    assert.deepEqual(failures(), []);
  });

  test('went through every kind to the end', () => {
    assert.ok(told.length > MUST_RUN, `${told.length} cases`);
    assert.equal(told.at(-1)?.done, true);
  });
}

test.run();
