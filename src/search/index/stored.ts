import { createHash } from 'node:crypto';
import { canonicalJson, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { createPacer } from '../../model/pacer.ts';
import { fold } from '../tokens.ts';
import { type Entry, entryOf, entrySteps } from './entry.ts';
import { facetKeyOf } from './facets.ts';

/** Stepped whenever what is kept of a document changes its form: documents of another form are written anew. */
export const FORM = 2;

/** What is more than so many characters long is put in order by its beginning. */
const MOST_SORTED = 200;

const sorted = (value: Json | undefined): string =>
  typeof value === 'string' ? fold(value).slice(0, MOST_SORTED) : '';

const numberAt = (value: Json | undefined, ...path: readonly string[]): number => {
  let found = value;
  for (const name of path) found = isObject(found) ? member(found, name) : undefined;
  return typeof found === 'number' ? found : 0;
};

const TIERS: Readonly<Record<string, number>> = { 'Tier.Tier1': 50, 'Tier.Tier2': 30, 'Tier.Tier3': 10 };

/** How much is made of a record whatever is looked for (search.md 7.4). */
const popularityOf = (document: JsonObject): number => {
  const { tier, totalVotes, usageSummary } = document;
  const tagged = isObject(tier) ? TIERS[String(member(tier, 'tagFQN'))] : undefined;
  const used = numberAt(usageSummary, 'weeklyStats', 'count');
  const rank = numberAt(usageSummary, 'weeklyStats', 'percentileRank');
  return (tagged ?? 0) + 4 * Math.sqrt(used) + 2 * Math.sqrt(Math.max(0, numberAt(totalVotes))) + 0.05 * rank;
};

/** What documents of other records tell of this one, and what is handed on to what lies in it. */
const FACE = [
  'name',
  'displayName',
  'fullyQualifiedName',
  'description',
  'deleted',
  'serviceType',
  'style',
  'owners',
  'domains',
];

/** Two faces of a record are the same when nobody who tells of it would tell anything else. */
const faceOf = (document: JsonObject): string =>
  createHash('sha256')
    .update(canonicalJson(FACE.map((name) => member(document, name) ?? null)))
    .digest('base64url')
    .slice(0, 22);

type Stored = Readonly<Record<string, string | number | boolean>>;

const storedWith = (kind: Kind, document: JsonObject, { terms, bag, slots }: Entry): Stored => ({
  ...slots,
  id: String(document['id']),
  entityType: kind.entityType,
  deleted: document['deleted'] === true,
  form: FORM,
  terms,
  bag,
  face: faceOf(document),
  facetKey: facetKeyOf(kind, terms),
  popularity: popularityOf(document),
  nameSort: sorted(document['name']),
  displayNameSort: sorted(document['displayName']),
  fqnSort: sorted(document['fullyQualifiedName']),
});

/** The properties of the node that a document is found by. */
export const storedOf = (kind: Kind, document: JsonObject): Stored =>
  storedWith(kind, document, entryOf(kind, document));

/** The same without holding the event loop, however many columns the document has. */
export const storedInSteps = async (kind: Kind, document: JsonObject): Promise<Stored> => {
  const pacer = createPacer();
  const steps = entrySteps(kind, document);
  for (;;) {
    const step = steps.next();
    if (step.done) return storedWith(kind, document, step.value);
    if (pacer.isDue()) await pacer.rest();
  }
};
