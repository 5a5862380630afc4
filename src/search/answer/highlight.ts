import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { textsAt } from '../../search-documents/fields.ts';
import type { SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { highlightFragments, markText } from './fragments.ts';
import { type ComparisonBudget, marksInText } from './marks.ts';
import { type SearchedText, searchTermsOf } from './search-terms.ts';

/** Highlights the words of a document that a search matched (search.md 3.1). */

/** The most entries for one field, however many texts it has. */
const MAX_ENTRIES = 5;

/** The most comparisons for one document. */
const MAX_COMPARISONS = 100_000;

/** Names are highlighted as a whole, however long they are. */
const isName = (path: readonly string[]): boolean => ['name', 'displayName'].includes(path.at(-1) ?? '');

const entriesOf = ({ path, sought }: SearchedText, document: JsonObject, budget: ComparisonBudget): string[] => {
  const entries = new Set<string>();
  for (const text of textsAt(document, path)) {
    const marks = marksInText(text, sought, budget);
    if (marks.length === 0) continue;
    for (const entry of isName(path) ? [markText(text, marks)] : highlightFragments(text, marks)) entries.add(entry);
    if (entries.size >= MAX_ENTRIES) break;
  }
  return [...entries].slice(0, MAX_ENTRIES);
};

/**
 * Returns by field name the texts of a document that matched the free text of a query, as HTML with marked words;
 * undefined when none matched.
 */
export const buildHighlights = (
  kind: Kind,
  filter: SearchFilter,
  document: JsonObject,
): Record<string, string[]> | undefined => {
  const budget: ComparisonBudget = { remaining: MAX_COMPARISONS };
  const found = searchTermsOf(kind, filter).flatMap((field) => {
    const entries = entriesOf(field, document, budget);
    return entries.length === 0 ? [] : [[field.name, entries] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
};
