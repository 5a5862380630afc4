import * as assert from 'uvu/assert';
import { openSource } from '../../../src/cli/move/source-client.ts';
import { suite } from '../../support/suite.ts';

/** Shows what is told of wrong addresses and tokens, and that a busy catalog is asked again. */

const test = suite('cli: reading another catalog');

const ADDRESS = 'http://marquez.example';

type Asked = { readonly address: string; readonly init: RequestInit };

const openWith = (answers: readonly (Response | Error)[]) => {
  const asked: Asked[] = [];
  const source = openSource({
    server: ADDRESS,
    token: 'secret',
    product: 'Marquez',
    tokenName: '--token or MARQUEZ_API_KEY',
    send: async (address, init) => {
      const answer = answers[asked.length] ?? answers.at(-1);
      asked.push({ address, init });
      if (answer instanceof Response) return answer;
      throw answer ?? new Error('no answer');
    },
  });
  return { asked, source };
};

const failureOf = async (answer: Response | Error): Promise<string> => {
  const { source } = openWith([answer]);
  return source.read('tags').then(
    () => 'none',
    ({ message }: Error) => message,
  );
};

test('a wrong address or token is told with what to do', async () => {
  assert.is(
    await failureOf(new Error('refused')),
    'Marquez does not answer at http://marquez.example: is --server its address?',
  );
  assert.is(
    await failureOf(new Response('<h1>Nothing</h1>', { status: 404 })),
    'http://marquez.example/tags answered 404: <h1>Nothing</h1>. Is --server the address of Marquez?',
  );
  assert.is(
    await failureOf(new Response('<html></html>')),
    'http://marquez.example/tags answers no JSON object. Is --server the address of Marquez?',
  );
  assert.is(
    await failureOf(Response.json({ message: 'Expired\u001b[2J token!' }, { status: 401 })),
    'http://marquez.example/tags answered 401: Expired token!. The token (--token or MARQUEZ_API_KEY) is missing, wrong or has expired',
  );
  assert.match(await failureOf(Response.json({}, { status: 403 })), /The owner of the token .* may not read this$/);
});

test('an answer that is too large is refused while it comes', async () => {
  const chunk = new Uint8Array(1024 * 1024).fill(32);
  let sent = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      sent += 1;
      controller.enqueue(chunk);
    },
  });
  assert.match(await failureOf(new Response(body)), /more than 64 MiB: ask for less at once by --page-size$/);
  assert.ok(sent < 70, `${sent} MiB were read`);
});

test('a busy catalog is asked again, a few times only', async () => {
  const busy = () => new Response('', { status: 503, headers: { 'retry-after': '0' } });
  const { asked, source } = openWith([busy(), busy(), Response.json({ tags: [] })]);
  assert.equal(await source.read('tags', { limit: 5, offset: undefined }), { tags: [] });
  assert.equal(
    asked.map(({ address }) => address),
    Array.from({ length: 3 }, () => `${ADDRESS}/tags?limit=5`),
  );
  const init = asked[0]?.init;
  assert.equal(init?.headers, { accept: 'application/json', authorization: 'Bearer secret' });
  assert.ok(init?.signal instanceof AbortSignal, 'a request has a time limit');
  const always = openWith(Array.from({ length: 20 }, busy));
  await always.source.read('tags').then(
    () => assert.unreachable('it is busy for ever'),
    ({ message }: Error) => assert.match(message, /answered 503/),
  );
  assert.is(always.asked.length, 6);
});

test.run();
