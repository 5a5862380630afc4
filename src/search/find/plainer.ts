import { CatalogError } from '../../errors.ts';
import { asksTooMuch } from '../../graph/failure.ts';
import type { Asked } from '../asked/parameters.ts';
import { MOST_CLAUSES } from '../index/lucene.ts';

/** Asking for less when the index cannot answer all that is asked. */

/** The caller asks for more than one query can ask for. */
class TooMuch extends CatalogError {
  constructor() {
    super('bad_request', `[the query asks for too much: more than ${MOST_CLAUSES} conditions]`);
  }
}

export const tooMuch = () => new TooMuch();

const isTooMuch = (failure: unknown): boolean => asksTooMuch(failure) || failure instanceof TooMuch;

/** What is asked for instead: first without words that are only spelled alike, then piece by piece. */
const lesser = (asked: Asked): Asked | undefined => {
  if (asked.q.is === 'simple' && !asked.q.isSpelledRight) return { ...asked, q: { ...asked.q, isSpelledRight: true } };
  return asked.inParts ? undefined : { ...asked, inParts: true };
};

/**
 * Asks, and when that is too much for the index, for less at once. How many words of it are spelled like one that was typed
 * only the index knows, and each of them is a condition: where there are too many, people are taken to have spelled theirs
 * right. What is still too much is asked for in several queries.
 */
export const askLessWhenTooMuch = async <T>(asked: Asked, ask: (asked: Asked) => Promise<T>): Promise<T> => {
  try {
    return await ask(asked);
  } catch (failure) {
    if (!isTooMuch(failure)) throw failure;
    const less = lesser(asked);
    if (!less) throw tooMuch();
    return askLessWhenTooMuch(less, ask);
  }
};
