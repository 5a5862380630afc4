import { nearestOf } from '../model/nearest.ts';
import { faultsError } from '../model/validate.ts';
import { listValueFaults } from './query-faults.ts';
import type { Answer } from './route.ts';
import type { MountedRoute } from './route-table.ts';

/**
 * The query parameters of a request as its route declares them. A handler sees no others with a value, so what is told
 * about unknown ones holds by construction, and none can be half understood and widen an answer.
 */
export type DeclaredQuery = { readonly query: URLSearchParams; readonly ignored: readonly string[] };

const NONE: readonly string[] = Object.freeze([]);

const refusalOf = (unknown: readonly string[], known: ReadonlySet<string>): string => {
  const told = unknown.map((name) => {
    const nearest = nearestOf(name, [...known]);
    return nearest === undefined ? `"${name}"` : `"${name}" (did you mean "${nearest}"?)`;
  });
  const expected = known.size === 0 ? 'it takes none' : `expected ${[...known].sort().join(', ')}`;
  return `[unknown query parameter ${told.join(', ')}; ${expected}]`;
};

/** The maximum number of unknown parameters that an answer names, and the length at which each is cut. */
const MAX_TOLD = 20;
const MAX_TOLD_LENGTH = 64;

/**
 * Leaves the parameters that the route declares. Throws bad_request that names everything that is wrong when one of
 * Tributary's own operations is asked with another parameter or a wrong value; one without a value asks for nothing.
 */
export const readDeclaredQuery = ({ route, queryNames }: MountedRoute, given: URLSearchParams): DeclaredQuery => {
  const unknown = new Set<string>();
  for (const [name, value] of given) if (value !== '' && !queryNames.has(name)) unknown.add(name);
  const wrong = route.isOwn ? listValueFaults(route.query ?? [], given) : [];
  if (unknown.size === 0) {
    if (wrong.length > 0) throw faultsError(wrong);
    return { query: given, ignored: NONE };
  }
  const told = [...unknown].slice(0, MAX_TOLD).map((name) => [...name].slice(0, MAX_TOLD_LENGTH).join(''));
  if (route.isOwn) throw faultsError([...wrong, { text: refusalOf(told, queryNames) }]);
  const query = new URLSearchParams([...given].filter(([name]) => queryNames.has(name)));
  return { query, ignored: told };
};

/** Adds the header that names the parameters the answer does not depend on. */
export const withIgnoredParameters = (answer: Answer, ignored: readonly string[]): Answer =>
  ignored.length === 0
    ? answer
    : { ...answer, headers: { ...answer.headers, 'x-ignored-parameters': ignored.map(encodeURIComponent).join(', ') } };
