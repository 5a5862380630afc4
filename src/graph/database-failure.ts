import neo4j from 'neo4j-driver';
import { CatalogError } from '../errors.ts';

/** Classifies failures of the database. */

const isConstraintFailure = (failure: unknown): failure is neo4j.Neo4jError =>
  failure instanceof neo4j.Neo4jError && failure.code === 'Neo.ClientError.Schema.ConstraintValidationFailed';

/** Two records would share a name or an id. The engine knows what that means for the caller. */
export const isUniquenessFailure = (failure: unknown): boolean =>
  isConstraintFailure(failure) && !isStillConnected(failure);

/** A node could not be removed because an edge to it was created at the same time. */
export const isStillConnected = (failure: unknown): boolean =>
  isConstraintFailure(failure) && /still has relationships/i.test(failure.message);

/** A node that the statement found was removed before the statement ended. A retry sees the new state. */
export const isEntityGone = (failure: unknown): boolean =>
  failure instanceof neo4j.Neo4jError && failure.code === 'Neo.ClientError.Statement.EntityNotFound';

/** The statement itself failed rather than the connection, so a retry would fail again. */
export const isClientFailure = (failure: unknown): boolean =>
  failure instanceof neo4j.Neo4jError && failure.code.startsWith('Neo.ClientError.') && !isTimeout(failure.code);

const isTimeout = (code: string): boolean => code.startsWith('Neo.ClientError.Transaction.TransactionTimedOut');

const codeOf = (failure: unknown): string => {
  const cause = failure instanceof CatalogError ? failure.cause : failure;
  return cause instanceof neo4j.Neo4jError ? cause.code : '';
};

/** The database ended the statement because it took too long. */
export const hasTimedOut = (failure: unknown): boolean => isTimeout(codeOf(failure));

/** The database ended the statement because it needed too much memory. */
export const hasExhaustedMemory = (failure: unknown): boolean => /OutOfMemory/.test(codeOf(failure));

/** The database lacked resources or hit a lock conflict. A smaller transaction may succeed. */
export const isTransient = (failure: unknown): boolean => {
  const cause = failure instanceof CatalogError ? failure.cause : failure;
  return cause instanceof neo4j.Neo4jError && (isTimeout(cause.code) || cause.code.startsWith('Neo.TransientError.'));
};

/** The full-text index refuses a query that expands to too many conditions. */
export const isQueryTooLarge = (failure: unknown): boolean =>
  failure instanceof neo4j.Neo4jError && /too many (nested )?clauses|maxClauseCount/i.test(failure.message);

/** The database could not write, most often because its disk is full. It recovers when there is space again. */
const isWriteFailure = (failure: neo4j.Neo4jError): boolean =>
  /^Neo\.DatabaseError\.(Transaction\.|General\.(StorageDamageDetected|UnknownError)$)/.test(failure.code) &&
  (failure.code.includes('.Transaction.') ||
    /no space left|disk|panic|could not (append|write)/i.test(failure.message));

/** The database is unavailable, busy or too slow, so the caller may retry later. */
const isUnavailable = (failure: neo4j.Neo4jError): boolean =>
  failure.retriable ||
  failure.code === neo4j.error.SERVICE_UNAVAILABLE ||
  failure.code === neo4j.error.SESSION_EXPIRED ||
  failure.code.startsWith('Neo.TransientError.') ||
  isTimeout(failure.code) ||
  /pool/i.test(failure.message);

/** Turns «the database is unavailable» into a 503 and leaves every other failure unchanged. */
export const toPublicDatabaseFailure = (failure: unknown): unknown => {
  if (!(failure instanceof neo4j.Neo4jError)) return failure;
  if (isWriteFailure(failure)) {
    return new CatalogError('unavailable', 'The database cannot write at the moment', { cause: failure });
  }
  if (!isUnavailable(failure)) return failure;
  return new CatalogError('unavailable', 'The database does not answer at the moment', { cause: failure });
};
