import * as assert from 'uvu/assert';
import { withApp } from '../accounts/fixture.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a deployment can leave the explorer out, and that everything else is as before. */

const test = suite('explorer: switched off');

let service: Service;
let without: Service;
let admin: Client;

test.before(async () => {
  service = await openService();
  const process = await openSecondProcessWith(service, {}, { env: { EXPLORER: 'false' } });
  without = withApp(service, process.app);
  admin = process.client;
});

const statusAt = async (at: Service, path: string): Promise<number> =>
  (await anonymous(at).raw('GET', path, undefined)).status;

test('its pages and files are there by default, for everybody', async () => {
  for (const path of ['/', '/search', '/assets/table/a', '/lineage/table/a'])
    assert.is(await statusAt(service, path), 200);
});

test('without it, the start leads to the pages of the API, and the rest of it is not there', async () => {
  const start = await anonymous(without).raw('GET', '/', undefined);
  assert.equal([start.status, start.headers.get('location')], [302, '/docs']);
  for (const path of ['/search', '/assets/table/a', '/lineage/table/a', '/explorer/assets/index.js'])
    assert.ok([401, 404].includes(await statusAt(without, path)), path);
  const config = '/v1/system/config/explorer';
  assert.equal([await statusAt(service, config), (await admin.get(config)).status], [200, 404]);
  assert.is(await statusAt(without, '/docs'), 200);
  assert.is((await admin.get('/v1/tables?limit=1')).status, 200);
});

test.run();
