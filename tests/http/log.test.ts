import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { createLog, type LogOptions } from '../../src/http/log.ts';
import { redactLogText } from '../../src/http/redact-log-text.ts';
import type { RequestSummary } from '../../src/http/router.ts';
import { suite } from '../support/suite.ts';

/** Shows the format of log lines, the log levels, and that no secret is logged. */

const test = suite('http: log');

const logOf = (level: LogOptions['level'] = 'info') => {
  const written: string[] = [];
  const log = createLog({ level, to: { write: (line) => written.push(line) } });
  return { log, written, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
};

const facts: RequestSummary = {
  requestId: 'r-1',
  address: '192.0.2.1',
  method: 'GET',
  route: '/v1/things/{id}',
  status: 200,
  seconds: 0.00123456,
  user: 'ana',
  failure: undefined,
};

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl';

test('a request is one line with what is needed to find it again', () => {
  const { log, lines } = logOf();
  log.request(facts);
  const { time, ...rest } = lines()[0] ?? {};
  assert.match(String(time), /^\d{4}-\d\d-\d\dT/);
  assert.equal(rest, {
    level: 'info',
    requestId: 'r-1',
    method: 'GET',
    route: '/v1/things/{id}',
    status: 200,
    ms: 1.23,
    user: 'ana',
    msg: 'request',
  });
});

test('a failure of the service has its stack and causes, a refusal does not', () => {
  const { log, lines } = logOf();
  log.request({ ...facts, status: 404, failure: new Error('not there') });
  log.request({ ...facts, status: 500, failure: new Error('outer', { cause: new TypeError('inner') }) });
  log.request({ ...facts, status: 200, failure: new Error('broke off') });
  const [refusal, defect, broken] = lines();
  assert.equal([refusal?.['level'], refusal?.['failure']], ['info', undefined]);
  assert.is(defect?.['level'], 'error');
  assert.match(String(defect?.['failure']), /^Error: outer\n.*log\.test\.ts.*caused by TypeError: inner/s);
  assert.equal([broken?.['level'], broken?.['msg']], ['error', 'request failed']);
});

test('any thrown value is logged', () => {
  const { log, written } = logOf();
  for (const failure of ['text', 17, null, { password: 'hunter2' }]) log.error('it failed', {}, failure);
  assert.is(written.length, 4);
  assert.not.match(written.join(''), /hunter2/);
});

test('the level determines what is written', () => {
  const { log, lines } = logOf('warn');
  log.debug('a');
  log.info('b');
  log.request(facts);
  log.warn('c', { n: 1 });
  log.error('d');
  assert.equal(
    lines().map(({ level, msg }) => [level, msg]),
    [
      ['warn', 'c'],
      ['error', 'd'],
    ],
  );
  assert.is(logOf('silent').written.length, 0);
});

test('no secret is logged, in whatever form', () => {
  const secrets: readonly string[] = [
    `Authorization: Bearer ${JWT}`,
    `bearer ${JWT}`,
    `a bare ${JWT} in prose`,
    'bolt://neo4j:hunter2@db:7687',
    'bolt://neo4j:p/w@hunter2@db:7687',
    'https://hunter2@db',
    'https://host/callback?code=hunter2&x=1',
    'password=hunter2',
    'SECRETS_KEY: hunter2',
    '{"password":"hunter2"}',
    '{"clientSecret" : "a \\"hunter2\\" b"}',
    "{ apiKey: 'hunter2 and more' }",
    'private_key=hunter2;',
    '{"nested":"{\\"token\\":\\"hunter2\\"}"}',
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ refreshToken: 'one "hunter2" two' }) }) }),
    '{"token": 17, "accessKey":hunter2}',
    '{"password":"hunter2',
  ];
  for (const secret of secrets) {
    const { log, lines, written } = logOf();
    log.info(secret, { detail: secret });
    log.error('it failed', {}, new Error('outer', { cause: new Error(secret) }));
    log.request({ ...facts, requestId: secret, user: secret });
    assert.not.match(written.join(''), /hunter2|eyJhbG|c2lnbm/, secret);
    assert.is(lines().length, 3, `not JSON after masking: ${written.join('')}`);
  }
});

test('ordinary text is unchanged', () => {
  for (const text of ['Not Authorized! Token not present', 'http://127.0.0.1:8585/v1/tables', 'a: b = c', '{"a":1}']) {
    assert.is(redactLogText(text), text);
  }
});

/** What a process of its own writes to standard error, read no faster than pauses allow. */
const errorsOf = async (program: string, isSlow = false): Promise<string> => {
  const source = `import { createLog } from './src/http/log.ts'; const log = createLog({ level: 'info' }); ${program}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', source];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close');
  const pieces: string[] = [];
  for await (const piece of child.stderr.setEncoding('utf8')) {
    pieces.push(String(piece));
    if (isSlow) await pause(1);
  }
  await closed;
  return pieces.join('');
};

test('buffered lines are written when the process ends, also by an error', async () => {
  for (const ending of ['', 'process.exit(0)', 'throw new Error("boom")']) {
    assert.match(await errorsOf(`log.info('last words'); ${ending}`), /"msg":"last words"/, ending);
  }
});

test('many lines are written in full and in order, also to a slow reader', async () => {
  const program = `
    for (let round = 0; round < 100; round += 1) {
      for (let n = 0; n < 100; n += 1) log.info('x'.repeat(100), { n: round * 100 + n });
      await new Promise(setImmediate);
    }
    await new Promise((resolve) => setTimeout(resolve, 700));`;
  const lines = (await errorsOf(program, true)).trimEnd().split('\n');
  const numbers = lines.map((line) => (JSON.parse(line) as { n: number }).n);
  assert.equal(
    numbers,
    Array.from({ length: 10_000 }, (_, n) => n),
  );
});

test.run();
