import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { startWarmUp, watchCallers } from '../../src/serve/warm-up.ts';
import { createClock } from '../access/fixture.ts';
import { ok } from '../support/expect.ts';
import { SOON } from '../support/kept-answers.ts';
import { waitUntil } from '../support/patience.ts';
import { createSamples } from '../support/samples.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the statements of common questions have been run before the first caller asks them. */

const test = suite('serve: warm-up');

let service: Service;
/** A process that has kept no answer yet, for which nothing needs to be sent again. */
let fresh: Awaited<ReturnType<typeof openSecondProcessWith>>;
let table: { readonly id: string; readonly fqn: string; readonly column: string };

/** The warm-up asks about the first table that there is, which is to be one with columns. */
const FIRST_NAME = '!';

test.before(async () => {
  service = await openService();
  fresh = await openSecondProcessWith(service, SOON);
  const { id, fullyQualifiedName, columns } = await createSamples(service).create('table', { name: FIRST_NAME });
  const [column] = columns as readonly { readonly name: string }[];
  table = { id, fqn: encodeURIComponent(fullyQualifiedName), column: encodeURIComponent(column?.name ?? '') };
});

/** The names of the statements that are sent during some work. */
const statementsOf = async (work: () => Promise<unknown>): Promise<ReadonlySet<string>> => {
  const before = service.allSent();
  await work();
  return new Set(
    [...service.allSent()].filter(([name, times]) => times > (before.get(name) ?? 0)).map(([name]) => name),
  );
};

/** The rooms whose statements answer the questions. Background work sends those of other rooms at any time. */
const ANSWERING = ['catalog', 'lineage', 'permissions', 'search'];

const isOfQuestions = (statement: string): boolean => ANSWERING.includes(statement.split('/', 1)[0] ?? '');

const isQuiet = (): boolean => true;

const log = { warn: (message: string) => assert.unreachable(message) };

test('common questions send statements that the warm-up has sent', async () => {
  const warmed = await statementsOf(async () => {
    await startWarmUp({ ...fresh.app, log, isQuiet }).done;
    // An answer is kept when it was rendered twice alike, so far apart. A start takes longer than that.
    await pause(2 * SOON.confirmationMs);
    await startWarmUp({ ...fresh.app, log, isQuiet }).done;
  });
  const { id, fqn, column } = table;
  const questions = [
    `/v1/tables/name/${fqn}`,
    `/v1/tables/name/${fqn}?fields=*`,
    `/v1/tables/${id}?fields=owners,tags,columns`,
    `/v1/tables/${id}/versions`,
    '/v1/tables?limit=50&fields=columns',
    '/v1/search/query?q=anything&index=topic',
    '/v1/search/query?q=anything%20else&index=topic',
    '/v1/search/suggest?q=any',
    `/v1/lineage/table/${id}?upstreamDepth=1&downstreamDepth=1`,
    `/v1/lineage/getLineage?fqn=${fqn}&type=table&upstreamDepth=3&downstreamDepth=3`,
    `/v1/lineage/graph?id=${id}`,
    `/v1/lineage/impact?id=${id}`,
    `/v1/lineage/impact?id=${id}&column=${column}`,
    `/v1/lineage/table/name/${fqn}?upstreamDepth=10&downstreamDepth=10`,
    `/v1/permissions/table/${id}`,
  ];
  for (const question of questions) {
    const sent = await statementsOf(async () => ok(await fresh.client.get(question)));
    const cold = [...sent].filter((name) => isOfQuestions(name) && !warmed.has(name));
    assert.equal(cold, [], question);
  }
});

test('a store with a table answers every question of the warm-up', async () => {
  const refused: string[] = [];
  const askAsSystem = async (path: string) => {
    const answer = await service.app.askAsSystem(path);
    if (!answer.ok) refused.push(`${path}: ${answer.status}`);
    return answer;
  };
  await startWarmUp({ askAsSystem, log, isQuiet }).done;
  assert.equal(refused, []);
});

test('logs do not tell of the questions of the warm-up', async () => {
  const lines = service.logged.length;
  await startWarmUp({ ...service.app, log, isQuiet }).done;
  assert.equal(service.logged.slice(lines), []);
});

test('a warm-up that is stopped ends with the question that it asks', async () => {
  const asked: string[] = [];
  const askAsSystem = (path: string) => {
    asked.push(path);
    return service.app.askAsSystem(path);
  };
  await startWarmUp({ askAsSystem, log, isQuiet }).stop();
  assert.is(asked.length, 1);
});

test('a question that fails is logged, and the others are asked all the same', async () => {
  const warnings: unknown[] = [];
  let asked = 0;
  const askAsSystem = async () => {
    asked += 1;
    if (asked % 2 === 0) throw new Error('broken off');
    return new Response('{"code":503}', { status: 503 });
  };
  const heard = { warn: (_: string, facts?: object) => warnings.push(facts) };
  await startWarmUp({ askAsSystem, log: heard, isQuiet }).done;
  assert.ok(asked > 10);
  assert.is(warnings.length, asked);
});

test('the first questions are asked at once, and the others when no caller waits', async () => {
  let isBusy = true;
  let looks = 0;
  const asked: string[] = [];
  const askAsSystem = (path: string) => {
    asked.push(path);
    return service.app.askAsSystem(path);
  };
  const isQuietNow = () => {
    looks += 1;
    return !isBusy;
  };
  const warmUp = startWarmUp({ askAsSystem, log, isQuiet: isQuietNow });
  await warmUp.begun;
  const first = asked.length;
  assert.ok(first > 3);
  await waitUntil(() => looks >= 3, 'it looks whether callers wait');
  assert.is(asked.length, first);
  isBusy = false;
  await warmUp.done;
  assert.ok(asked.length > first + 10);
});

test('callers wait until their answers are complete, and for a moment after that', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const clock = createClock();
    const isQuietNow = watchCallers(server, clock);
    assert.ok(isQuietNow());
    const answered = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [, answer] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    clock.advance(700);
    assert.not.ok(isQuietNow(), 'the caller still waits');
    // The caller may have its answer before it counts as one who has left.
    const left = once(answer, 'close');
    answer.end();
    await (await answered).text();
    await left;
    assert.not.ok(isQuietNow(), 'the caller may ask again');
    clock.advance(700);
    assert.ok(isQuietNow());
  } finally {
    server.close();
  }
});

test.run();
