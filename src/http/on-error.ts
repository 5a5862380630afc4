import { CatalogError } from '../errors.ts';
import type { Answer } from './route.ts';

/** Long enough for a full house to empty a little, short enough that a client does not give up. */
const RETRY_AFTER_SECONDS = '1';

const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = Object.freeze({
  401: Object.freeze({ 'www-authenticate': 'Bearer' }),
  503: Object.freeze({ 'retry-after': RETRY_AFTER_SECONDS }),
});

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** What was thrown, as the failure a caller may see. A defect's own message stays inside: it may quote anything. */
export const publicFailure = (failure: unknown, requestId: string): CatalogError =>
  failure instanceof CatalogError
    ? failure
    : new CatalogError('internal', `Internal server error, request ${requestId}`, { cause: failure });

/** The shared error body as an answer. Never throws. */
export const errorAnswer = (failure: CatalogError): Answer => ({
  status: failure.status,
  headers: HEADERS[failure.status] ?? NO_HEADERS,
  json: failure.body,
});
