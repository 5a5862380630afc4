import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { StartupError } from '../../src/errors.ts';
import type { Answer, Route } from '../../src/http/route.ts';
import { type RunningServer, type ServeOptions, serveApp } from '../../src/http/server.ts';
import { waitUntil } from '../support/patience.ts';
import { suite } from '../support/suite.ts';
import { appOf, exchange, ok, route } from './fixture.ts';

/** Shows the behaviour of the HTTP server over real sockets. */

const test = suite('http: server');

const open = (method: Route['method'], path: string, handle: Parameters<typeof route>[2]) =>
  route(method, path, handle, { access: 'public' });

const echo = open('GET', '/v1/things/{name}', ({ params, hrefBase }) => ok({ ...params, hrefBase }));
const take = open('POST', '/v1/things', async ({ body }) => ok(await body.json()));

const onServer = async (
  routes: readonly Route[],
  use: (served: RunningServer, seen: ReturnType<typeof appOf>['seen']) => Promise<void>,
  options: Partial<ServeOptions> = {},
) => {
  const { app, seen } = appOf(routes);
  const served = await serveApp(app, { host: '127.0.0.1', port: 0, closeWithinMs: 2000, ...options });
  try {
    await use(served, seen);
  } finally {
    await served.close();
  }
};

/** Status, headers and body of a raw answer, after checking that an error has the shared body. */
const parse = (raw: string) => {
  const [head = '', body = ''] = raw.split('\r\n\r\n');
  const status = Number(head.split(' ')[1]);
  const { code, errorType, message } = JSON.parse(body) as Record<string, unknown>;
  assert.is(code, status);
  assert.type(message, 'string');
  assert.match(head.toLowerCase(), /content-type: application\/json/);
  return { status, errorType, head: head.toLowerCase() };
};

const get = (path: string, lines = 'Host: h\r\nConnection: close\r\n') => `GET ${path} HTTP/1.1\r\n${lines}\r\n`;

test('an encoded name is decoded correctly through the whole stack', () =>
  onServer([echo], async ({ address }) => {
    const name = 'a/b%2Fc "d" 100% é?#&include=x+.';
    const response = await fetch(`${address}/api/v1/things/${encodeURIComponent(name)}/`);
    assert.equal(await response.json(), { name, hrefBase: `${address}/api` });
    assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  }));

test('dot segments are names and do not traverse the path', () =>
  onServer([echo], async ({ port }) => {
    const answer = await exchange(port, get('/v1/things/%2E%2E'));
    assert.match(answer, /"name":"\.\."/);
    assert.match(await exchange(port, get('/v1/../v1/things/x')), /^HTTP\/1.1 401 /);
  }));

test('a response has a length, and HEAD has no body', () =>
  onServer([echo], async ({ address }) => {
    const body = await (await fetch(`${address}/v1/things/x`)).text();
    const head = await fetch(`${address}/v1/things/x`, { method: 'HEAD' });
    assert.equal([await head.text(), head.headers.get('content-length')], ['', String(body.length)]);
  }));

test('requests that the parser refuses get the shared body', () =>
  onServer([echo], async ({ port }) => {
    const cases: readonly (readonly [string, number])[] = [
      ['nonsense\r\n\r\n', 400],
      ['BREW /v1/things HTTP/1.1\r\nHost: h\r\n\r\n', 400],
      [get('/v1/things/x', 'Host: h\r\nContent-Length: x\r\n'), 400],
      [get('/v1/things/x', `Host: h\r\nX-Long: ${'x'.repeat(20_000)}\r\n`), 431],
      [get(`/v1/things/${'x'.repeat(20_000)}`), 431],
      [get('/v1/things/x', 'Host: h\r\nExpect: a-miracle\r\n'), 417],
      [get('/v1/things/x', 'Connection: close\r\n'), 400],
      [get('/v1/things/x', 'Host: a b/c\r\nConnection: close\r\n'), 400],
      [get('\\v1\\things\\x'), 400],
      ['CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n', 405],
      ['OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n', 400],
    ];
    for (const [text, status] of cases) assert.is(parse(await exchange(port, text)).status, status, text.slice(0, 60));
  }));

test('HTTP/1.0 without a host is served', () =>
  onServer([echo], async ({ port }) => {
    assert.match(await exchange(port, 'GET /v1/things/x HTTP/1.0\r\n\r\n'), /"hrefBase":"http:\/\/localhost"/);
  }));

test('a request that arrives too slowly is 408', () =>
  onServer(
    [echo],
    async ({ port }) => {
      assert.is(parse(await exchange(port, 'GET /v1/things/x HTTP/1.1\r\nHost: h\r\n')).status, 408);
    },
    { timeouts: { headersMs: 50, requestMs: 100, checkMs: 20 } },
  ));

test('a body without a length is read, and one that is too large is 413', () =>
  onServer([take], async ({ port }) => {
    const head = 'POST /v1/things HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/json\r\n';
    const chunked = (text: string) =>
      `${head}Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    assert.match(await exchange(port, chunked('{"a":1}')), /\r\n\r\n\{"a":1\}$/);
    assert.is(parse(await exchange(port, chunked(`"${'x'.repeat(1000)}"`))).status, 413);
    assert.is(parse(await exchange(port, `${head}Content-Length: 5000000\r\n\r\n`)).status, 413);
    const declared = '"y"';
    assert.match(await exchange(port, `${head}Content-Length: 3\r\n\r\n${declared}`), /\r\n\r\n"y"$/);
  }));

test('a connection is reused after an error whose body was not read', () =>
  onServer([echo, take], async ({ port }) => {
    const refused = `POST /v1/nothing HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n"y"`;
    const answers = await exchange(port, refused + get('/v1/things/x'));
    assert.equal(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 200']);
  }));

const counted = (pieceBytes: number) => {
  const state = { produced: 0, isOver: false };
  const text = 'x'.repeat(pieceBytes);
  async function* pieces() {
    try {
      for (;;) {
        state.produced += 1;
        yield text;
      }
    } finally {
      state.isOver = true;
    }
  }
  return { state, answer: (): Answer => ({ status: 200, stream: pieces() }) };
};

test('a stream waits for a slow reader and ends when the reader leaves', () => {
  const { state, answer } = counted(1024 * 1024);
  return onServer([open('GET', '/v1/long', answer)], async ({ port }, seen) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(get('/v1/long')));
    await once(socket, 'readable');
    let before = -1;
    // Unread, production comes to a halt once the buffers between us are full.
    while (before !== state.produced) {
      before = state.produced;
      await pause(200);
    }
    assert.ok(before < 64, `${before} MiB were produced for nobody`);
    socket.destroy();
    await waitUntil(() => state.isOver && seen.length === 1, 'the stream has ended');
    assert.equal([seen[0]?.status, seen[0]?.failure], [200, undefined]);
  });
});

test('a failure during a stream breaks the connection and leaks nothing', async () => {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  async function* pieces() {
    yield '[1';
    await arrived;
    throw new Error('secret detail');
  }
  await onServer([open('GET', '/v1/a', () => ({ status: 200, stream: pieces() }))], async ({ port }, seen) => {
    let raw = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(get('/v1/a')));
    socket.on('data', (piece: Buffer) => {
      raw += piece;
      if (raw.includes('[1')) arrive();
    });
    socket.on('error', (failure) => {
      raw += failure;
    });
    await once(socket, 'close');
    assert.not.match(raw, /0\r\n\r\n$/);
    assert.not.match(raw, /secret/);
    await waitUntil(() => seen.length === 1, 'the request is observed');
    assert.is(String(seen[0]?.failure), 'Error: secret detail');
  });
});

test('a port in use stops the start, naming the port', () =>
  onServer([echo], async ({ port }) => {
    const { app } = appOf([echo]);
    try {
      await serveApp(app, { host: '127.0.0.1', port });
      assert.unreachable('the port was taken');
    } catch (failure) {
      assert.instance(failure, StartupError);
      assert.match(String(failure), new RegExp(`Port ${port} .* in use.*PORT=`));
    }
  }));

test('a foreign host address stops the start', async () => {
  const { app } = appOf([echo]);
  try {
    await serveApp(app, { host: '192.0.2.1', port: 0 });
    assert.unreachable('the address belongs to nobody');
  } catch (failure) {
    assert.instance(failure, StartupError);
    assert.match(String(failure), /HOST is "192\.0\.2\.1"/);
  }
});

test('the address of a server is one that can be opened', async () => {
  const served = await serveApp(appOf([echo]).app, { host: '0.0.0.0', port: 0 });
  assert.is(served.address, `http://localhost:${served.port}`);
  await served.close();
});

/** A request whose answer the test gives when it likes. */
const heldBack = () => {
  const held: { finish?: () => void } = {};
  const handle = () =>
    new Promise<Answer>((resolve) => {
      held.finish = () => resolve(ok('done'));
    });
  return { held, app: appOf([open('GET', '/v1/slow', handle)]).app };
};

const outcome = (sending: Promise<string>) => sending.catch((failure: unknown) => String(failure));

test('closing lets a running request finish and closes idle connections at once', async () => {
  const { held, app } = heldBack();
  const served = await serveApp(app, { host: '127.0.0.1', port: 0, closeWithinMs: 60_000 });
  const idle = connect(served.port, '127.0.0.1');
  await once(idle, 'connect');
  const running = exchange(served.port, 'GET /v1/slow HTTP/1.1\r\nHost: h\r\n\r\n');
  await waitUntil(() => held.finish !== undefined, 'the request is handled');
  const closing = served.close();
  assert.is(served.close(), closing, 'closing twice is closing once');
  await once(idle.resume(), 'close');
  assert.match(await outcome(exchange(served.port, get('/v1/slow'))), /ECONNREFUSED/);
  held.finish?.();
  assert.match(await running, /"done"$/);
  await closing;
});

test('the signal of a handler aborts when the caller disconnects, not when the response is complete', async () => {
  const signals: AbortSignal[] = [];
  const slow = open('GET', '/v1/slow', async ({ signal }) => {
    signals.push(signal);
    await waitUntil(() => signal.aborted, 'the signal aborts');
    return ok({});
  });
  const quick = open('GET', '/v1/quick', ({ signal }) => {
    signals.push(signal);
    return ok({});
  });
  await onServer([slow, quick], async ({ address, port }, seen) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(get('/v1/slow')));
    await waitUntil(() => signals.length === 1, 'the request has begun');
    assert.is(signals[0]?.aborted, false);
    socket.destroy();
    await waitUntil(() => signals[0]?.aborted === true, 'the signal aborts');
    await (await fetch(`${address}/v1/quick`)).json();
    await waitUntil(() => seen.length === 2, 'both requests are over');
    assert.is(signals[1]?.aborted, false);
  });
});

const isRefused = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return !isOpen;
};

test('closing does not truncate a response that a slow reader still receives', async () => {
  const content = 'x'.repeat(30 * 1024 * 1024);
  const big = open('GET', '/v1/big', () => ({ status: 200, text: { mediaType: 'text/plain', content } }));
  const served = await serveApp(appOf([big]).app, { host: '127.0.0.1', port: 0, closeWithinMs: 60_000 });
  const socket = connect(served.port, '127.0.0.1', () => socket.write('GET /v1/big HTTP/1.1\r\nHost: h\r\n\r\n'));
  await once(socket, 'readable');
  const closing = served.close();
  await waitUntil(() => isRefused(served.port), 'it takes no connections any more');
  let received = 0;
  socket.on('data', (piece: Buffer) => {
    received += piece.length;
  });
  await once(socket, 'close');
  assert.ok(received > content.length, `${received} bytes arrived`);
  await closing;
});

test('closing aborts what does not finish within the limit', async () => {
  const { held, app } = heldBack();
  const served = await serveApp(app, { host: '127.0.0.1', port: 0, closeWithinMs: 50 });
  const running = outcome(exchange(served.port, get('/v1/slow')));
  await waitUntil(() => held.finish !== undefined, 'the request is handled');
  await served.close();
  assert.not.match(await running, /done/);
});

test.run();
