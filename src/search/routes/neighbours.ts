import { readDocuments } from '../../catalog/read/documents.ts';
import { permit, VIEW } from '../../catalog/read/facts.ts';
import { redactorFor } from '../../catalog/read/visibility.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import type { Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { indexesNamed } from '../answer/aliases.ts';
import { type Instead, readAsked } from '../asked/parameters.ts';
import { fieldsOf } from '../fields.ts';
import { readWildcard } from '../filter/pattern.ts';
import { ALL, type Filter } from '../filter/tree.ts';
import { find } from '../find/find.ts';
import { type SearchRoom, targetOf } from '../find/room.ts';

/** Operations beside the plain search (search.md 3.6): the same search, asked for in other words. */

const needed = (query: URLSearchParams, name: string): string => {
  const text = query.get(name);
  if (!text) throw badRequest(`[${name} must not be empty]`);
  return text;
};

/** A text is compared as a whole here, as only its other name would say. */
const wholeName = (kinds: readonly Kind[], name: string): string =>
  kinds.some((kind) => fieldsOf(kind)(name)?.class === 'text') ? `${name}.keyword` : name;

/** GET /v1/search/fieldQuery: what has a value of that form in a field. */
export const findByField = (room: SearchRoom, call: Call): Promise<JsonObject> => {
  const { kinds } = room.engine.registry;
  const seek: Instead['seek'] = (query) => ({
    is: 'wildcard',
    field: wholeName(kinds, needed(query, 'fieldName')),
    pattern: readWildcard(needed(query, 'fieldValue')),
    // What is folded is found in any case anyway.
    anyCase: false,
  });
  return find(room, readAsked(kinds, call, { seek }), call);
};

/** GET /v1/search/sourceUrl: what comes from an address. */
export const findBySource = (room: SearchRoom, call: Call): Promise<JsonObject> => {
  const seek: Instead['seek'] = (query) => ({
    is: 'term',
    field: 'sourceUrl',
    values: [needed(query, 'sourceUrl')],
    anyCase: false,
  });
  return find(room, readAsked(room.engine.registry.kinds, call, { index: 'all', seek }), call);
};

const MOST_TYPED = 4096;

const freeText = (text: string): Filter => {
  if (text.length > MOST_TYPED) throw badRequest(`[q must be at most ${MOST_TYPED} characters long]`);
  return text === '' || text === '*' ? ALL : { is: 'simple', text };
};

/** GET /v1/search/nlq/query: whatever was typed is text, and nothing in it is a mark. */
export const findByText = (room: SearchRoom, call: Call): Promise<JsonObject> => {
  const seek: Instead['seek'] = (query) => freeText((query.get('q') ?? '').trim());
  return find(room, readAsked(room.engine.registry.kinds, call, { seek }), call);
};

type Sterms = { readonly [name: string]: { readonly buckets: JsonObject[] } };

/** GET /v1/search/entityTypeCounts: how many there are of each type. */
export const countTypes = async (room: SearchRoom, call: Call): Promise<JsonObject> => {
  const asked = readAsked(room.engine.registry.kinds, call, { index: 'all', size: 0 });
  // Whoever counts wants to know how many there are now.
  const answer = await find(room, { ...asked, tracksTotal: true, aggregates: true, meansAll: false }, call);
  const types = (answer['aggregations'] as Sterms | undefined)?.['sterms#entityType'];
  return { ...answer, aggregations: { entityType: { buckets: types?.buckets ?? [] } } };
};

/** GET /v1/search/get/{index}/doc/{id}: one document, for whoever may see its record. */
export const readDocument = async ({ engine, upstreamOf }: SearchRoom, call: Call): Promise<JsonObject> => {
  const { index = '', id = '' } = call.params;
  const { kinds } = indexesNamed(engine.registry.kinds)(index);
  const redact = redactorFor(engine, call.principal);
  const documents = await readDocuments(engine, [id.toLowerCase()], call.hrefBase, call.spend, redact);
  const document = documents.get(id.toLowerCase());
  const kind = document && kinds.find(({ entityType }) => entityType === document['entityType']);
  if (!document || !kind?.search.index) throw recordNotFound(index, id);
  await permit(engine, call.principal, VIEW, { kind, id: id.toLowerCase() });
  const target = targetOf(document);
  const upstreamLineage = (await upstreamOf(call, [target.id]))([target]).get(target.id) ?? [];
  return { _index: kind.search.index, _id: target.id, found: true, _source: { ...document, upstreamLineage } };
};
