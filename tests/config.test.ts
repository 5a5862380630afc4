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
  assert.is(read.compression, 'remote');
  assert.equal(read.profileRetention, { days: 0, rows: 0 });
  assert.equal(read.resultRetention, { days: 0, rows: 0 });
});

config('a database URL may have any scheme that the driver supports', () => {
  for (const scheme of ['bolt', 'bolt+s', 'bolt+ssc', 'neo4j', 'neo4j+s', 'neo4j+ssc']) {
    const uri = `${scheme}://db.example.com:7687`;
    assert.is(readConfig({ NEO4J_URI: uri, NEO4J_PASSWORD: 'secret' }).neo4j.uri, uri);
  }
});

config('answers are compressed for callers elsewhere, for all or for none', () => {
  for (const [COMPRESS, expected] of [
    ['true', 'remote'],
    ['false', 'off'],
    ['ALWAYS', 'all'],
  ] as const) {
    assert.is(readConfig({ COMPRESS }).compression, expected);
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
  ['COMPRESS', 'gzip'],
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
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:word@collector:4318'],
  ['OTEL_SDK_DISABLED', 'perhaps'],
] as const) {
  config(`${name}=${value} stops the process with its name and what is expected`, () => {
    const message = refusal({ [name]: value });
    assert.ok(message.startsWith(`${name} is `), message);
    assert.ok(message.includes('expected'), message);
  });
}

config('traces take what OpenTelemetry names and refuse what is not supported', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/';
  assert.is(readConfig({}).tracing, undefined);
  assert.is(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }).tracing, undefined);
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b,other=c',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  };
  assert.equal(readConfig(env).tracing, {
    url: 'http://collector:4318/v1/traces',
    protocol: 'http/protobuf',
    headers: { 'api-key': 'a b', other: 'c' },
    compression: 'none',
    timeoutMs: 10_000,
    serviceName: undefined,
    resource: { 'deployment.environment.name': 'test' },
    sampler: 'parentbased_traceidratio',
    samplingRatio: 0.25,
  });
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret-without-a-name'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'name=secret%0Aline'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'name=%secret'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', 'soon'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ] as const) {
    const message = refusal({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: 'traceidratio', [name]: value });
    assert.match(message, new RegExp(`^${name} is .* expected`));
    assert.not.match(message, /secret/);
  }
});

config('variables for traces count instead of the general ones, and the full address is taken as it is', () => {
  const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'https://traces.example/otlp/';
  const general = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://collector:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_HEADERS: 'general=1',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_TIMEOUT: '2000',
  };
  const specific = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'HTTP/JSON',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'api-key=2',
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'none',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '3000',
  };
  const both = readConfig({ ...general, ...specific }).tracing;
  assert.equal(
    [both?.url, both?.protocol, both?.headers, both?.compression, both?.timeoutMs],
    [OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, 'http/json', { 'api-key': '2' }, 'none', 3000],
  );
  const { OTEL_EXPORTER_OTLP_PROTOCOL: _, ...usable } = general;
  const inherited = readConfig({ ...usable, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT }).tracing;
  assert.equal(
    [inherited?.protocol, inherited?.headers, inherited?.compression, inherited?.timeoutMs],
    ['http/protobuf', { general: '1' }, 'gzip', 2000],
  );
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://traces.example/?token=secret'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'secret-without-a-name'],
    ['OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'zstd'],
    ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', '0'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ] as const) {
    const message = refusal({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, [name]: value });
    assert.match(message, new RegExp(`^${name} is .* expected`));
    assert.not.match(message, /secret/);
  }
});

config('the argument of a sampler counts for the samplers that take one', () => {
  const sampling = (OTEL_TRACES_SAMPLER: string, OTEL_TRACES_SAMPLER_ARG: string) => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG };
    const { sampler, samplingRatio } = readConfig(env).tracing ?? {};
    return [sampler, samplingRatio];
  };
  assert.equal(sampling('', 'endpoint=http://sampler:14250'), ['parentbased_always_on', 1]);
  assert.equal(sampling('always_off', 'none'), ['always_off', 1]);
  assert.equal(sampling('TraceIdRatio', ''), ['traceidratio', 1]);
  assert.equal(sampling('traceidratio', '.5'), ['traceidratio', 0.5]);
  assert.equal(sampling('parentbased_traceidratio', '0'), ['parentbased_traceidratio', 0]);
});

config('traces are off where their exporter is none', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
  assert.is(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }).tracing, undefined);
});

config('key sets of providers require their issuer and audience', () => {
  const AUTH_JWKS_URLS = 'https://idp.example.org/keys';
  const [AUTH_ISSUER, AUTH_AUDIENCE] = ['https://idp.example.org', 'catalog'];
  assert.match(refusal({ AUTH_JWKS_URLS }), /^AUTH_JWKS_URLS is set, so AUTH_AUDIENCE and AUTH_ISSUER must be set/);
  assert.match(refusal({ AUTH_JWKS_URLS, AUTH_AUDIENCE }), /so AUTH_ISSUER must be set/);
  assert.match(refusal({ AUTH_JWKS_URLS, AUTH_ISSUER }), /so AUTH_AUDIENCE must be set/);
  assert.match(refusal({ AUTH_JWKS_URLS, AUTH_ISSUER, AUTH_AUDIENCE: ' , ' }), /so AUTH_AUDIENCE must be set/);
  const three = { AUTH_JWKS_URLS: 'https://a.example,https://b.example,https://c.example', AUTH_AUDIENCE };
  assert.match(refusal({ ...three, AUTH_ISSUER: 'one,two' }), /^AUTH_ISSUER is "one,two", expected one issuer, or one/);
  const given = { AUTH_JWKS_URLS, AUTH_ISSUER, AUTH_AUDIENCE };
  const { auth } = readConfig(given);
  assert.equal([auth.issuers, auth.audiences], [[AUTH_ISSUER], [AUTH_AUDIENCE]]);
  assert.is(auth.enforcePrincipalDomain, true);
  assert.is(readConfig({ ...given, AUTH_ENFORCE_PRINCIPAL_DOMAIN: 'false' }).auth.enforcePrincipalDomain, false);
  const signIn = { AUTH_OIDC_ISSUER: AUTH_ISSUER, AUTH_OIDC_CLIENT_ID: 'catalog', PUBLIC_URL: 'https://example.org' };
  assert.is(readConfig(signIn).auth.enforcePrincipalDomain, true);
  assert.is(readConfig({}).auth.enforcePrincipalDomain, false);
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
