import type { Principal } from '../../access/principal.ts';
import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, setMember } from '../../model/json.ts';
import type { Engine } from '../engine.ts';
import { writeFields } from '../read/fields.ts';
import { createRedactor } from '../read/redaction.ts';
import { renderRecord } from '../read/render.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { storageView } from '../read/stored-snapshot.ts';
import type { Candidate } from './candidate.ts';
import { parseRecordPointer, type RecordPointer } from './record-pointers.ts';

/** Restores redacted values: a caller who writes the redacted form of a record does not mean to remove the rest. */

const IDENTITY = ['id', 'tagFQN', 'name', 'fullyQualifiedName', 'columnName'] as const;

/** The identity of a list item. */
const itemIdentity = (item: Json): string | undefined => {
  if (typeof item === 'string') return item;
  if (!isObject(item)) return undefined;
  const name = IDENTITY.find((one) => typeof item[one] === 'string');
  return name === undefined ? undefined : `${name} ${String(item[name])}`;
};

/** Whether a shown item is the redacted form of a stored item. */
const isRedactedForm = (stored: Json, shown: Json | undefined): boolean => {
  if (stored === shown) return true;
  if (shown === undefined || !isObject(stored) || !isObject(shown)) return false;
  if (itemIdentity(stored) !== itemIdentity(shown)) return false;
  return Object.keys(shown).every((name) => typeof shown[name] === 'object' || shown[name] === stored[name]);
};

type ItemPairing = {
  readonly hidden: readonly (readonly [at: number, item: Json])[];
  readonly pairs: readonly (readonly [Json, Json])[];
};

/** Separates the hidden items of a list from the shown ones and pairs the latter; redaction keeps the order. */
const pairItems = (stored: readonly Json[], shown: readonly Json[]): ItemPairing => {
  const hidden: (readonly [number, Json])[] = [];
  const pairs: (readonly [Json, Json])[] = [];
  let next = 0;
  for (const [at, item] of stored.entries()) {
    const candidate = shown[next];
    if (candidate !== undefined && isRedactedForm(item, candidate)) {
      pairs.push([item, candidate]);
      next += 1;
    } else hidden.push([at, item]);
  }
  return { hidden, pairs };
};

const restoreRedactedList = (
  stored: readonly Json[],
  shown: readonly Json[],
  given: readonly Json[],
): readonly Json[] => {
  const { hidden, pairs } = pairItems(stored, shown);
  const known = new Map(pairs.map((pair) => [itemIdentity(pair[0]), pair]));
  const restored = given.map((item) => {
    const identity = itemIdentity(item);
    const pair = identity === undefined ? undefined : known.get(identity);
    return pair ? (restoreRedactedValue(pair[0], pair[1], item) ?? item) : item;
  });
  const present = new Set(restored.map(itemIdentity));
  for (const [at, item] of hidden) {
    const identity = itemIdentity(item);
    if (identity === undefined || !present.has(identity)) restored.splice(Math.min(at, restored.length), 0, item);
  }
  return restored;
};

const restoreRedactedObject = (stored: JsonObject, shown: JsonObject, given: JsonObject): JsonObject => {
  const out: MutableJsonObject = { ...given };
  for (const name of Object.keys(stored)) {
    const value = restoreRedactedValue(stored[name] ?? null, shown[name], given[name]);
    if (value !== undefined) setMember(out, name, value);
  }
  return out;
};

/**
 * Merges a given value with the stored parts that the caller was not shown. If the caller replaces a single hidden
 * value, the new value counts.
 */
const restoreRedactedValue = (stored: Json, shown: Json | undefined, given: Json | undefined): Json | undefined => {
  if (stored === shown) return given;
  if (isArray(stored)) {
    if (shown !== undefined && !isArray(shown)) return given;
    return isArray(given) || given === undefined || given === null
      ? restoreRedactedList(stored, shown ?? [], given ?? [])
      : given;
  }
  if (shown === undefined) return given ?? stored;
  return isObject(stored) && isObject(shown) && isObject(given) ? restoreRedactedObject(stored, shown, given) : given;
};

/** A document as stored and as shown to the caller; undefined when the caller sees all of it. */
type DocumentRedaction = { readonly stored: JsonObject; readonly shown: JsonObject };

export const redactDocument = async (
  engine: Engine,
  principal: Principal,
  stored: JsonObject,
): Promise<DocumentRedaction | undefined> => {
  const redact = createRedactor(engine, principal);
  if (!redact) return undefined;
  const [shown] = await redact([stored]);
  return shown === undefined || shown === stored ? undefined : { stored, shown };
};

/** The references of a record that a write can change, as stored and as shown to the caller. */
export const redactRecordDocument = (
  engine: Engine,
  principal: Principal,
  record: Snapshot,
): Promise<DocumentRedaction | undefined> =>
  redactDocument(engine, principal, renderRecord(record, storageView(engine, writeFields(record.kind))));

export const restoreRedactedDocument = ({ stored, shown }: DocumentRedaction, given: JsonObject): JsonObject =>
  restoreRedactedObject(stored, shown, given);

/** Restores the redacted parts of members that are set individually. */
export const restoreRedactedMembers = (
  { stored, shown }: DocumentRedaction,
  given: Readonly<Record<string, Json>>,
): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      restoreRedactedValue(stored[name] ?? null, shown[name], value) ?? value,
    ]),
  );

const itemsAt = (document: JsonObject, name: string): readonly Json[] => {
  const value = document[name];
  if (value === undefined) return [];
  return isArray(value) ? value : [value];
};

const hiddenPointers = ({ stored, shown }: DocumentRedaction, name: string): readonly RecordPointer[] =>
  pairItems(itemsAt(stored, name), itemsAt(shown, name)).hidden.flatMap(([, item]) =>
    isObject(item) && item['inherited'] !== true && item['deleted'] !== true ? [parseRecordPointer(item)] : [],
  );

const addPointers = (given: readonly RecordPointer[], hidden: readonly RecordPointer[]): readonly RecordPointer[] => [
  ...given,
  ...hidden.filter(({ id }) => !given.some((pointer) => pointer.id === id)),
];

/** Restores in a candidate the hidden records that its lists leave out. */
export const restoreRedactedCandidate = (redaction: DocumentRedaction, candidate: Candidate): Candidate => {
  const common: Record<string, readonly RecordPointer[]> = {};
  for (const name of ['owners', 'domains', 'dataProducts'] as const) {
    const given = candidate[name];
    if (given !== undefined) common[name] = addPointers(given, hiddenPointers(redaction, name));
  }
  const relations = Object.fromEntries(
    Object.entries(candidate.relations).map(([name, given]) => [
      name,
      isArray(redaction.stored[name]) ? addPointers(given, hiddenPointers(redaction, name)) : given,
    ]),
  );
  return { ...candidate, ...common, relations, values: restoreRedactedMembers(redaction, candidate.values) };
};
