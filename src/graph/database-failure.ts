import neo4j from 'neo4j-driver';
import { CatalogError } from '../errors.ts';

const isConstraintFailure = (failure: unknown): failure is neo4j.Neo4jError =>
  failure instanceof neo4j.Neo4jError && failure.code === 'Neo.ClientError.Schema.ConstraintValidationFailed';

/** The database says two records would share a name or an id. The engine knows what that means for the caller. */
export const isUniquenessFailure = (failure: unknown): boolean =>
  isConstraintFailure(failure) && !isStillConnected(failure);

/** A node could not be removed because an edge to it was made at the same time. */
export const isStillConnected = (failure: unknown): boolean =>
  isConstraintFailure(failure) && /still has relationships/i.test(failure.message);

/** A node that was found at the beginning of the statement was gone before its end: looking again tells what is true now. */
export const isEntityGone = (failure: unknown): boolean =>
  failure instanceof neo4j.Neo4jError && failure.code === 'Neo.ClientError.Statement.EntityNotFound';

/** A failure of the statement itself rather than of the road to the database: sending it again would fail again. */
export const isClientFailure = (failure: unknown): boolean =>
  failure instanceof neo4j.Neo4jError && failure.code.startsWith('Neo.ClientError.') && !isTimeout(failure.code);

const isTimeout = (code: string): boolean => code.startsWith('Neo.ClientError.Transaction.TransactionTimedOut');

/** The database answered that it could not do so much now, or met others doing it: less of it may succeed. */
export const isTransient = (failure: unknown): boolean => {
  const cause = failure instanceof CatalogError ? failure.cause : failure;
  return cause instanceof neo4j.Neo4jError && (isTimeout(cause.code) || cause.code.startsWith('Neo.TransientError.'));
};

/** The full-text index refuses a query that becomes too many conditions once the words are looked up that are meant. */
export const isQueryTooLarge = (failure: unknown): boolean =>
  failure instanceof neo4j.Neo4jError && /too many (nested )?clauses|maxClauseCount/i.test(failure.message);

/** The database could not write, most often because its disk is full: that passes when there is room again. */
const isWriteFailure = (failure: neo4j.Neo4jError): boolean =>
  /^Neo\.DatabaseError\.(Transaction\.|General\.(StorageDamageDetected|UnknownError)$)/.test(failure.code) &&
  (failure.code.includes('.Transaction.') ||
    /no space left|disk|panic|could not (append|write)/i.test(failure.message));

/** Codes that say the database is away, busy, or took too long: the caller may try again later. */
const isUnavailable = (failure: neo4j.Neo4jError): boolean =>
  failure.retriable ||
  failure.code === neo4j.error.SERVICE_UNAVAILABLE ||
  failure.code === neo4j.error.SESSION_EXPIRED ||
  failure.code.startsWith('Neo.TransientError.') ||
  isTimeout(failure.code) ||
  /pool/i.test(failure.message);

/** Turns «the database is away» into the wire's 503; leaves every other failure as it is. */
export const toPublicDatabaseFailure = (failure: unknown): unknown => {
  if (!(failure instanceof neo4j.Neo4jError)) return failure;
  if (isWriteFailure(failure)) {
    return new CatalogError('unavailable', 'The database cannot write at the moment', { cause: failure });
  }
  if (!isUnavailable(failure)) return failure;
  return new CatalogError('unavailable', 'The database does not answer at the moment', { cause: failure });
};
