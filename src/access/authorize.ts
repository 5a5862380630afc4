import { CatalogError } from '../errors.ts';
import type { Principal } from './principal.ts';

/** What a decision may look at beside the caller: the resource's kind, and the record when there is one. */
export type Subject = {
  readonly resource: string;
  readonly record?: { readonly id: string; readonly fullyQualifiedName: string };
};

/** Lets a caller pass or throws forbidden, naming the operations that nothing grants. */
export type Authorize = (principal: Principal, operations: readonly string[], subject: Subject) => void;

const isView = (operation: string): boolean => operation.startsWith('View');

/**
 * Administrators and bots may do everything, everybody else may look. Roles and policies are evaluated here once they
 * can be stored.
 */
export const authorizeByRank: Authorize = (principal, operations, _subject) => {
  if (principal.isAdmin || principal.isBot) return;
  const refused = operations.filter((operation) => !isView(operation));
  if (refused.length === 0) return;
  throw new CatalogError(
    'forbidden',
    `Principal: CatalogPrincipal{name='${principal.name}'} operations [${refused.join(', ')}] not allowed`,
  );
};
