import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import * as v from 'valibot';
import { findJsonSyntaxError } from '../../src/http/json-syntax-error.ts';
import { parseJson } from '../../src/http/request-body.ts';
import type { BodyReader } from '../../src/http/route.ts';
import { suite } from '../support/suite.ts';
import { AUTHORIZED, appOf, errorOf, ok, route } from './fixture.ts';

/** Shows how request bodies are read and which ones are refused. */

const test = suite('http: request bodies');

type Reading = 'json' | 'text' | 'pieces';

const json = { ...AUTHORIZED, 'content-type': 'application/json' };

const CSV = { ...AUTHORIZED, 'content-type': 'text/csv' };

const reading = (how: Reading, mediaTypes?: readonly string[], maxBytes?: number) => {
  const body = mediaTypes && { schema: v.any(), mediaTypes, ...(maxBytes === undefined ? {} : { maxBytes }) };
  const handle = async (call: { body: BodyReader }) => ok({ read: await call.body[how]() });
  return appOf([route('POST', '/v1/a', handle, body ? { body } : {})]).app;
};

const post = (app: ReturnType<typeof reading>, body: RequestInit['body'], headers: Record<string, string> = json) =>
  app.request('/v1/a', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

const readOf = async (response: Response) => ((await response.json()) as { read?: unknown }).read;

/** A body whose length nobody declares. */
const streamOf = (pieces: readonly (string | Uint8Array)[], onPull = (_count: number) => {}): ReadableStream => {
  let count = 0;
  return new ReadableStream({
    pull: (controller) => {
      const piece = pieces[count];
      count += 1;
      onPull(count);
      if (piece === undefined) controller.close();
      else controller.enqueue(Buffer.from(piece));
    },
  });
};

test('JSON is read in each of its media types', async () => {
  for (const type of [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/merge-patch+json',
    'application/json-patch+json',
  ]) {
    const response = await post(reading('json'), '{"a":[1,"é"]}', { ...AUTHORIZED, 'content-type': type });
    assert.equal(await readOf(response), { a: [1, 'é'] }, type);
  }
});

test('a body without a media type is refused with 415, whatever the route reads', async () => {
  const ignoring = appOf([route('POST', '/v1/a', () => ok('written'))]).app;
  const bytes = () => Buffer.from('{"a":1}');
  for (const app of [
    reading('json'),
    reading('text'),
    reading('text', ['*/*']),
    reading('pieces', ['text/csv']),
    ignoring,
  ]) {
    for (const body of [bytes(), streamOf([bytes()]), gzipSync('1')]) {
      const response = await post(app, body, AUTHORIZED);
      assert.is((await errorOf(response)).errorType, 'UNSUPPORTED_MEDIA_TYPE');
    }
    const blank = await post(app, bytes(), { ...AUTHORIZED, 'content-type': ' ; charset=utf-8' });
    assert.is(blank.status, 415);
    const declared = await post(app, bytes(), { ...AUTHORIZED, 'content-length': '7' });
    assert.is(declared.status, 415);
  }
});

test('an empty body needs no media type, also when nobody declares its length', async () => {
  for (const app of [reading('json'), reading('text', ['text/csv'])]) {
    for (const [body, more] of [
      [null, {}],
      [streamOf([]), {}],
      [streamOf([]), { 'transfer-encoding': 'chunked' }],
      [null, { 'content-length': '0' }],
    ] as const)
      assert.is((await post(app, body, { ...AUTHORIZED, ...more })).status, 200);
  }
});

test('a text in chunks is read correctly, wherever its characters are split', async () => {
  const text = `${'a🦉é'.repeat(40_000)}\u0000end`;
  const bytes = Buffer.from(text);
  const cut = Array.from({ length: Math.ceil(bytes.length / 7001) }, (_, at) =>
    bytes.subarray(at * 7001, (at + 1) * 7001),
  );
  for (const body of [text, streamOf(cut)]) {
    const pieces = (await readOf(await post(reading('pieces', ['text/csv'], 1_000_000), body, CSV))) as string[];
    assert.ok(pieces.length > 1 || typeof body === 'string', `${pieces.length} pieces`);
    assert.is(pieces.join(''), text);
    for (const piece of pieces) assert.is(Buffer.from(piece).toString(), piece);
  }
  const empty = await post(reading('pieces', ['text/csv']), '', { ...CSV, 'content-length': '0' });
  assert.equal(await readOf(empty), []);
});

test('chunks are refused like the whole: too large, not UTF-8, truncated character, wrong type', async () => {
  const app = () => reading('pieces', ['text/csv'], 100_000);
  const large = 'x'.repeat(100_001);
  for (const [body, status] of [
    [large, 413],
    [streamOf(['x'.repeat(60_000), 'x'.repeat(60_000)]), 413],
    [streamOf(['x'.repeat(70_000), Buffer.from([0x61, 0xff])]), 400],
    [streamOf([Buffer.from([0x61, 0xc3])]), 400],
  ] as const) {
    assert.is((await post(app(), body, CSV)).status, status);
  }
  assert.is((await post(app(), 'x', json)).status, 415);
});

test('another media type is refused with 415', async () => {
  for (const type of ['text/csv', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense']) {
    const response = await post(reading('json'), '{}', { ...AUTHORIZED, 'content-type': type });
    assert.is((await errorOf(response)).errorType, 'UNSUPPORTED_MEDIA_TYPE', type);
  }
});

test('a declared route accepts its own media types and no others', async () => {
  const app = reading('text', ['text/csv', 'text/plain']);
  assert.is(await readOf(await post(app, 'a,b', { ...AUTHORIZED, 'content-type': 'text/csv' })), 'a,b');
  assert.is((await post(app, 'a,b', { ...AUTHORIZED, 'content-type': 'application/json' })).status, 415);
});

test('text without a declared type is read whatever its media type', async () => {
  const headers = { ...AUTHORIZED, 'content-type': 'application/sql' };
  assert.is(await readOf(await post(reading('text'), 'SELECT 1', headers)), 'SELECT 1');
});

const PACKED = { ...json, 'content-encoding': 'gzip' };

test('a body may be compressed with gzip', async () => {
  for (const how of ['json', 'text', 'pieces'] as const) {
    const response = await post(reading(how), gzipSync('{"a":"ä"}'), { ...PACKED, 'content-encoding': ' GZIP ' });
    assert.equal(await readOf(response), { json: { a: 'ä' }, text: '{"a":"ä"}', pieces: ['{"a":"ä"}'] }[how]);
  }
  assert.is(await readOf(await post(reading('json'), streamOf([gzipSync('7')]), PACKED)), 7);
});

test('the limit of a body holds for what it unpacks to', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000, 32));
  const response = await post(reading('json', ['application/json'], 100_000), bomb, PACKED);
  assert.is(response.status, 413);
  const { message } = await errorOf(response);
  assert.is(message, 'Request body is larger than 100000 bytes');
});

test('a body that unpacks to more than the memory of all bodies is answered 503', async () => {
  const handle = async ({ body }: { body: BodyReader }) => ok({ read: await body.text() });
  const limits = { bodyBytes: 1_000_000, concurrentRequests: 10, bodiesBytes: 1_000_000 };
  const { app } = appOf([route('POST', '/v1/a', handle)], { limits });
  const body = gzipSync(Buffer.alloc(900_000, 32));
  const replies = await Promise.all(Array.from({ length: 20 }, async () => (await post(app, body, PACKED)).status));
  assert.ok(replies.includes(200) && replies.every((status) => status === 200 || status === 503), replies.join(' '));
});

test('a broken compressed body is refused with 400, and another compression with 415', async () => {
  const whole = gzipSync('{"a":1}');
  for (const broken of ['{"a":1}', whole.subarray(0, whole.length - 4), whole.subarray(4)])
    assert.is((await post(reading('json'), broken, PACKED)).status, 400);
  for (const other of ['br', 'deflate', 'gzip, gzip'])
    assert.is((await post(reading('json'), whole, { ...json, 'content-encoding': other })).status, 415);
});

test('an empty body is absent, also with a media type', async () => {
  for (const body of [null, '', ' \n', streamOf([])]) {
    const response = await post(reading('json'), body);
    assert.is(response.status, 200);
    assert.is(await readOf(response), undefined);
  }
  const declared = await post(reading('json'), null, { ...json, 'content-length': '0', 'content-type': 'text/csv' });
  assert.is(declared.status, 200);
});

test('a byte order mark is removed', async () => {
  assert.equal(await readOf(await post(reading('json'), '\ufeff{"a":1}')), { a: 1 });
});

test('text that is not UTF-8 is refused with 400', async () => {
  const bytes = new Uint8Array([0x22, 0xc3, 0x28, 0x22]);
  const { errorType, message } = await errorOf(await post(reading('json'), bytes));
  assert.equal([errorType, message], ['BAD_REQUEST', 'Request body is not valid UTF-8']);
});

test('a declared length beyond the limit is refused with 413 before reading', async () => {
  let pulled = 0;
  const stream = streamOf(['x'], (count) => {
    pulled = count;
  });
  const response = await post(reading('json'), stream, { ...json, 'content-length': '1001' });
  assert.is((await errorOf(response)).errorType, 'PAYLOAD_TOO_LARGE');
  // A stream made here may be primed with its first piece; none is asked for.
  assert.ok(pulled <= 1);
});

test('an undeclared length is counted while reading, which stops at the limit', async () => {
  let pulled = 0;
  const pieces = Array.from({ length: 100 }, () => 'x'.repeat(300));
  const stream = streamOf(pieces, (count) => {
    pulled = count;
  });
  assert.is((await post(reading('text'), stream)).status, 413);
  assert.ok(pulled <= 6, `${pulled} pieces were read`);
});

test('a body of exactly the limit is allowed, and a route may lower it', async () => {
  const exact = `"${'x'.repeat(998)}"`;
  assert.is((await post(reading('json'), exact)).status, 200);
  assert.is((await post(reading('json'), `${exact} `)).status, 413);
  assert.is((await post(reading('json', ['application/json'], 10), '"12345678"')).status, 200);
  assert.is((await post(reading('json', ['application/json'], 10), '"123456789"')).status, 413);
});

test('a truncated body is refused with 400', async () => {
  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error('connection lost')),
  });
  assert.is((await post(reading('json'), broken)).status, 400);
});

test('the nesting of JSON is limited', async () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.is((await post(reading('json'), nested(100))).status, 200);
  const refused = await post(reading('json'), nested(101));
  assert.match((await errorOf(refused)).message, /nested more than 100 levels/);
  assert.is((await post(reading('json'), `"${nested(200)}"`)).status, 200);
});

test('malformed JSON is refused with 400 with its position and without its content', async () => {
  const { message } = await errorOf(await post(reading('json'), '{"password": hunter2}'));
  assert.is(message, 'Malformed JSON at position 13');
});

test('the position is that of the first fault', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['', 0],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['[1,2', 4],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['1 x', 2],
    ['01', 1],
    ['-', 0],
    ['tru', 0],
    ['["a\nb"]', 1],
    ['"\\u12"', 0],
    ['{a:1}', 1],
    ["{'a':1}", 1],
  ];
  for (const [text, position] of cases) {
    assert.is(findJsonSyntaxError(text), position, text);
    assert.throws(() => parseJson(text), new RegExp(`position ${position}$`));
  }
});

test('accepted JSON has no fault', () => {
  const texts = ['{"a":[1,-0.5e+3,true,false,null,"\\u00e9\\n\\"",{}],"":[]}', ' "\u2028" ', '[[],[[]]]', '0'];
  for (const text of texts) {
    assert.is(findJsonSyntaxError(text), undefined, text);
    assert.equal(parseJson(text), JSON.parse(text));
  }
});

test('a very long string is scanned without recursion', () => {
  const text = `["${'a\\n'.repeat(500_000)}", x]`;
  assert.is(findJsonSyntaxError(text), text.length - 2);
});

test('duplicate members and __proto__ are read like JSON.parse', async () => {
  const response = await post(reading('json'), '{"a":1,"a":2,"__proto__":{"b":1}}');
  assert.is(await response.text(), '{"read":{"a":2,"__proto__":{"b":1}}}');
});

test('a body can be read twice', async () => {
  const twice = route('POST', '/v1/a', async ({ body }) => ok([await body.json(), await body.text()]));
  const response = await appOf([twice]).app.request('/v1/a', { method: 'POST', body: '[1]', headers: json });
  assert.equal(await response.json(), [[1], '[1]']);
});

test.run();
