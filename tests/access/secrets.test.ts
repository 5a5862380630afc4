import { createCipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createSecretBox, rotateSealingKey } from '../../src/access/secret-box.ts';
import { StartupError } from '../../src/errors.ts';
import type { Json } from '../../src/model/json.ts';
import { SECRET_MASK } from '../../src/model/secret-mask.ts';
import {
  findMovedSecret,
  hasUserInfo,
  isSecretName,
  maskSecrets,
  maskSecretsInText,
  restoreMasked,
} from '../../src/model/secret-masking.ts';
import { suite } from '../support/suite.ts';
import { countTextWork } from '../support/text-work.ts';
import { createClock, freshHome } from './fixture.ts';

/** Shows which values count as secrets, how they are masked, and how they are sealed and opened. */

const test = suite('access: secrets');

const parse = (text: string): Json => JSON.parse(text);
const boxOf = (secretsKey: string) => createSecretBox({ home: '/nonexistent', secretsKey });

const rejected = async (promise: Promise<unknown>, message: RegExp): Promise<void> => {
  const failure = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(failure, StartupError);
  assert.match(String(failure), message);
};

const connection = {
  type: 'Postgres',
  hostPort: 'db.example.org:5432',
  username: 'loader',
  authType: { password: 'hunter2' },
  sslConfig: { caPath: 'public', private_key: 'pem', keys: [{ 'API-Key': 'k1' }, { 'API-Key': 'k2' }] },
  sinks: ['plain', 'kafka://u:p@h1:9092'],
  ports: [1, 2.5, null, true],
};

test('secret names are recognized in any case and with any separator', () => {
  const names = [
    ...['password', 'Passwd', 'secretKey', 'awsSessionToken', 'private_key', 'PRIVATE-KEY', 'keyPassphrase'],
    ...['credentials', 'apiKey', 'API_KEY', 'awsAccessKeyId', 'connection-string', 'snow_flake_Pass_word'],
  ];
  for (const name of names) assert.ok(isSecretName(name), name);
});

test('other names are no secrets', () => {
  const names = [
    '',
    'username',
    'hostPort',
    'key',
    'pass',
    'primaryKey',
    'keyspace',
    'accessLevel',
    'connection',
    'proto',
  ];
  for (const name of names) assert.not.ok(isSecretName(name), name);
});

test('the mask replaces secrets at any depth and nothing else', () => {
  assert.equal(maskSecrets(connection), {
    type: 'Postgres',
    hostPort: 'db.example.org:5432',
    username: 'loader',
    authType: { password: '*********' },
    sslConfig: {
      caPath: 'public',
      private_key: '*********',
      keys: [{ 'API-Key': '*********' }, { 'API-Key': '*********' }],
    },
    sinks: ['plain', 'kafka://*********@h1:9092'],
    ports: [1, 2.5, null, true],
  });
  assert.is(connection.authType.password, 'hunter2');
});

test('strings in a list are secret by the name of the list, members of an object by their own', () => {
  const given = { tokens: ['a', ['b']], credentials: { gcpConfig: { projectId: 'p', privateKey: 'k' } } };
  assert.equal(maskSecrets(given), {
    tokens: [SECRET_MASK, [SECRET_MASK]],
    credentials: { gcpConfig: { projectId: 'p', privateKey: SECRET_MASK } },
  });
});

test('numbers and booleans are no secrets', () => {
  const given = { tokenLifetime: 60, usePassword: true, secret: null };
  assert.equal(maskSecrets(given), given);
});

test('user-info is masked in every URL of a text', () => {
  const cases: Record<string, string> = {
    'postgresql://u:p@host:5432/db?ssl=true': `postgresql://${SECRET_MASK}@host:5432/db?ssl=true`,
    'jdbc:mysql://u:p@host/db': `jdbc:mysql://${SECRET_MASK}@host/db`,
    'see https://u@host/a and ftp://v:w@other/b': `see https://${SECRET_MASK}@host/a and ftp://${SECRET_MASK}@other/b`,
    'kafka://a:b@h1,kafka://c:d@h2': `kafka://${SECRET_MASK}@h1,kafka://${SECRET_MASK}@h2`,
    'redis://:p@host': `redis://${SECRET_MASK}@host`,
    'postgresql://u:p@ss@host/db': `postgresql://${SECRET_MASK}@host/db`,
    'postgresql://u:p/s?s#@host/db': `postgresql://${SECRET_MASK}@host/db`,
    [`https://oauth2:${'x'.repeat(5_000)}@host/repository`]: `https://${SECRET_MASK}@host/repository`,
    'mongodb://u:p@h1:27017,h2:27017/db': `mongodb://${SECRET_MASK}@h1:27017,h2:27017/db`,
  };
  for (const [given, expected] of Object.entries(cases)) {
    assert.is(maskSecrets(given), expected);
    assert.is(maskSecrets(expected), expected, 'masking twice');
  }
});

test('a text without user-info stays as it is', () => {
  const texts = [
    ...[
      'https://host:8080/@scope/package',
      'https://host/path?mail=ana@example.org',
      'ana@example.org',
      'a://b',
      '://@',
    ],
    ...['http://host:80?to=ana@example.org', 'user:word@host', ''],
  ];
  for (const text of texts) assert.is(maskSecrets(text), text);
});

const ENDS: ReadonlySet<string> = new Set([' ', '/', '?', '#']);

/** How far the pattern of user-info can look: to the end of its first form, or as far as the bound of its second. */
const reachOfUserInfo = (text: string, from: number): number => {
  let end = from;
  while (end < text.length && !ENDS.has(text[end] ?? '')) end += 1;
  return Math.max(end - from, 1153);
};

test('the work on a long text without an end is linear', async () => {
  const workOn = (text: string): Promise<number> => countTextWork(() => maskSecrets(text), { reach: reachOfUserInfo });
  const pieces = ['a', '://', '://a:b', '://a:', 'a@', ':'];
  // An `@` that is near, but belongs to none of the many beginnings in front of it.
  const near = [`${'://'.repeat(300)}@`, `${'://a:'.repeat(25)}${'b'.repeat(1020)}@`, `${'://:'.repeat(280)} @`];
  for (const piece of [...pieces, ...near]) {
    const [short, long] = [20_000, 80_000].map((length) => piece.repeat(Math.ceil(length / piece.length)));
    const [few, many] = [await workOn(short ?? ''), await workOn(long ?? '')];
    assert.ok(many < 5 * few, `${few} characters became ${many} for ${piece.slice(0, 20)}`);
  }
});

test('user-info is found where one pattern over the whole text would find it', () => {
  const whole = /(?<=:\/\/)(?:[^\s/?#]+|[^\s/?#@:]{0,128}:(?!\d{1,5}(?:[/?#]|$))[^\s@]{0,1024})(?=@)/g;
  const pieces = ['a', '://', '@', ':', '/', '?', '#', ' ', '80', 'b:c', '://u:p@h', '\n', '\u00a0', '@@', '://@'];
  const long = [128, 1020, 1030].map((length) => 'x'.repeat(length));
  const pick = (from: readonly string[]) => from[Math.floor(Math.random() * from.length)] ?? '';
  let masked = 0;
  for (let turn = 0; turn < 20_000; turn += 1) {
    const text = Array.from({ length: 1 + (turn % 14) }, () =>
      pick(turn % 5 === 0 ? [...pieces, ...long] : pieces),
    ).join('');
    const wanted = text.replace(whole, SECRET_MASK);
    assert.is(maskSecrets(text), wanted, JSON.stringify(text));
    assert.is(hasUserInfo(text), wanted !== text);
    if (wanted !== text) masked += 1;
  }
  assert.ok(masked > 2000, `${masked} of the texts held user-info`);
});

test('writing the mask back keeps the stored secret', () => {
  assert.equal(restoreMasked(maskSecrets(connection), connection), connection);
});

test('new secrets are stored next to masked ones', () => {
  const incoming = {
    authType: { password: 'changed' },
    sslConfig: { keys: [{ 'API-Key': SECRET_MASK }, { 'API-Key': 'new' }] },
  };
  assert.equal(restoreMasked(incoming, connection), {
    authType: { password: 'changed' },
    sslConfig: { keys: [{ 'API-Key': 'k1' }, { 'API-Key': 'new' }] },
  });
});

test('user-info is restored in a URL whose other parts changed', () => {
  const stored = { url: 'postgresql://u:p@host/db', list: 'kafka://a:b@h1,kafka://c:d@h2' };
  const incoming = { url: `postgresql://${SECRET_MASK}@host/other`, list: `kafka://${SECRET_MASK}@h1,kafka://e:f@h2` };
  assert.equal(restoreMasked(incoming, stored), {
    url: 'postgresql://u:p@host/other',
    list: 'kafka://a:b@h1,kafka://e:f@h2',
  });
});

test('stored text is restored literally, whatever characters it contains', () => {
  const stored = { url: "x://$&$1:$'@host", password: '$&' };
  assert.equal(restoreMasked(maskSecrets(stored), stored), stored);
});

test('a mask without a stored secret stays a mask', () => {
  const incoming = { password: SECRET_MASK, url: `x://${SECRET_MASK}@h`, more: [{ token: SECRET_MASK }] };
  for (const stored of [
    undefined,
    null,
    {},
    [],
    'text',
    { password: 7, url: 'x://h', more: [] },
    { more: { 0: { token: 'x' } } },
  ]) {
    assert.equal(restoreMasked(incoming, stored), incoming, JSON.stringify(stored));
  }
});

test('a member that is no secret may equal the mask', () => {
  assert.equal(restoreMasked({ title: SECRET_MASK }, { title: 'old' }), { title: SECRET_MASK });
});

test('inherited names are no stored values', () => {
  const text = `{"constructor":{"name":"x","password":"${SECRET_MASK}"},"toString":{"token":"${SECRET_MASK}"}}`;
  assert.is(JSON.stringify(restoreMasked(parse(text), {})), text);
});

test('members with built-in names are plain data', async () => {
  const box = await boxOf('a phrase for the tests');
  const text =
    '{"__proto__":{"password":"p","a":[{"__proto__":"q"}]},"constructor":{"prototype":{"token":"t"}},"hasOwnProperty":1}';
  const given = parse(text);
  const masked = text.replace('"p"', `"${SECRET_MASK}"`).replace('"t"', `"${SECRET_MASK}"`);
  assert.is(JSON.stringify(maskSecrets(given)), masked);
  assert.is(JSON.stringify(restoreMasked(parse(masked), given)), text);
  assert.is(JSON.stringify(box.open(box.seal(given))), text);
  assert.is(Object.getPrototypeOf(maskSecrets(given)), Object.prototype);
  assert.not.ok('password' in {});
});

test('sealing encrypts secrets and leaves the rest readable', async () => {
  const box = await boxOf('a phrase for the tests');
  const sealed = box.seal(connection);
  const text = JSON.stringify(sealed);
  for (const secret of ['hunter2', '"pem"', '"k1"', '"k2"', 'u:p']) assert.not.match(text, secret);
  assert.is(sealed.hostPort, connection.hostPort);
  assert.is(sealed.sinks[0], 'plain');
  assert.match(sealed.authType.password, /^tributary-sealed:2:[\w-]{8}:[\w-]+$/);
  assert.equal(box.open(sealed), connection);
});

test('one secret is never sealed to the same text twice', async () => {
  const box = await boxOf('a phrase for the tests');
  assert.is.not(box.seal({ token: 'x' }).token, box.seal({ token: 'x' }).token);
});

test('empty, long and non-Latin secrets are sealed and opened', async () => {
  const box = await boxOf('a phrase for the tests');
  const given = { token: ['', 'ключ 🔑', 'x'.repeat(100_000), '\u0000\n"'] };
  assert.equal(box.open(box.seal(given)), given);
});

test('text that was stored unsealed is read unchanged', async () => {
  const box = await boxOf('a phrase for the tests');
  assert.equal(box.open(connection), connection);
});

test('a text that only resembles a sealed one is stored unchanged', async () => {
  const box = await boxOf('a phrase for the tests');
  const given = { title: 'tributary-sealed:1:garbage', note: box.seal({ token: 'stolen' }).token };
  const sealed = box.seal(given);
  assert.is.not(sealed.title, given.title);
  assert.equal(box.open(sealed), given);
  assert.equal(box.open(box.open(box.seal(box.seal({ token: 't' })))), { token: 't' });
});

test('a tampered text cannot be opened', async () => {
  const box = await boxOf('a phrase for the tests');
  const { token } = box.seal({ token: 'secret text' });
  const marker = 'tributary-sealed:2:'.length;
  for (let index = marker; index < token.length; index += 1) {
    const other = token[index] === 'A' ? 'B' : 'A';
    const tampered = `${token.slice(0, index)}${other}${token.slice(index + 1)}`;
    assert.throws(() => box.open({ token: tampered }), /cannot be opened/, `character ${index}`);
  }
  for (const tampered of [
    token.slice(0, -1),
    `${token}A`,
    `${token}!`,
    token.slice(0, marker),
    token.slice(0, marker + 20),
  ]) {
    assert.throws(() => box.open({ token: tampered }), /cannot be opened/, tampered);
  }
});

test('another key cannot open, and the same key in another process can', async () => {
  const [first, again, other] = await Promise.all([boxOf('phrase one'), boxOf('phrase one'), boxOf('phrase two')]);
  const sealed = first.seal({ token: 't' });
  assert.equal(again.open(sealed), { token: 't' });
  assert.throws(() => other.open(sealed), /SECRETS_KEY is another/);
  assert.is(first.fingerprint, again.fingerprint);
  assert.is.not(first.fingerprint, other.fingerprint);
  assert.not.match(first.fingerprint, 'phrase');
});

test('without SECRETS_KEY a random key is created once, readable by its owner only', async () => {
  const home = await freshHome();
  const [first, second] = await Promise.all([1, 2].map(() => createSecretBox({ home, secretsKey: undefined })));
  const third = await createSecretBox({ home, secretsKey: undefined });
  assert.equal(third.open(first?.seal({ token: 't' }) ?? null), { token: 't' });
  assert.is(third.fingerprint, second?.fingerprint);
  assert.equal(await readdir(join(home, 'keys')), ['secrets.key']);
  const path = join(home, 'keys', 'secrets.key');
  assert.is((await stat(path)).mode & 0o777, 0o600);
  assert.not.match(await readFile(path, 'utf8'), third.fingerprint);
});

test('homes have different keys', async () => {
  const boxes = await Promise.all(
    [1, 2].map(async () => createSecretBox({ home: await freshHome(), secretsKey: undefined })),
  );
  assert.is.not(boxes[0]?.fingerprint, boxes[1]?.fingerprint);
});

test('a damaged key file stops the start', async () => {
  for (const content of ['', 'short', `${'A'.repeat(43)}!`, 'A'.repeat(86)]) {
    const home = await freshHome();
    await mkdir(join(home, 'keys'));
    await writeFile(join(home, 'keys', 'secrets.key'), content);
    await chmod(join(home, 'keys', 'secrets.key'), 0o600);
    try {
      await createSecretBox({ home, secretsKey: undefined });
      assert.unreachable('the file was accepted');
    } catch (error) {
      assert.instance(error, StartupError);
      assert.match(error instanceof Error ? error.message : '', /^SECRETS_KEY is unset.*secrets\.key/);
    }
  }
});

/** A text as releases sealed it that knew one key only. */
const sealedOfOld = (phrase: string, text: string): string => {
  const master = scryptSync(phrase, 'tributary secrets', 32);
  const key = Buffer.from(hkdfSync('sha256', master, '', 'tributary secrets encryption', 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `tributary-sealed:1:${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
};

test('secrets sealed before keys had versions can be opened and are sealed again', async () => {
  const token = sealedOfOld('the old phrase', 'hunter2');
  assert.equal((await boxOf('the old phrase')).open({ token }), { token: 'hunter2' });
  const ring = await createSecretBox({
    home: '/nonexistent',
    secretsKey: 'new',
    formerKeys: ['other', 'the old phrase'],
  });
  assert.equal(ring.open({ token }), { token: 'hunter2' });
  const resealed = ring.reseal(JSON.stringify({ token, plain: 'x' }));
  assert.not.match(resealed, token);
  assert.equal((await boxOf('new')).open(JSON.parse(resealed)), { token: 'hunter2', plain: 'x' });
  const foreign = JSON.stringify({ token: sealedOfOld('nobody knows', 'x') });
  assert.is(ring.reseal(foreign), foreign, 'what no key opens stays as it is');
});

test('a box with one passphrase cannot open what another one sealed, whatever key id the text has', async () => {
  const [mine, theirs] = [await boxOf('mine'), await boxOf('theirs')];
  const { token } = theirs.seal({ token: 'x' });
  assert.throws(() => mine.open({ token }), /cannot be opened/);
  const renamed = token.replace(theirs.fingerprint.slice(0, 8), mine.fingerprint.slice(0, 8));
  assert.throws(() => mine.open({ token: renamed }), /cannot be opened/);
});

test('a new key version in the home seals from then on, and texts of the former one can be opened', async () => {
  const home = await freshHome();
  const clock = createClock();
  const box = await createSecretBox({ home, secretsKey: undefined, clock });
  const other = await createSecretBox({ home, secretsKey: undefined, clock });
  const former = box.seal({ token: 'x' });
  const id = await rotateSealingKey({ home, secretsKey: undefined });
  clock.advance(1000);
  const next = box.seal({ token: 'y' });
  assert.match(next.token, id);
  assert.equal(box.fingerprints.length, 2);
  for (const one of [box, other]) assert.equal([one.open(former), one.open(next)], [{ token: 'x' }, { token: 'y' }]);
  await rejected(rotateSealingKey({ home, secretsKey: 'a phrase' }), /SECRETS_KEY is set/);
});

const PRINTED: readonly (readonly [printed: string, masked: string])[] = [
  ['password=hush user=ana', `password=${SECRET_MASK} user=ana`],
  ['{"api_key": "hush hush", "rows": 1}', `{"api_key": "${SECRET_MASK}", "rows": 1}`],
  ["connect(host='db', passwd='hush hush')", `connect(host='db', passwd='${SECRET_MASK}')`],
  ['https://a.example/?access_token=hush&page=2', `https://a.example/?access_token=${SECRET_MASK}&page=2`],
  ['jdbc:postgresql://ana:hush@db/orders', `jdbc:postgresql://${SECRET_MASK}@db/orders`],
  ['curl -H "X: bearer hushhushhush"', `curl -H "X: bearer ${SECRET_MASK}"`],
  ['INFO: password=hush', `INFO: password=${SECRET_MASK}`],
  ['Authorization: Basic aHVzaDpodXNo', `Authorization: ${SECRET_MASK} ${SECRET_MASK}`],
  ['tokens: 5 rows, password=None', 'tokens: 5 rows, password=None'],
  ['nothing to hide here: 12 tables', 'nothing to hide here: 12 tables'],
];

test('secrets in the text of a log are masked, and the rest stays', () => {
  for (const [printed, masked] of PRINTED) assert.is(maskSecretsInText(printed), masked);
  const key = '-----BEGIN RSA PRIVATE KEY-----\nhush\nhush\n-----END RSA PRIVATE KEY-----';
  assert.not.match(maskSecretsInText(`before\n${key}\nafter`), /hush/);
});

const CONNECTION = {
  hostPort: 'db:3306',
  password: 'hush',
  url: 'https://ana:hush@db/x',
  more: { apiKey: 'hush', endpoints: ['https://a', 'https://b'], port: 1 },
};

test('a secret that would follow a changed address is found', () => {
  const masked = maskSecrets(CONNECTION);
  assert.is(findMovedSecret(masked, CONNECTION), undefined);
  assert.is(findMovedSecret({ ...masked, username: 'ana' }, CONNECTION), undefined);
  assert.is(findMovedSecret(masked, undefined), undefined);
  assert.equal(findMovedSecret({ ...masked, hostPort: 'evil' }, CONNECTION), {
    secret: 'password',
    address: 'hostPort',
  });
  const { hostPort: _, ...without } = masked;
  assert.equal(findMovedSecret(without, CONNECTION), { secret: 'password', address: 'hostPort' });
  const inside = { ...masked, password: 'new', url: 'https://db/x', more: { ...masked.more, port: 2 } };
  assert.equal(findMovedSecret(inside, CONNECTION), { secret: 'more.apiKey', address: 'url' });
  const listed = { ...masked, more: { ...masked.more, endpoints: ['https://a', 'https://evil'] } };
  assert.is(findMovedSecret(listed, CONNECTION)?.address, 'more.endpoints');
  const userInfo = { url: masked.url.replace('db', 'evil') };
  assert.equal(findMovedSecret(userInfo, CONNECTION), { secret: 'url', address: 'url' });
  const given = { hostPort: 'new', password: 'new', url: 'https://ana:hush@new/x', more: { apiKey: 'new' } };
  assert.is(findMovedSecret(given, CONNECTION), undefined, 'what is given again moves');
});

test.run();
