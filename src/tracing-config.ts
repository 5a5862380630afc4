import { type ConfigEnvironment, choice, exactUrl, fail, flag, integer, list, readText, url } from './environment.ts';

/** What a header may consist of, so that no export fails for a header that cannot be written. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const MAX_RESOURCE_ATTRIBUTES = 64;

/** Reads `name=value,…` with percent-encoded values. Refusals do not repeat the text, because headers hold tokens. */
const encodedPairs = (env: ConfigEnvironment, name: string): Readonly<Record<string, string>> => {
  const refuse = () => fail(name, '…', 'name=value pairs, comma-separated and percent-encoded');
  const pairs = list(env, name).map((pair): readonly [string, string] => {
    const at = pair.indexOf('=');
    if (at < 1) return refuse();
    try {
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    } catch {
      return refuse();
    }
  });
  return Object.fromEntries(pairs);
};

const exportHeaders = (env: ConfigEnvironment, name: string): Readonly<Record<string, string>> => {
  const headers = encodedPairs(env, name);
  const isWritable = ([header, value]: [string, string]) => HEADER_NAME.test(header) && HEADER_VALUE.test(value);
  if (!Object.entries(headers).every(isWritable)) fail(name, '…', 'names and values that HTTP allows in headers');
  return headers;
};

const resourceAttributes = (env: ConfigEnvironment): Readonly<Record<string, string>> => {
  const name = 'OTEL_RESOURCE_ATTRIBUTES';
  const attributes = encodedPairs(env, name);
  if (Object.keys(attributes).length > MAX_RESOURCE_ATTRIBUTES)
    fail(name, '…', `at most ${MAX_RESOURCE_ATTRIBUTES} attributes`);
  return attributes;
};

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Reads the share of traces that a sampler with a ratio records. The other samplers take no argument. */
const samplingRatio = (env: ConfigEnvironment, sampler: (typeof SAMPLERS)[number]): number => {
  const value = sampler.endsWith('traceidratio') ? (readText(env, 'OTEL_TRACES_SAMPLER_ARG') ?? '1') : '1';
  const ratio = Number(value);
  if (!/^\d*\.?\d+(e-\d+)?$/i.test(value) || ratio > 1) fail('OTEL_TRACES_SAMPLER_ARG', value, 'a number from 0 to 1');
  return ratio;
};

/** Chooses the variable for traces where it is set, or else the one for everything that is exported. */
const chooseVariable = (env: ConfigEnvironment, forTraces: string, forAll: string): string =>
  readText(env, forTraces) === undefined ? forAll : forTraces;

/** The address of a collector may be shown, so it holds no credentials. */
const assertIsShowable = (name: string, address: string, headersName: string): void => {
  const { username, password, search, hash } = new URL(address);
  if (username || password || search || hash)
    fail(name, '…', `an address without credentials, query and fragment; tokens belong in ${headersName}`);
};

/** Reads where the collector takes traces: a full address, or one to which the path of the protocol is appended. */
const collectorUrl = (env: ConfigEnvironment, headersName: string): string | undefined => {
  const name = chooseVariable(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const isFull = name === 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  const address = (isFull ? exactUrl : url)(env, name, ['http', 'https']);
  if (address === undefined) return undefined;
  assertIsShowable(name, address, headersName);
  return isFull ? address : `${address}/v1/traces`;
};

/** Reads where traces go, by the variables of OpenTelemetry; undefined when there are none. */
export const readTracingConfig = (env: ConfigEnvironment) => {
  const variable = (forTraces: string, forAll: string) => chooseVariable(env, forTraces, forAll);
  const headers = variable('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS');
  const collector = collectorUrl(env, headers);
  const isOff = flag(env, 'OTEL_SDK_DISABLED', false);
  const exporter = choice(env, 'OTEL_TRACES_EXPORTER', ['otlp', 'none'] as const, 'otlp');
  if (collector === undefined || isOff || exporter === 'none') return undefined;
  const sampler = choice(env, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  return {
    url: collector,
    protocol: choice(
      env,
      variable('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'),
      ['http/protobuf', 'http/json'] as const,
      'http/protobuf',
    ),
    headers: exportHeaders(env, headers),
    compression: choice(
      env,
      variable('OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'OTEL_EXPORTER_OTLP_COMPRESSION'),
      ['none', 'gzip'] as const,
      'none',
    ),
    timeoutMs: integer(
      env,
      variable('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'),
      10_000,
      1,
      60_000,
    ),
    serviceName: readText(env, 'OTEL_SERVICE_NAME'),
    resource: resourceAttributes(env),
    sampler,
    samplingRatio: samplingRatio(env, sampler),
  };
};
