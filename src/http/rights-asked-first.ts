import type { AccessNeed } from '../model/schemas/access/policy.ts';
import type { Route } from './route.ts';

/**
 * Which rights are asked before a request is read. Parsing a long body, looking up what it names and planning what it
 * wants is work, which nobody gets done who may do nothing of the kind on any record. Rights that depend on the record
 * are asked by the handler, as soon as it knows the record.
 */

/** The contract orders the checks of short requests: a wrong body is refused before a missing right. */
const comesFirst = ({ isOwn }: Route, isHeavy: boolean): boolean => isHeavy || isOwn === true;

/**
 * Returns the rights of which the caller needs one. Where further conditions apply, one operation alone tells nothing, so
 * that the route has to list those that may do.
 */
export const rightsAskedFirst = (route: Route, isHeavy: boolean): readonly AccessNeed[] => {
  const { access, body } = route;
  if (typeof access === 'string' || body === undefined || !comesFirst(route, isHeavy)) return [];
  const { operation, resource, also, anyOf } = access;
  return anyOf ?? (also === undefined ? [{ operation, resource }] : []);
};
