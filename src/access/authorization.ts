import { CatalogError } from '../errors.ts';
import type { ResourceFact } from '../model/language/condition-evaluation.ts';
import { type AccessNeed, operationName } from '../model/schemas/access/policy.ts';
import type { Principal } from './principal.ts';
import type { HidingFacts, PolicyRuleData } from './rights.ts';

/**
 * The facts about a record that a policy decision may need, as read from the graph. Owners and domains are the
 * effective ones: the record's own, otherwise those of its ancestors.
 */
export type RecordFacts = {
  /** Ids of people and teams. */
  readonly ownerIds: readonly string[];
  /** The teams among the owners. */
  readonly owningTeamIds: readonly string[];
  /** The teams of the people among the owners. */
  readonly peoplesTeamIds: readonly string[];
  readonly domainIds: readonly string[];
  /** The names of all tags and glossary terms on the record and on its columns. */
  readonly tags: ReadonlySet<string>;
  /** The name of the record's certification tag. */
  readonly certification: string | undefined;
  /** What the record is about. It is visible only to whom one of these is visible; absent when it is about nothing. */
  readonly subjects?: readonly AuthorizationSubject[];
};

/**
 * The subject of a decision: a record type, or another resource that rules can name, with the record's facts when the
 * request concerns one record.
 */
export type AuthorizationSubject = { readonly resource: string; readonly facts?: RecordFacts };

/**
 * Returns when the caller is allowed; otherwise throws forbidden and names the operations that are denied or not
 * granted.
 */
export type Authorize = (principal: Principal, operations: readonly string[], subject: AuthorizationSubject) => void;

/** The records of a list that a caller may see: all, none, or those whose facts the predicate accepts. */
export type RecordFilter = 'all' | 'none' | ((facts: RecordFacts) => boolean);

/** What somebody receives: roles and policies that are stored, by id, and rules that are about to be. */
export type GivenRights = {
  readonly roleIds: readonly string[];
  readonly policyIds: readonly string[];
  readonly rules: readonly Pick<PolicyRuleData, 'effect' | 'operations' | 'resources'>[];
};

/**
 * Decides what callers may do by the policies of identity.md 5, using the rights held in memory.
 *
 * A request about one record calls `requiredFacts` first and reads the record's facts for `authorize` only when the
 * result is not empty. A list calls `filter` once and applies the result to each row. Code that decides outside a
 * request (a job, a stream) awaits `ensureFresh` first, and again from time to time, so that it does not decide from
 * old rights.
 */
export type Authorizer = {
  readonly authorize: Authorize;
  /** The record facts a decision needs; empty for most callers, and for administrators. */
  requiredFacts(principal: Principal, operations: readonly string[], resource: string): ReadonlySet<ResourceFact>;
  /** The records on which the caller may do all these operations. */
  filter(principal: Principal, operations: readonly string[], resource: string): RecordFilter;
  /** Whether the caller may do all these operations on every record of all these types. Repeated calls are cheap. */
  isAllowedEverywhere(principal: Principal, operations: readonly string[], resources: readonly string[]): boolean;
  /** What hides records of a type from some callers. */
  hidingFacts(resource: string): HidingFacts;
  /** Finds something that these rights allow and the caller may not do wherever they allow it. */
  findUnheld(principal: Principal, given: GivenRights): AccessNeed | undefined;
  /**
   * Returns undefined when the rights in memory are current, otherwise a promise to await. The promise rejects when the
   * rights cannot be read.
   */
  ensureFresh(): Promise<void> | undefined;
  /** Makes the next `ensureFresh` read the rights again, because this process has changed them. */
  invalidate(): void;
};

/** The error message that the API contract prescribes for forbidden operations. */
export const notAllowedMessage = (principal: Pick<Principal, 'name'>, operations: readonly string[]): string =>
  `Principal: CatalogPrincipal{name='${principal.name}'} operations [${operations.map(operationName).join(', ')}] not allowed`;

/** Whether the caller has one of some rights on some record. */
export const hasAnyRight = (
  { filter }: Pick<Authorizer, 'filter'>,
  principal: Principal,
  needs: readonly AccessNeed[],
): boolean => needs.some(({ operation, resource }) => filter(principal, [operation], resource) !== 'none');

/** Throws forbidden for a caller who has none of some rights on any record. Without rights to ask for it returns. */
export const demandAnyRight = (
  authorizer: Pick<Authorizer, 'authorize' | 'filter'>,
  principal: Principal,
  needs: readonly AccessNeed[],
): void => {
  const [first] = needs;
  if (!first || hasAnyRight(authorizer, principal, needs)) return;
  authorizer.authorize(principal, [first.operation], { resource: first.resource });
};

/** Throws forbidden unless the principal is an administrator. No policy can grant these operations. */
export const demandAdmin = (principal: Pick<Principal, 'name' | 'isAdmin'>, operation: string): void => {
  if (!principal.isAdmin) throw new CatalogError('forbidden', notAllowedMessage(principal, [operation]));
};
