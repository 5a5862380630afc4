import * as assert from 'uvu/assert';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { askOverWire, BROWSER, JAVA, PROXIED, PYTHON, textOfReply, type WireRequest } from './compression-fixture.ts';

/** Shows that clients read and change records whatever encoding they accept. */

const test = suite('http: compressed records');

let service: Service;
let served: RunningServer;
let authorization: string;
let id: string;
let path: string;

test.before(async () => {
  service = await openService();
  served = await serveApp(service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  authorization = `Bearer ${await service.token('admin')}`;
  const name = uniqueName('compressed');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  const columns = Array.from({ length: 30 }, (_, at) => ({ name: `column_${at}`, dataType: 'INT' }));
  const body = { name: 'orders', databaseSchema: `${name}.db.public`, columns };
  id = ok(await service.admin.post('/v1/tables', body), 201).id;
  path = `/v1/tables/${id}?fields=columns,tags`;
});
test.after(() => served.close());

const ask = (target: string, { headers = {}, ...rest }: WireRequest = {}) =>
  askOverWire(served.address, target, { ...rest, headers: { authorization, ...PROXIED, ...headers } });

test('a record is the same in every encoding, and so is its tag', async () => {
  const plain = await ask(path);
  for (const headers of [PYTHON, JAVA, BROWSER]) {
    const reply = await ask(path, { headers });
    assert.is(reply.headers['content-encoding'], headers === BROWSER ? 'br' : 'gzip');
    assert.is(textOfReply(reply), plain.body.toString());
    assert.is(reply.headers.etag, plain.headers.etag);
    assert.ok(reply.body.length < plain.body.length / 2, `${reply.body.length} of ${plain.body.length}`);
  }
});

test('the tag of a compressed answer serves as a condition of reads and writes', async () => {
  const { etag = '' } = (await ask(path, { headers: PYTHON })).headers;
  for (const headers of [PYTHON, BROWSER, {}]) {
    for (const tag of [etag, `W/${etag}`]) {
      const same = await ask(path, { headers: { ...headers, 'if-none-match': tag } });
      assert.equal([same.status, same.body.length, same.headers.vary], [304, 0, 'Accept-Encoding']);
      assert.is(same.headers['content-encoding'], undefined);
    }
  }
  const patch = (condition: string, text: string) =>
    ask(`/v1/tables/${id}`, {
      method: 'PATCH',
      headers: { ...PYTHON, 'if-match': condition, 'content-type': 'application/json-patch+json' },
      body: JSON.stringify([{ op: 'add', path: '/description', value: text }]),
    });
  const changed = await patch(etag, 'A first text');
  assert.equal([changed.status, changed.headers['content-encoding']], [200, 'gzip']);
  assert.is(JSON.parse(textOfReply(changed)).description, 'A first text');
  const stale = await patch(etag, 'A second text');
  assert.equal([stale.status, stale.headers.etag], [412, changed.headers.etag]);
  assert.is((await patch(`W/${changed.headers.etag}`, 'A third text')).status, 200, 'as a compressing proxy has it');
});

test('lists and histories are compressed, and answers with secrets of connections are not', async () => {
  for (const target of [
    '/v1/tables?limit=10&fields=columns',
    '/v1/tables?limit=100000&fields=columns',
    `/v1/tables/${id}/versions`,
    '/v1/search/query?q=orders&index=table',
    '/api/v1/metadata/types?limit=100',
  ]) {
    const [plain, reply] = [await ask(target), await ask(target, { headers: PYTHON })];
    assert.equal([reply.status, reply.headers['content-encoding']], [200, 'gzip'], target);
    assert.equal(JSON.parse(textOfReply(reply)).paging, JSON.parse(plain.body.toString()).paging, target);
  }
  const services = await ask('/v1/services/databaseServices?limit=1000', { headers: PYTHON });
  assert.equal([services.status, services.headers['content-encoding']], [200, undefined]);
});

test('programs on this machine get plain records', async () => {
  const reply = await askOverWire(served.address, path, { headers: { authorization, ...PYTHON } });
  assert.equal([reply.status, reply.headers['content-encoding']], [200, undefined]);
  assert.is(JSON.parse(reply.body.toString()).id, id);
});

test.run();
