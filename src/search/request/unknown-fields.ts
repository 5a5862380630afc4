import type { Kind } from '../../model/kind/kind.ts';
import { nearestOf } from '../../model/nearest.ts';
import { fieldNamesOf } from '../../search-documents/fields.ts';

/** Says which words of a query look like fields and are none, so that they were searched as text (search.md 5). */

/** The maximum number of words that are named. */
const MAX_NAMED = 5;

/** Other words before a colon are addresses, times and the like. */
const FIELD_LIKE = /^[A-Za-z_][\w.]{0,63}$/;

type FieldWatch = {
  /** The test of field names that the parser of the query asks. */
  readonly isField: (name: string) => boolean;
  /** What is said about the words that were no fields, or undefined. */
  readonly describeUnknown: () => string | undefined;
};

/** Remembers which words the parser of a query takes for fields of these kinds that are none. */
export const watchFields = (
  kinds: readonly Kind[],
  isKnown: (name: string) => boolean,
  queryText: string,
): FieldWatch => {
  const unknown = new Set<string>();
  const isField = (name: string): boolean => {
    if (isKnown(name)) return true;
    if (FIELD_LIKE.test(name) && !queryText.includes(`${name}://`)) unknown.add(name);
    return false;
  };
  const describeUnknown = (): string | undefined => {
    if (unknown.size === 0) return undefined;
    const names = [...new Set(kinds.flatMap(fieldNamesOf))];
    const described = [...unknown].slice(0, MAX_NAMED).map((name) => {
      const [first = '', ...rest] = name.split('.');
      const nearest = nearestOf(first, names);
      const meant = nearest === undefined ? '' : ` (did you mean ${[nearest, ...rest].join('.')}?)`;
      return `No field ${name}${meant}: searched as text`;
    });
    return described.join('; ');
  };
  return { isField, describeUnknown };
};
