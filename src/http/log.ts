import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { Config } from '../config.ts';
import type { TraceIds } from '../tracing/tracing.ts';
import { createLineWriter } from './line-writer.ts';
import { redactLogText } from './redact-log-text.ts';
import type { RequestSummary } from './router.ts';

type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** The log of one process. It redacts everything that looks like a secret. */
export type Log = {
  readonly debug: (message: string, facts?: LogFacts) => void;
  readonly info: (message: string, facts?: LogFacts) => void;
  readonly warn: (message: string, facts?: LogFacts, failure?: unknown) => void;
  readonly error: (message: string, facts?: LogFacts, failure?: unknown) => void;
  /** Logs one line per request. A server failure includes its stack. */
  readonly request: (facts: RequestSummary) => void;
  /** Writes buffered lines at once. This also happens when the process exits. */
  readonly flush: () => void;
};

export type LogOptions = {
  readonly level: Config['logLevel'];
  /** The destination of the lines; buffered standard error by default. */
  readonly to?: { readonly write: (line: string) => void };
  /** Reads the ids of the span in which a line is logged. */
  readonly traceIds?: (() => TraceIds | undefined) | undefined;
};

const STDERR = 2;
const MAX_CAUSES = 5;

/** Formats the stack of a failure and of its causes. Other members of an error may hold anything and are left out. */
const describeFailure = (failure: unknown, depth = 0): string => {
  if (!(failure instanceof Error)) return typeof failure === 'object' ? 'a thrown object' : String(failure);
  const own = failure.stack ?? `${failure.name}: ${failure.message}`;
  if (failure.cause === undefined || depth === MAX_CAUSES) return own;
  return `${own}\ncaused by ${describeFailure(failure.cause, depth + 1)}`;
};

const withStack = (facts: LogFacts | undefined, failure: unknown): LogFacts =>
  failure === undefined ? { ...facts } : { ...facts, failure: describeFailure(failure) };

const writeRequest = (logger: Logger, facts: RequestSummary): void => {
  const { requestId, method, route, status, user, traceIds } = facts;
  const ms = Math.round(facts.seconds * 1e5) / 100;
  // A failure after a status below 400 is a broken stream: the caller saw the connection end.
  if (facts.failure !== undefined && (status >= 500 || status < 400)) {
    logger.error(
      { requestId, method, route, status, ms, user, ...traceIds, failure: describeFailure(facts.failure) },
      'request failed',
    );
  } else {
    logger.info({ requestId, method, route, status, ms, user, ...traceIds }, 'request');
  }
};

/** Reads the ids for each line, except one that has those of its request. */
const createMixin = (readIds: () => TraceIds | undefined) => (facts: object) =>
  'trace_id' in facts ? {} : { ...readIds() };

export const createLog = ({ level, to, traceIds }: LogOptions): Log => {
  const stderr = to === undefined ? createLineWriter(STDERR) : undefined;
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: redactLogText },
    ...(traceIds ? { mixin: createMixin(traceIds) } : {}),
  };
  const logger = pino(options, to ?? stderr);
  return Object.freeze({
    debug: (message: string, facts?: LogFacts) => logger.debug({ ...facts }, message),
    info: (message: string, facts?: LogFacts) => logger.info({ ...facts }, message),
    warn: (message: string, facts?: LogFacts, failure?: unknown) => logger.warn(withStack(facts, failure), message),
    error: (message: string, facts?: LogFacts, failure?: unknown) => logger.error(withStack(facts, failure), message),
    request: (facts: RequestSummary) => writeRequest(logger, facts),
    flush: () => stderr?.flush(),
  });
};
