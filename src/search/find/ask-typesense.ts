import { readDocuments } from '../../catalog/read/documents.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { unlessTooExpensive } from '../../model/language/match-budget.ts';
import { createDocumentMatcher } from '../../search-documents/filter/match-document.ts';
import { andFilter, hasLeaf, type SearchFilter } from '../../search-documents/filter/search-filter.ts';
import type { HitRow } from '../request/hit-sort.ts';
import type { SearchRequest } from '../request/search-request.ts';
import { formatAggregations } from './aggregate.ts';
import { hasPartialVisibility, type SearchRun } from './candidates.ts';
import type { SearchContext } from './search-context.ts';

/** Asks Typesense, if it is configured and can answer. */

type TypesenseHits = {
  readonly isFromTypesense: true;
  readonly rows: readonly HitRow[];
  readonly total: number;
  readonly aggregations: JsonObject | undefined;
};

/** Typesense tolerates more in typed text: it also finds words that begin almost like the last one. */
const allowRoughPrefix = (q: SearchFilter): SearchFilter => (q.is === 'simple' ? { ...q, isRough: true } : q);

/**
 * Whether the hits still exist and still match, because Typesense learns of changes later. What is too expensive to
 * check is left to the graph, which checks it within the time limit.
 */
const areCurrent = async ({ engine }: SearchRun, request: SearchRequest, rows: readonly HitRow[]): Promise<boolean> => {
  const documents = await readDocuments(engine, rows);
  const wanted = andFilter([allowRoughPrefix(request.q), request.filter, request.postFilter]);
  const matchesFilter = createDocumentMatcher(wanted, engine.registry.byType, engine.clock());
  return rows.every(({ id }) => {
    const document = documents.get(id);
    return document !== undefined && unlessTooExpensive(() => matchesFilter(document)) === true;
  });
};

const isEmailField = (field: string | undefined): boolean => field === 'email' || field?.startsWith('email.') === true;

/** Clients look users up by e-mail right after they create them and cache a miss for ever, so the graph must answer. */
const searchesEmail = (filter: SearchFilter): boolean =>
  hasLeaf(filter, (leaf) => 'field' in leaf && isEmailField(leaf.field));

/**
 * Asks Typesense; returns undefined when the graph must answer. Only the graph can answer callers who see some records
 * of a kind and not others.
 */
export const askTypesense = async (
  { typesense, answeredBeside }: Pick<SearchContext, 'typesense' | 'answeredBeside'>,
  search: SearchRun,
  kinds: readonly Kind[],
  request: SearchRequest,
): Promise<TypesenseHits | undefined> => {
  if (!typesense || kinds.length === 0 || hasPartialVisibility(search, kinds)) return undefined;
  if (searchesEmail(andFilter([request.q, request.filter, request.postFilter]))) return undefined;
  const answer = await typesense.answer(request, kinds, search.engine.clock());
  if (!answer || !(await areCurrent(search, request, answer.rows))) return undefined;
  answeredBeside?.();
  const { rows, total, counts } = answer;
  return {
    isFromTypesense: true,
    rows,
    total,
    aggregations: request.aggregates ? formatAggregations(kinds, counts) : undefined,
  };
};
