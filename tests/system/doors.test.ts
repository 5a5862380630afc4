import * as assert from 'uvu/assert';
import { readConfig } from '../../src/config.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { exchange } from '../http/fixture.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that pages of other sites, which a browser opens, reach nothing of a service on the same machine. */

const test = suite('system: doors');

let service: Service;
test.before(async () => {
  service = await openService();
});

/** Serves an application with these settings on a loopback port. */
const onPort = async (env: Readonly<Record<string, string>>, use: (served: RunningServer) => Promise<void>) => {
  const { app } = await openSecondProcessWith(service, {}, { env });
  const served = await serveApp(app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  try {
    await use(served);
  } finally {
    await served.close();
  }
};

const ask = async (port: number, host: string, path = '/v1/system/version', target = path): Promise<string> => {
  const answer = await exchange(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return answer.slice(0, answer.indexOf('\r\n'));
};

const ANSWERED = 'HTTP/1.1 200 OK';
const REFUSED = 'HTTP/1.1 421 Misdirected Request';

test('on a loopback address, the service answers only for its own names', () =>
  onPort(
    { PUBLIC_URL: 'https://Catalog.example.org/base', ALLOWED_HOSTS: 'other.example, [2001:db8::5]' },
    async ({ port }) => {
      const own = ['localhost', 'LocalHost:1', '127.0.0.1:8585', '[::1]', '[::1]:8585'];
      for (const host of [...own, 'catalog.example.org', 'catalog.example.org:443', 'other.example:7', '[2001:db8::5]'])
        assert.is(await ask(port, host), ANSWERED, host);
      const others = [
        'evil.example',
        'localhost.evil.example',
        '127.0.0.1.evil.example:8585',
        '192.0.2.7',
        '[2001:db8::6]',
      ];
      for (const host of [...others, 'localhost.', 'example.org', 'x.catalog.example.org'])
        assert.is(await ask(port, host), REFUSED, host);
    },
  ));

test('what is asked for under another name is not reached, whatever it is', () =>
  onPort({}, async ({ port }) => {
    for (const path of ['/', '/docs', '/metrics', '/openapi.json', '/v1/system/live', '/v1/system/ready', '/nothing'])
      assert.is(await ask(port, 'evil.example', path), REFUSED, path);
    const post = `POST /v1/users/login HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;
    const answer = await exchange(port, post);
    assert.ok(answer.startsWith(REFUSED), answer);
    const { message, ...body } = JSON.parse(answer.slice(answer.indexOf('{'))) as Record<string, unknown>;
    assert.equal(body, { code: 421, errorType: 'MISDIRECTED_REQUEST' });
    assert.match(String(message), /ALLOWED_HOSTS/);
    assert.not.match(answer, /evil/);
  }));

test('the host of an absolute target counts, and a request without any host is answered', () =>
  onPort({}, async ({ port }) => {
    assert.is(await ask(port, 'localhost', '', 'http://evil.example/v1/system/version'), REFUSED);
    // Only HTTP/1.0 may leave it out. No browser speaks that, but health checks do.
    assert.ok((await exchange(port, 'GET /v1/system/version HTTP/1.0\r\n\r\n')).startsWith(ANSWERED));
    assert.ok(
      (await exchange(port, 'GET /v1/system/version HTTP/1.0\r\nHost: evil.example\r\n\r\n')).startsWith(REFUSED),
    );
  }));

test('on another address, the service answers for every name', () =>
  onPort({ HOST: '0.0.0.0', ALLOWED_HOSTS: 'other.example' }, async ({ port }) => {
    assert.is(await ask(port, 'catalog.example.org'), ANSWERED);
  }));

test('metrics take a token unless the address is a loopback one, or a setting says otherwise', async () => {
  const statusOf = async (env: Readonly<Record<string, string>>) => {
    const { app, client } = await openSecondProcessWith(service, {}, { env });
    assert.is((await client.get('/metrics')).status, 200);
    return (await anonymous({ ...service, app }).get('/metrics')).status;
  };
  for (const HOST of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1', 'localhost']) {
    assert.is(await statusOf({ HOST }), 200, HOST);
    assert.is(await statusOf({ HOST, METRICS_AUTH: 'true' }), 401, HOST);
  }
  for (const HOST of ['0.0.0.0', '::', '192.0.2.7', 'catalog.example.org', '127.0.0.1.example.org']) {
    assert.is(await statusOf({ HOST }), 401, HOST);
    assert.is(await statusOf({ HOST, METRICS_AUTH: 'false' }), 200, HOST);
  }
});

test('hosts that are no names stop the process', () => {
  for (const ALLOWED_HOSTS of ['https://catalog.example', 'catalog.example/base', 'a b', 'catalog.example:port'])
    assert.throws(() => readConfig({ ALLOWED_HOSTS }), /^ALLOWED_HOSTS is .*expected/, ALLOWED_HOSTS);
});

test('many questions for the health of the service are one look at the database', async () => {
  const health = () => anonymous(service).get('/v1/system/health');
  const before = service.sent('system/count_unindexed');
  const answers = await Promise.all(Array.from({ length: 300 }, health));
  for (const { status, json } of answers) assert.equal([status, json.status], [200, 'healthy']);
  const looks = service.sent('system/count_unindexed') - before;
  assert.ok(looks >= 1 && looks < 30, `${looks} looks`);
});

test.run();
