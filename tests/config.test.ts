import * as assert from 'uvu/assert';
import { readConfig } from '../src/config.ts';
import { StartupError } from '../src/errors.ts';
import { suite } from './support/suite.ts';

/** Shows that every setting is validated and has its default. */

const config = suite('config: settings');

const refusal = (env: Record<string, string>): string => {
  try {
    readConfig(env);
  } catch (failure) {
    assert.instance(failure, StartupError);
    return (failure as Error).message;
  }
  return assert.unreachable(`accepted ${JSON.stringify(env)}`) as never;
};

config('an empty environment has the defaults', () => {
  const read = readConfig({});
  assert.equal([read.port, read.host, read.logLevel, read.compatVersion], [8585, '127.0.0.1', 'info', '2.0.7']);
  assert.equal([read.neo4j.uri, read.neo4j.heap, read.neo4j.pagecache], [undefined, '1g', '256m']);
  assert.is(read.auth.principalDomain, 'tributary.example');
  assert.equal(read.auth.principalClaims, ['email', 'preferred_username', 'sub']);
  assert.is(read.limits.bodyBytes, 32 * 1024 * 1024);
  assert.is(read.eventRetentionDays, 30);
  assert.equal(read.profileRetention, { days: 0, rows: 0 });
  assert.equal(read.resultRetention, { days: 0, rows: 0 });
});

config('a database URL may have any scheme that the driver supports', () => {
  for (const scheme of ['bolt', 'bolt+s', 'bolt+ssc', 'neo4j', 'neo4j+s', 'neo4j+ssc']) {
    const uri = `${scheme}://db.example.com:7687`;
    assert.is(readConfig({ NEO4J_URI: uri, NEO4J_PASSWORD: 'secret' }).neo4j.uri, uri);
  }
});

config('an empty variable counts as unset', () => {
  assert.is(readConfig({ PORT: '', NEO4J_URI: ' ' }).port, 8585);
});

for (const [name, value] of [
  ['PORT', 'eighty'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['NEO4J_URI', 'http://db:7474'],
  ['WORKERS', '0'],
  ['WORKERS', 'all'],
  ['NEO4J_HEAP', 'lots'],
  ['LOG_LEVEL', 'loud'],
  ['PUBLIC_URL', 'catalog.example'],
  ['COMPAT_VERSION', 'two'],
  ['METRICS_AUTH', 'maybe'],
  ['AUTH_HS256_SECRET', 'short'],
  ['AUTH_PRINCIPAL_DOMAIN', 'localhost'],
  ['AUTH_PRINCIPAL_DOMAIN', 'corp.local'],
  ['AUTH_PRINCIPAL_CLAIMS_MAPPING', 'username:sub'],
  ['AUTH_JWKS_URLS', 'ftp://keys.example/jwks'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', 'proxy.example'],
  ['MAX_BULK_ROWS', '0'],
  ['EVENT_RETENTION_DAYS', '0'],
  ['PROFILE_RETENTION_DAYS', '-1'],
  ['PROFILE_RETENTION_ROWS', 'all'],
  ['TEST_RESULT_RETENTION_DAYS', '-1'],
  ['TEST_RESULT_RETENTION_ROWS', 'all'],
  ['TYPESENSE_URL', 'typesense:8108'],
  ['TYPESENSE_PREFIX', 'My Catalog'],
] as const) {
  config(`${name}=${value} stops the process with its name and what is expected`, () => {
    const message = refusal({ [name]: value });
    assert.ok(message.startsWith(`${name} is `), message);
    assert.ok(message.includes('expected'), message);
  });
}

config('key sets of providers require their issuer and audience', () => {
  const AUTH_JWKS_URLS = 'https://idp.example.org/keys';
  const [AUTH_ISSUER, AUTH_AUDIENCE] = ['https://idp.example.org', 'catalog'];
  assert.match(refusal({ AUTH_JWKS_URLS }), /^AUTH_JWKS_URLS is set, so AUTH_AUDIENCE and AUTH_ISSUER must be set/);
  assert.match(refusal({ AUTH_JWKS_URLS, AUTH_AUDIENCE }), /so AUTH_ISSUER must be set/);
  assert.match(refusal({ AUTH_JWKS_URLS, AUTH_ISSUER }), /so AUTH_AUDIENCE must be set/);
  assert.match(refusal({ AUTH_JWKS_URLS, AUTH_ISSUER, AUTH_AUDIENCE: ' , ' }), /so AUTH_AUDIENCE must be set/);
  const { auth } = readConfig({ AUTH_JWKS_URLS, AUTH_ISSUER, AUTH_AUDIENCE });
  assert.equal([auth.issuers, auth.audiences], [[AUTH_ISSUER], [AUTH_AUDIENCE]]);
});

config('a Typesense server requires a key, and a key requires an address', () => {
  assert.match(refusal({ TYPESENSE_URL: 'http://search:8108' }), /^TYPESENSE_API_KEY is "", expected/);
  assert.is(readConfig({ TYPESENSE_API_KEY: 'key' }).typesense, undefined);
  assert.equal(readConfig({ TYPESENSE_URL: 'http://search:8108/', TYPESENSE_API_KEY: 'key' }).typesense, {
    url: 'http://search:8108',
    apiKey: 'key',
    prefix: 'tributary_',
  });
});

config('a secret never appears in its error message', () => {
  assert.not.ok(refusal({ AUTH_HS256_SECRET: 'hunter2' }).includes('hunter2'));
});

config('namespaces of OpenLineage are a JSON object of names', () => {
  const given = JSON.stringify({ 'postgres://db:5432': 'shop', other: 'shop.sales' });
  assert.equal(
    [...readConfig({ NAMESPACE_MAP: given }).openLineageNamespaces],
    [
      ['postgres://db:5432', 'shop'],
      ['other', 'shop.sales'],
    ],
  );
  assert.is(readConfig({}).openLineageNamespaces.size, 0);
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`n${at}`, 'shop'])));
  for (const wrong of ['{', '[]', '["shop"]', '"shop"', '{"a": 1}', '{"a": ""}', many])
    assert.match(refusal({ NAMESPACE_MAP: wrong }), /NAMESPACE_MAP/, wrong.slice(0, 20));
});

config.run();
