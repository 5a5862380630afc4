import { badRequest } from '../../errors.ts';
import { textParameter, wholeNumber } from '../../http/query.ts';
import type { Call, QueryParameter } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { readSelection, selectFrom } from '../answer/source.ts';
import { readAsked, selectionAsked } from '../asked/parameters.ts';
import { ALL, every, type Filter, some } from '../filter/tree.ts';
import { find } from '../find/find.ts';
import type { SearchRoom } from '../find/room.ts';
import { fold, wordsOf } from '../tokens.ts';

/** GET /v1/search/suggest: names that somebody may be about to type (search.md 3.6). */

const MOST_TYPED = 1024;
const MOST = 1000;

/** The only field there is that names are completed in. */
const FIELD = 'suggest';

/** A name that begins as a whole with what was typed comes before one of which only a word does. */
const WHOLE = 100;

const NAMES = ['displayName', 'name'] as const;

/** All words but the last are there, and one begins with the last. */
const inWords = (field: string, text: string): Filter => {
  const words = wordsOf(text);
  const last = words.at(-1);
  if (!last) return { is: 'none' };
  const before = words.slice(0, -1).map(({ whole }): Filter => ({ is: 'phrase', field, text: whole, slop: 0 }));
  const parts = last.parts.map(
    (part, at): Filter =>
      at < last.parts.length - 1
        ? { is: 'phrase', field, text: part, slop: 0 }
        : { is: 'prefix', field, text: part, anyCase: true },
  );
  return every([...before, some([{ is: 'prefix', field, text: last.joined, anyCase: true }, every(parts)])]);
};

const beginning = (text: string): Filter =>
  some(
    NAMES.flatMap((name): Filter[] => [
      { is: 'boosted', of: { is: 'prefix', field: `${name}.keyword`, text, anyCase: true }, by: WHOLE },
      inWords(name, text),
    ]),
  );

/** Of two names that of which more is what was typed. */
const suggested = (document: JsonObject, text: string): string => {
  const [shown, name] = NAMES.map((member) => String(document[member] ?? ''));
  const begins = (one = '') => fold(one).startsWith(fold(text));
  return (begins(shown) || !begins(name) ? shown : name) || name || '';
};

type Hit = {
  readonly _index: string;
  readonly _id: string;
  readonly _score: number;
  readonly _source: JsonObject;
};

const typed = ({ query }: Call): string => {
  const text = (query.get('q') ?? '').trim().replace(/\*+$/, '');
  if (text.length > MOST_TYPED) throw badRequest(`[q must be at most ${MOST_TYPED} characters long]`);
  return text;
};

/** Those parameters of a plain search that count here, with what counts when they are left out. */
const parametersOf = ({ query }: Call): URLSearchParams => {
  const parameters = new URLSearchParams({ include_aggregations: 'false', deleted: query.get('deleted') || 'false' });
  const index = query.get('index');
  if (index) parameters.set('index', index);
  parameters.set('size', String(wholeNumber(query, 'size', 10, 0, MOST)));
  return parameters;
};

const WITHOUT_LINEAGE = readSelection({ includes: [], excludes: ['upstreamLineage'], fetchSource: true });

export const suggest = async (room: SearchRoom, call: Call): Promise<JsonObject> => {
  const { query } = call;
  const text = typed(call);
  const field = query.get('field') || FIELD;
  if (field !== FIELD) throw badRequest(`[field must be ${FIELD}]`);
  const wanted = selectionAsked(call);
  const asked = readAsked(
    room.engine.registry.kinds,
    { query: parametersOf(call) },
    {
      seek: () => (text === '' ? ALL : beginning(text)),
    },
  );
  const { hits } = (await find(room, { ...asked, selection: WITHOUT_LINEAGE }, call)) as {
    readonly hits: { readonly hits: readonly Hit[] };
  };
  const options = hits.hits.map(({ _index, _id, _score, _source }) => {
    const shown = selectFrom(wanted, _source);
    return { text: suggested(_source, text), _index, _id, _score, ...(shown ? { _source: shown } : {}) };
  });
  return { 'metadata-suggest': [{ text, offset: 0, length: text.length, options }] };
};

export const SUGGEST: readonly QueryParameter[] = [
  textParameter('q', 'How the name begins that somebody is typing, or a word of it'),
  textParameter('index', 'The index or indexes to look in, by name or alias, with commas between them'),
  { name: 'field', description: 'What is completed', schema: { type: 'string', default: FIELD } },
  {
    name: 'size',
    description: 'How many names to answer',
    schema: { type: 'integer', minimum: 0, maximum: MOST, default: 10 },
  },
  { name: 'deleted', description: 'Whether also what is deleted counts', schema: { type: 'boolean', default: false } },
  {
    name: 'fetch_source',
    description: 'Whether to answer documents at all',
    schema: { type: 'boolean', default: true },
  },
  textParameter('include_source_fields', 'The members of documents to answer, with commas between them'),
];
