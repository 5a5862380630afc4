import { createHash } from 'node:crypto';
import { canonicalJson, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createPacer } from '../../model/pacer.ts';
import { foldText } from '../tokens.ts';
import { facetKeyOf } from './facets.ts';
import { buildEntry, buildEntryInSteps, type IndexEntry } from './index-entry.ts';

/**
 * The format version of stored documents. Increase it with every change of the format; documents of another version are
 * rebuilt.
 */
export const DOCUMENT_FORMAT = 3;

/** The number of characters of a text that count for sorting. */
const MAX_SORT_LENGTH = 200;

const sortTextOf = (value: Json | undefined): string =>
  typeof value === 'string' ? foldText(value).slice(0, MAX_SORT_LENGTH) : '';

const numberAt = (value: Json | undefined, ...path: readonly string[]): number => {
  let found = value;
  for (const name of path) found = isObject(found) ? member(found, name) : undefined;
  return typeof found === 'number' ? found : 0;
};

const TIER_POPULARITY: Readonly<Record<string, number>> = { 'Tier.Tier1': 50, 'Tier.Tier2': 30, 'Tier.Tier3': 10 };

/** The popularity of a record, which raises its rank in every search (search.md 7.4). */
const popularityOf = (document: JsonObject): number => {
  const { tier, totalVotes, usageSummary } = document;
  const tagged = isObject(tier) ? TIER_POPULARITY[String(member(tier, 'tagFQN'))] : undefined;
  const used = numberAt(usageSummary, 'weeklyStats', 'count');
  const rank = numberAt(usageSummary, 'weeklyStats', 'percentileRank');
  return (tagged ?? 0) + 4 * Math.sqrt(used) + 2 * Math.sqrt(Math.max(0, numberAt(totalVotes))) + 0.05 * rank;
};

/** The members that documents of other records contain about this record, or inherit from it. */
const FACE_MEMBERS = [
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

/** A digest of these members: while it stays the same, the documents of other records need no update. */
const faceOf = (document: JsonObject): string =>
  createHash('sha256')
    .update(canonicalJson(FACE_MEMBERS.map((name) => member(document, name) ?? null)))
    .digest('base64url')
    .slice(0, 22);

type StoredDocument = Readonly<Record<string, string | number | boolean>>;

const toStoredDocument = (kind: Kind, document: JsonObject, { terms, bag, slots }: IndexEntry): StoredDocument => ({
  ...slots,
  id: String(document['id']),
  entityType: kind.entityType,
  deleted: document['deleted'] === true,
  form: DOCUMENT_FORMAT,
  terms,
  bag,
  face: faceOf(document),
  facetKey: facetKeyOf(kind, terms),
  popularity: popularityOf(document),
  nameSort: sortTextOf(document['name']),
  displayNameSort: sortTextOf(document['displayName']),
  fqnSort: sortTextOf(document['fullyQualifiedName']),
});

/** Builds the properties of a document's node. */
export const buildStoredDocument = (kind: Kind, document: JsonObject): StoredDocument =>
  toStoredDocument(kind, document, buildEntry(kind, document));

/** Builds the same in steps, without blocking the event loop, however many columns the document has. */
export const buildStoredDocumentInSteps = async (kind: Kind, document: JsonObject): Promise<StoredDocument> => {
  const pacer = createPacer();
  const steps = buildEntryInSteps(kind, document);
  for (;;) {
    const step = steps.next();
    if (step.done) return toStoredDocument(kind, document, step.value);
    if (pacer.isSliceUsedUp()) await pacer.yieldToEventLoop();
  }
};
