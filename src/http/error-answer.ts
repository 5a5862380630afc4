import { CatalogError } from '../errors.ts';
import type { Answer } from './route.ts';

/** Long enough for a full house to empty a little, short enough that a client does not give up. */
const RETRY_AFTER_SECONDS = 1;

const errorHeaders = ({ status, retryAfterSeconds }: CatalogError): Record<string, string> => {
  const again = retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : undefined);
  return {
    // The rest of a body that is given up may still come, or never.
    ...(status === 408 ? { connection: 'close' } : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(again === undefined ? {} : { 'retry-after': String(again) }),
  };
};

/** What was thrown, as the failure a caller may see. A defect's own message stays inside: it may quote anything. */
export const toPublicError = (failure: unknown, requestId: string): CatalogError =>
  failure instanceof CatalogError
    ? failure
    : new CatalogError('internal', `Internal server error, request ${requestId}`, { cause: failure });

/** The shared error body as an answer. Never throws. */
export const errorAnswer = (failure: CatalogError): Answer => ({
  status: failure.status,
  headers: errorHeaders(failure),
  json: failure.body,
});
