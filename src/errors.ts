/** Every failure that callers can receive, with its HTTP status and the error type of the API. */
const CODES = {
  bad_request: { status: 400, errorType: 'BAD_REQUEST' },
  unauthorized: { status: 401, errorType: 'UNAUTHORIZED' },
  forbidden: { status: 403, errorType: 'FORBIDDEN' },
  not_found: { status: 404, errorType: 'NOT_FOUND' },
  request_timeout: { status: 408, errorType: 'BAD_REQUEST' },
  method_not_allowed: { status: 405, errorType: 'METHOD_NOT_ALLOWED' },
  already_exists: { status: 409, errorType: 'ENTITY_ALREADY_EXISTS' },
  conflict: { status: 409, errorType: 'CONFLICT' },
  precondition_failed: { status: 412, errorType: 'PRECONDITION_FAILED' },
  payload_too_large: { status: 413, errorType: 'PAYLOAD_TOO_LARGE' },
  unsupported_media_type: { status: 415, errorType: 'UNSUPPORTED_MEDIA_TYPE' },
  expectation_failed: { status: 417, errorType: 'BAD_REQUEST' },
  misdirected_request: { status: 421, errorType: 'MISDIRECTED_REQUEST' },
  too_many_requests: { status: 429, errorType: 'TOO_MANY_REQUESTS' },
  headers_too_large: { status: 431, errorType: 'BAD_REQUEST' },
  internal: { status: 500, errorType: 'INTERNAL_SERVER_ERROR' },
  query_too_long: { status: 503, errorType: 'QUERY_TOO_LONG' },
  unavailable: { status: 503, errorType: 'SERVICE_UNAVAILABLE' },
} as const;

export type ErrorCode = keyof typeof CODES;

/** The error body that all responses share (conventions 2). For a refused CSV file it also holds the import result. */
export type ErrorBody = {
  readonly code: number;
  readonly errorType: string;
  readonly message: string;
  readonly result?: unknown;
};

/** What a request names and nothing has: the kind, and the ID or full name that was given. */
export type MissingRecord = { readonly entityType: string; readonly key: string };

type ErrorOptions = {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  readonly result?: unknown;
  readonly etag?: string;
  readonly hint?: string | undefined;
  readonly missing?: MissingRecord | undefined;
};

/**
 * A failure with a public message. The cause, if any, is for the log only. Any other thrown value is a defect and
 * answers 500.
 */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly code: ErrorCode;
  /** When the caller may retry, if that is known. */
  readonly retryAfterSeconds: number | undefined;
  /** The result of the operation, where the contract returns one together with the error. */
  readonly result: unknown;

  /** The present ETag of the record, when the caller expected another one. */
  readonly etag: string | undefined;
  /** What may help the caller. It stands in a header, because clients compare the message. */
  readonly hint: string | undefined;
  /** The record that was not found, so that its right name can be looked for. */
  readonly missing: MissingRecord | undefined;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.result = options?.result;
    this.etag = options?.etag;
    this.hint = options?.hint;
    this.missing = options?.missing;
  }

  get status(): number {
    return CODES[this.code].status;
  }

  get body(): ErrorBody {
    const body = { code: this.status, errorType: CODES[this.code].errorType, message: this.message };
    return this.result === undefined ? body : { ...body, result: this.result };
  }
}

export const badRequest = (message: string, cause?: unknown) => new CatalogError('bad_request', message, { cause });
export const notFound = (message: string) => new CatalogError('not_found', message);

/** Ends work that nobody waits for any more. */
export const callerGone = () => new CatalogError('unavailable', 'The caller has gone away');

/** Reports a record that is missing, or that must look missing to this caller. */
export const recordNotFound = (entityType: string, key: string, hint?: string | undefined) =>
  new CatalogError('not_found', `${entityType} instance for ${key} not found`, { hint, missing: { entityType, key } });

/** An invalid configuration or environment. The process prints the message and exits. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
