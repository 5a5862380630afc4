import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { textsAt } from '../fields.ts';
import type { Filter } from '../filter/tree.ts';
import { fragmentsOf, markedWhole } from './fragments.ts';
import { marksIn, type Patience } from './marks.ts';
import { type SoughtIn, soughtIn } from './sought.ts';

/** Shows in the texts of a document why a search found it (search.md 3.1). */

/** How many entries a field has at most, however many texts it is made of. */
const MOST_ENTRIES = 5;

/** How many comparisons are made for one document. */
const MOST_COMPARISONS = 100_000;

/** Names are read as a whole, however long they are. */
const isName = (path: readonly string[]): boolean => ['name', 'displayName'].includes(path.at(-1) ?? '');

const entriesOf = ({ path, sought }: SoughtIn, document: JsonObject, patience: Patience): string[] => {
  const entries = new Set<string>();
  for (const text of textsAt(document, path)) {
    const marks = marksIn(text, sought, patience);
    if (marks.length === 0) continue;
    for (const entry of isName(path) ? [markedWhole(text, marks)] : fragmentsOf(text, marks)) entries.add(entry);
    if (entries.size >= MOST_ENTRIES) break;
  }
  return [...entries].slice(0, MOST_ENTRIES);
};

/**
 * The texts of a document in which the free text of a query found words, by the names of their fields, as HTML in which
 * these words are marked; undefined where there are none.
 */
export const highlightsOf = (
  kind: Kind,
  filter: Filter,
  document: JsonObject,
): Record<string, string[]> | undefined => {
  const patience: Patience = { left: MOST_COMPARISONS };
  const found = soughtIn(kind, filter).flatMap((field) => {
    const entries = entriesOf(field, document, patience);
    return entries.length === 0 ? [] : [[field.name, entries] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
};
