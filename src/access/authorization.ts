import { CatalogError } from '../errors.ts';
import type { ResourceFact } from '../model/language/condition-evaluation.ts';
import { operationName } from '../model/schemas/access/policy.ts';
import type { Principal } from './principal.ts';

/**
 * What a decision can ask of a record, as it is read from the graph. Owners and domains are the effective ones: the
 * record's own, else those of what it lies in.
 */
export type RecordFacts = {
  /** People and teams. */
  readonly ownerIds: readonly string[];
  /** The teams among the owners. */
  readonly owningTeamIds: readonly string[];
  /** The teams of the people among the owners. */
  readonly peoplesTeamIds: readonly string[];
  readonly domainIds: readonly string[];
  /** The names of all tags and glossary terms on it and on its columns. */
  readonly tags: ReadonlySet<string>;
  /** The name of the tag it is certified with. */
  readonly certification: string | undefined;
};

/**
 * What is asked for: the type of record, or another subject that rules can name, and what is known of the record when the
 * request is about a single one.
 */
export type AuthorizationSubject = { readonly resource: string; readonly facts?: RecordFacts };

/** Lets a caller pass or throws forbidden, naming the operations that are denied or that nothing grants. */
export type Authorize = (principal: Principal, operations: readonly string[], subject: AuthorizationSubject) => void;

/** Which records of a list somebody may have: all of them, none, or those whose facts are accepted. */
export type RecordFilter = 'all' | 'none' | ((facts: RecordFacts) => boolean);

/**
 * Decides what callers may do, by the policies of identity.md 5, from what is held in memory.
 *
 * A request about one record asks `needs` first; only when that is not empty the record's facts are read and handed to
 * `authorize`. A list asks `filter` once and applies what it answers to each row. Whoever decides outside of a request
 * (a job, a stream) waits for `settle` first, and again now and then: what is decided from must not be old.
 */
export type Authorizer = {
  readonly authorize: Authorize;
  /** What must be known of a record before the caller can be judged; empty for most callers, and for administrators. */
  requiredFacts(principal: Principal, operations: readonly string[], resource: string): ReadonlySet<ResourceFact>;
  /** Which records the caller may do all these operations to. `needs` says which facts the answer looks at. */
  filter(principal: Principal, operations: readonly string[], resource: string): RecordFilter;
  /** Whether the caller may do all these operations to every record of all these types. Cheap to ask again. */
  isAllowedEverywhere(principal: Principal, operations: readonly string[], resources: readonly string[]): boolean;
  /** Undefined when the rights in memory are those of now; otherwise to be waited for. Rejects when they cannot be read. */
  ensureFresh(): Promise<void> | undefined;
  /** Makes the next `settle` read the rights again: somebody in this process has changed them. */
  invalidate(): void;
};

/** The contract's sentence for what somebody may not do. */
export const notAllowedMessage = (principal: Pick<Principal, 'name'>, operations: readonly string[]): string =>
  `Principal: CatalogPrincipal{name='${principal.name}'} operations [${operations.map(operationName).join(', ')}] not allowed`;

/** Refuses everybody but administrators: no policy grants this. */
export const demandAdmin = (principal: Pick<Principal, 'name' | 'isAdmin'>, operation: string): void => {
  if (!principal.isAdmin) throw new CatalogError('forbidden', notAllowedMessage(principal, [operation]));
};
