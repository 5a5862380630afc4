import { badRequest } from '../../errors.ts';
import { integerParameter, textParameter } from '../../http/query-parameters.ts';
import type { Call, QueryParameter } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { andFilter, MATCH_ALL, orFilter, type SearchFilter } from '../../search-documents/filter/search-filter.ts';
import { foldText, parseWords } from '../../search-documents/tokens.ts';
import { runSearch } from '../find/run-search.ts';
import type { SearchContext } from '../find/search-context.ts';
import { readSearchRequest, readSourceSelection } from '../request/search-request.ts';
import { readSelection, selectSource } from '../request/source-selection.ts';

/** GET /v1/search/suggest: completes names (search.md 3.6). */

const MAX_TYPED_LENGTH = 1024;
const MAX_SUGGESTIONS = 1000;

/** The only field that suggestions use. */
const SUGGEST_FIELD = 'suggest';

/** A name that starts with the typed text ranks before one that has it at the start of another word. */
const WHOLE_NAME_BOOST = 100;

const NAME_MEMBERS = ['displayName', 'name'] as const;

/** Requires all words but the last, and a word that starts with the last. */
const wordsFilter = (field: string, text: string): SearchFilter => {
  const words = parseWords(text);
  const last = words.at(-1);
  if (!last) return { is: 'none' };
  const before = words.slice(0, -1).map(({ whole }): SearchFilter => ({ is: 'phrase', field, text: whole, slop: 0 }));
  const parts = last.parts.map(
    (part, at): SearchFilter =>
      at < last.parts.length - 1
        ? { is: 'phrase', field, text: part, slop: 0 }
        : { is: 'prefix', field, text: part, anyCase: true },
  );
  return andFilter([
    ...before,
    orFilter([{ is: 'prefix', field, text: last.joined, anyCase: true }, andFilter(parts)]),
  ]);
};

const suggestionFilter = (text: string): SearchFilter =>
  orFilter(
    NAME_MEMBERS.flatMap((name): SearchFilter[] => [
      { is: 'boosted', of: { is: 'prefix', field: `${name}.keyword`, text, anyCase: true }, by: WHOLE_NAME_BOOST },
      wordsFilter(name, text),
    ]),
  );

/** Picks the display name or the name, whichever starts with the typed text. */
const suggestedText = (document: JsonObject, text: string): string => {
  const [shown, name] = NAME_MEMBERS.map((member) => String(document[member] ?? ''));
  const begins = (one = '') => foldText(one).startsWith(foldText(text));
  return (begins(shown) || !begins(name) ? shown : name) || name || '';
};

type SuggestHit = {
  readonly _index: string;
  readonly _id: string;
  readonly _score: number;
  readonly _source: JsonObject;
};

const readTypedText = ({ query }: Call): string => {
  const text = (query.get('q') ?? '').trim().replace(/\*+$/, '');
  if (text.length > MAX_TYPED_LENGTH) throw badRequest(`[q must be at most ${MAX_TYPED_LENGTH} characters long]`);
  return text;
};

/** Selects the supported parameters of a plain search and sets their defaults. */
const parametersOf = ({ query }: Call): URLSearchParams => {
  const parameters = new URLSearchParams({ include_aggregations: 'false', deleted: query.get('deleted') || 'false' });
  const index = query.get('index');
  if (index) parameters.set('index', index);
  parameters.set('size', String(integerParameter(query, 'size', 10, 0, MAX_SUGGESTIONS)));
  return parameters;
};

const WITHOUT_LINEAGE = readSelection({ includes: [], excludes: ['upstreamLineage'], fetchSource: true });

export const suggestNames = async (context: SearchContext, call: Call): Promise<JsonObject> => {
  const { query } = call;
  const text = readTypedText(call);
  const field = query.get('field') || SUGGEST_FIELD;
  if (field !== SUGGEST_FIELD) throw badRequest(`[field must be ${SUGGEST_FIELD}]`);
  const wanted = readSourceSelection(call);
  const request = readSearchRequest(
    context.engine.registry.kinds,
    { query: parametersOf(call) },
    {
      parseQuery: () => (text === '' ? MATCH_ALL : suggestionFilter(text)),
    },
  );
  const { hits } = (await runSearch(context, { ...request, selection: WITHOUT_LINEAGE }, call)) as {
    readonly hits: { readonly hits: readonly SuggestHit[] };
  };
  const options = hits.hits.map(({ _index, _id, _score, _source }) => {
    const shown = selectSource(wanted, _source);
    return { text: suggestedText(_source, text), _index, _id, _score, ...(shown ? { _source: shown } : {}) };
  });
  return { 'metadata-suggest': [{ text, offset: 0, length: text.length, options }] };
};

export const SUGGEST_PARAMETERS: readonly QueryParameter[] = [
  textParameter('q', 'Beginning of the name, or of a word in it'),
  textParameter('index', 'Comma-separated names or aliases of the indexes to search'),
  { name: 'field', description: 'Field to complete', schema: { type: 'string', default: SUGGEST_FIELD } },
  {
    name: 'size',
    description: 'Number of names to return',
    schema: { type: 'integer', minimum: 0, maximum: MAX_SUGGESTIONS, default: 10 },
  },
  { name: 'deleted', description: 'Whether to include deleted assets', schema: { type: 'boolean', default: false } },
  {
    name: 'fetch_source',
    description: 'Whether to return the documents of the names',
    schema: { type: 'boolean', default: true },
  },
  textParameter('include_source_fields', 'Comma-separated names of the document fields to return'),
];
