import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** Shows that a commit whose answer is lost is sent again and applied once. */

const test = suite('faults: lost response');

let door: TcpProxy;
let service: Service;

test.before(async () => {
  door = await openTcpProxy();
  const place = placeOfRun();
  door.setTarget(place.uri);
  service = await openServiceAt({ ...place, uri: `bolt://127.0.0.1:${door.port}` });
});

test.after(async () => {
  await closeServiceAt(service);
  door.close();
});

test('added usage is counted once, including that of others in the same transaction', async () => {
  const { admin } = service;
  const name = uniqueName('counted');
  ok(await admin.post('/v1/services/databaseServices', { name, serviceType: 'Mysql' }), 201);
  const { id } = ok(await admin.post('/v1/databases', { name: 'db', service: name }), 201);
  const path = `/v1/usage/database/${id}`;
  // A text that only the statement has which counts.
  const lost = door.loseAnswer('reports[0].kept');
  const answers = await Promise.all([1, 2, 3].map((count) => admin.post(path, { date: '2026-01-05', count })));
  assert.is(lost(), 1, 'no answer was lost');
  for (const answer of answers) ok(answer);
  assert.is(ok(await admin.get(`${path}?date=2026-01-05`)).usage[0].dailyStats.count, 6);
});

test.run();
