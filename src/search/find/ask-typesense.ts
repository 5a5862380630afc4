import { readDocuments } from '../../catalog/read/documents.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createDocumentMatcher } from '../../search-documents/filter/match-document.ts';
import { andFilter, hasLeaf, type SearchFilter } from '../../search-documents/filter/search-filter.ts';
import type { HitRow } from '../request/hit-sort.ts';
import type { SearchRequest } from '../request/search-request.ts';
import { formatAggregations } from './aggregate.ts';
import { hasPartialVisibility, type SearchRun } from './candidates.ts';
import type { SearchContext } from './search-context.ts';

/** Asking the engine beside the graph, where there is one and it can answer. */

type TypesenseHits = {
  readonly isFromTypesense: true;
  readonly rows: readonly HitRow[];
  readonly total: number;
  readonly aggregations: JsonObject | undefined;
};

/** Of what people type, the other engine forgives more: it finds what begins nearly like the last word as well. */
const allowRoughPrefix = (q: SearchFilter): SearchFilter => (q.is === 'simple' ? { ...q, isRough: true } : q);

/** Whether what was found is still there and what is asked for: the other engine hears of changes a little later. */
const areCurrent = async ({ engine }: SearchRun, request: SearchRequest, rows: readonly HitRow[]): Promise<boolean> => {
  const documents = await readDocuments(engine, rows);
  const wanted = andFilter([allowRoughPrefix(request.q), request.filter, request.postFilter]);
  const judge = createDocumentMatcher(wanted, engine.registry.byType, engine.clock());
  return rows.every(({ id }) => {
    const document = documents.get(id);
    return document !== undefined && judge(document);
  });
};

const isEmailField = (field: string | undefined): boolean => field === 'email' || field?.startsWith('email.') === true;

/** Clients ask for people by e-mail right after they have made them, and remember for ever that there was nobody. */
const searchesEmail = (filter: SearchFilter): boolean =>
  hasLeaf(filter, (leaf) => 'field' in leaf && isEmailField(leaf.field));

/**
 * What the other engine answers; undefined where the graph must. Who may see some records of a kind and not others is
 * answered by the graph alone, which knows who they are.
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
