import { once } from 'node:events';
import { get } from 'node:http';
import { createGunzip } from 'node:zlib';
import * as assert from 'uvu/assert';
import { chooseEncoding } from '../../src/http/choose-encoding.ts';
import { createEventStreams } from '../../src/http/event-stream.ts';
import type { Answer, Route } from '../../src/http/route.ts';
import type { RouterDeps } from '../../src/http/router.ts';
import { serveApp } from '../../src/http/server.ts';
import { suite } from '../support/suite.ts';
import {
  askOverWire,
  BROWSER,
  JAVA,
  PROXIED,
  PYTHON,
  textOfReply,
  type WireReply,
  type WireRequest,
} from './compression-fixture.ts';
import { appOf, ok, route } from './fixture.ts';

/** Shows which answers are compressed, for whom, and that every client reads the same content. */

const test = suite('http: compression');

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: at,
    name: `orders_${at}`,
    description: 'Prices in €, with “quotes”',
  }));

const LIST = { data: rowsOf(100) };
const LINES = rowsOf(100)
  .map((row) => `${JSON.stringify(row)}\n`)
  .join('');

const open = (path: string, answer: () => Answer, more: Partial<Route> = {}) =>
  route('GET', path, answer, { access: 'public', ...more });

const textOf = (mediaType: string, content = LINES): Answer => ({ status: 200, text: { mediaType, content } });
const bytesOf = (mediaType: string, content: Uint8Array = Buffer.from(LINES)): Answer => ({
  status: 200,
  encoded: { mediaType, content },
});

/** The shortest JSON text that is compressed, and one that is a character shorter. */
const jsonOf = (bytes: number): Answer => ok('x'.repeat(bytes - 2));
const MIN_BYTES = 1024;

const HUGE = Buffer.from(JSON.stringify(rowsOf(240_000)));

async function* streamOf(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

const PIECES = ['{"data":[', ...rowsOf(100).map((row, at) => (at === 0 ? '' : ',') + JSON.stringify(row)), ']}'];

const NDJSON = { 'Content-Type': 'application/x-ndjson' };

const ROUTES: readonly Route[] = [
  open('/v1/list', () => ({ ...ok(LIST), headers: { ETag: '"0123abcd-0.1-5"' } })),
  open('/v1/csv', () => bytesOf('text/csv; charset=UTF-8')),
  open('/v1/plain', () => textOf('text/plain; charset=UTF-8')),
  open('/v1/yaml', () => textOf('application/yaml')),
  open('/v1/lines', () => ({ status: 200, headers: NDJSON, stream: streamOf(LINES.split(/(?<=\n)/)) })),
  open('/v1/patch', () => textOf('application/merge-patch+json')),
  open('/v1/stream', () => ({ status: 200, stream: streamOf(PIECES) })),
  open('/v1/short-stream', () => ({ status: 200, stream: streamOf(['{"data":[', ']}']) })),
  open('/v1/short', () => jsonOf(MIN_BYTES - 1)),
  open('/v1/least', () => jsonOf(MIN_BYTES)),
  open('/v1/same', () => ({ status: 304, headers: { ETag: '"0123abcd-0.1-5"' } })),
  open('/v1/none', () => ({ status: 204 })),
  open('/v1/language', () => ({ ...ok(LIST), headers: { Vary: 'Accept-Language' } })),
  open('/v1/picture', () => bytesOf('image/png')),
  open('/v1/archive', () => bytesOf('application/gzip')),
  open('/v1/packed', () => ({ ...bytesOf('application/json'), headers: { 'Content-Encoding': 'gzip' } })),
  open('/v1/token', () => ok(LIST), { showsCredentials: true }),
  open('/v1/huge', () => bytesOf('application/json', HUGE)),
  open('/mcp', () => ok(LIST)),
];

type Ask = (path: string, request?: WireRequest) => Promise<WireReply>;

const onServer = async (
  compression: RouterDeps['compression'],
  use: (ask: Ask, address: string) => Promise<void>,
  routes = ROUTES,
): Promise<void> => {
  const { app } = appOf(routes, compression === undefined ? {} : { compression });
  const served = await serveApp(app, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  try {
    await use((path, request) => askOverWire(served.address, path, request), served.address);
  } finally {
    await served.close();
  }
};

test('an encoding is chosen by what the client likes best', () => {
  for (const [header, expected] of [
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['br ; q=0 , *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0', undefined],
    ['deflate, zstd', undefined],
    ['gzip;q=often', undefined],
    ['gzip;q=2', undefined],
    [',,;q=1,', undefined],
  ] as const) {
    assert.is(chooseEncoding(header, ['br', 'gzip']), expected, String(header));
  }
});

test('every text is the same in every encoding, and its length is that of what is sent', () =>
  onServer('all', async (ask) => {
    for (const path of ['list', 'csv', 'plain', 'yaml', 'lines', 'patch', 'stream', 'least']) {
      const plain = await ask(`/v1/${path}`);
      assert.is(plain.headers['content-encoding'], undefined, path);
      for (const [headers, encoding] of [
        [PYTHON, 'gzip'],
        [JAVA, 'gzip'],
        [BROWSER, 'br'],
      ] as const) {
        const reply = await ask(`/v1/${path}`, { headers });
        assert.equal([reply.status, reply.headers['content-encoding']], [200, encoding], path);
        assert.is(textOfReply(reply), plain.body.toString(), path);
        assert.ok(reply.body.length < plain.body.length / 3, `${path}: ${reply.body.length} of ${plain.body.length}`);
        const { 'content-length': length, 'content-type': type, vary } = reply.headers;
        assert.is(length, plain.headers['content-length'] && String(reply.body.length), path);
        assert.equal([type, vary], [plain.headers['content-type'], 'Accept-Encoding'], path);
        assert.is(plain.headers.vary, 'Accept-Encoding', path);
      }
    }
  }));

test('clients that fetch read what they asked for without more ado', () =>
  onServer('all', async (_, address) => {
    const reply = await fetch(`${address}/v1/list`);
    assert.is(reply.headers.get('content-encoding'), 'gzip');
    assert.equal(await reply.json(), LIST);
  }));

test('short answers stay as they are', () =>
  onServer('all', async (ask) => {
    for (const path of ['/v1/short', '/v1/short-stream', '/v1/none']) {
      const [plain, reply] = [await ask(path), await ask(path, { headers: BROWSER })];
      assert.equal([reply.headers['content-encoding'], reply.headers.vary], [undefined, undefined], path);
      assert.equal([reply.status, reply.body], [plain.status, plain.body], path);
      assert.is(reply.headers['content-length'], plain.headers['content-length'], path);
    }
  }));

test('an entity tag is the same in every encoding', () =>
  onServer('all', async (ask) => {
    const replies = [await ask('/v1/list'), await ask('/v1/list', { headers: PYTHON }), await ask('/v1/same')];
    for (const { headers } of replies) assert.is(headers.etag, '"0123abcd-0.1-5"');
    const same = await ask('/v1/same', { headers: BROWSER });
    assert.equal([same.status, same.body.length, same.headers['content-encoding']], [304, 0, undefined]);
    assert.equal([same.headers.vary, same.headers['content-length']], ['Accept-Encoding', undefined]);
  }));

test('HEAD has the headers of GET, except for a length that nobody knows', () =>
  onServer('all', async (ask) => {
    const reply = await ask('/v1/list', { method: 'HEAD', headers: PYTHON });
    assert.equal([reply.status, reply.body.length], [200, 0]);
    assert.equal([reply.headers['content-encoding'], reply.headers.vary], ['gzip', 'Accept-Encoding']);
    assert.is(reply.headers['content-length'], undefined);
    const plain = await ask('/v1/list', { method: 'HEAD' });
    assert.is(plain.headers['content-length'], String(Buffer.byteLength(JSON.stringify(LIST))));
    assert.is(plain.headers.vary, 'Accept-Encoding');
    const short = await ask('/v1/short', { method: 'HEAD', headers: PYTHON });
    assert.equal([short.headers['content-encoding'], short.headers['content-length']], [undefined, '1023']);
    assert.is((await ask('/v1/stream', { method: 'HEAD', headers: PYTHON })).body.length, 0);
  }));

test('what varies already varies by the encoding too', () =>
  onServer('all', async (ask) => {
    assert.is((await ask('/v1/language', { headers: PYTHON })).headers.vary, 'Accept-Language, Accept-Encoding');
  }));

test('answers that are compressed already, that show credentials or that are no part of the API stay as they are', () =>
  onServer('all', async (ask) => {
    for (const path of ['/v1/picture', '/v1/archive', '/v1/token', '/mcp']) {
      const reply = await ask(path, { headers: BROWSER });
      assert.equal([reply.headers['content-encoding'], reply.headers.vary], [undefined, undefined], path);
      assert.equal(reply.body, (await ask(path)).body, path);
    }
    const packed = await ask('/v1/packed', { headers: BROWSER });
    assert.equal([packed.headers['content-encoding'], packed.body.toString()], ['gzip', LINES]);
  }));

test('programs on this machine get plain answers, and those behind a proxy on it compressed ones', async () => {
  await onServer('remote', async (ask) => {
    for (const path of ['/v1/list', '/v1/stream']) {
      const local = await ask(path, { headers: PYTHON });
      assert.equal([local.headers['content-encoding'], local.headers.vary], [undefined, 'Accept-Encoding'], path);
      for (const proxied of [PROXIED, { forwarded: 'for=203.0.113.7' }, { via: '1.1 proxy' }]) {
        const reply = await ask(path, { headers: { ...PYTHON, ...proxied } });
        assert.is(reply.headers['content-encoding'], 'gzip', path);
      }
    }
  });
  for (const mode of ['off', undefined] as const) {
    await onServer(mode, async (ask) => {
      const reply = await ask('/v1/list', { headers: { ...BROWSER, ...PROXIED } });
      assert.equal([reply.headers['content-encoding'], reply.headers.vary], [undefined, undefined]);
    });
  }
});

test('events arrive at once, whatever the client accepts', async () => {
  const streams = createEventStreams();
  const source = async function* (signal: AbortSignal) {
    yield { event: 'word', data: LIST };
    if (!signal.aborted) await once(signal, 'abort');
  };
  const events = open('/v1/events', () => streams.open('ana', source));
  await onServer(
    'all',
    async (_, address) => {
      const asked = get(`${address}/v1/events`, { headers: BROWSER });
      const [reply] = await once(asked, 'response');
      assert.is(reply.headers['content-encoding'], undefined);
      let text = '';
      for await (const piece of reply) {
        text += piece;
        if (text.includes('event: word') && text.endsWith('\n\n')) break;
      }
      streams.close();
    },
    [events],
  );
});

test('each piece of a stream can be read before the next one exists', async () => {
  const rows = PIECES.join('').slice(0, 4000);
  const waiting: (() => void)[] = [];
  let closed = 0;
  const stream = async function* () {
    try {
      for (let at = 0; at < 3; at += 1) {
        yield `${at}${rows}`;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      yield 'the end';
    } finally {
      closed += 1;
    }
  };
  await onServer(
    'all',
    async (_, address) => {
      const asked = get(`${address}/v1/slow`, { headers: PYTHON });
      const [reply] = await once(asked, 'response');
      let text = '';
      for await (const piece of reply.pipe(createGunzip())) {
        text += piece;
        const read = Math.floor(text.length / (rows.length + 1));
        // The source goes on only when all that it has said is here.
        if (text.length === read * (rows.length + 1)) waiting.shift()?.();
      }
      assert.is(text, `0${rows}1${rows}2${rows}the end`);
      assert.is(closed, 1);
    },
    [open('/v1/slow', () => ({ status: 200, stream: stream() }))],
  );
});

test('a stream of many pieces of any size is complete', async () => {
  const sizes = Array.from({ length: 400 }, (_, at) => (at * 7919) % (at % 10 === 0 ? 90_000 : 300));
  const pieces = sizes.map((size, at) => `${at}:${LINES.repeat(Math.ceil(size / LINES.length)).slice(0, size)}`);
  const routes = [open('/v1/many', () => ({ status: 200, stream: streamOf(pieces) }))];
  await onServer(
    'all',
    async (ask) => {
      for (const headers of [PYTHON, BROWSER]) {
        const reply = await ask('/v1/many', { headers });
        assert.ok(textOfReply(reply) === pieces.join(''), headers['accept-encoding']);
      }
    },
    routes,
  );
});

test('a stream that fails at first is an error, and later a broken connection', async () => {
  const failing = (pieces: readonly string[]) =>
    async function* () {
      yield* pieces;
      throw new Error('a defect');
    };
  const routes = [
    open('/v1/at-first', () => ({ status: 200, stream: failing(['{"data":['])() })),
    open('/v1/later', () => ({ status: 200, stream: failing(PIECES)() })),
  ];
  await onServer(
    'all',
    async (ask) => {
      const first = await ask('/v1/at-first', { headers: PYTHON });
      assert.equal([first.status, first.headers['content-encoding']], [500, undefined]);
      assert.is(JSON.parse(first.body.toString()).code, 500);
      const failure = await ask('/v1/later', { headers: PYTHON }).catch((error: unknown) => error);
      assert.instance(failure, Error);
    },
    routes,
  );
});

test('a client that leaves ends the stream', async () => {
  let isClosed: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve;
  });
  const stream = async function* () {
    try {
      for (;;) yield PIECES.join('');
    } finally {
      isClosed();
    }
  };
  await onServer(
    'all',
    async (_, address) => {
      const asked = get(`${address}/v1/endless`, { headers: PYTHON });
      const [reply] = await once(asked, 'response');
      await once(reply, 'data');
      asked.destroy();
      await closed;
    },
    [open('/v1/endless', () => ({ status: 200, stream: stream() }))],
  );
});

test('other callers are answered while a huge answer is compressed', () =>
  onServer('all', async (ask) => {
    const order: string[] = [];
    const huge = ask('/v1/huge', { headers: PYTHON }).then((reply) => {
      order.push('huge');
      return reply;
    });
    const short = Array.from({ length: 5 }, () => ask('/v1/short').then(() => order.push('short')));
    await Promise.all(short);
    const reply = await huge;
    assert.equal(order.at(-1), 'huge', order.join());
    assert.ok(HUGE.length > 19_000_000, String(HUGE.length));
    assert.ok(Buffer.from(textOfReply(reply)).equals(HUGE));
  }));

test.run();
