import { CatalogError } from '../errors.ts';
import { hintHeaders } from './hint.ts';
import type { Answer } from './route.ts';

/** Turns failures into error responses. */

/** Long enough for some running requests to finish, short enough that a client does not give up. */
const RETRY_AFTER_SECONDS = 1;

const errorHeaders = ({ status, retryAfterSeconds, etag, hint }: CatalogError): Record<string, string> => {
  const again = retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : undefined);
  return {
    // The rest of an abandoned body may still arrive, so the connection cannot be reused.
    ...(status === 408 ? { connection: 'close' } : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(etag === undefined ? {} : { etag }),
    ...hintHeaders(hint),
    ...(again === undefined ? {} : { 'retry-after': String(again) }),
  };
};

/**
 * Converts any thrown value to the failure that the caller may see. The message of a defect stays private, because it
 * may quote anything.
 */
export const toPublicError = (failure: unknown, requestId: string): CatalogError =>
  failure instanceof CatalogError
    ? failure
    : new CatalogError('internal', `Internal server error, request ${requestId}`, { cause: failure });

/** Builds the response with the shared error body. Never throws. */
export const errorAnswer = (failure: CatalogError): Answer => ({
  status: failure.status,
  headers: errorHeaders(failure),
  json: failure.body,
});
