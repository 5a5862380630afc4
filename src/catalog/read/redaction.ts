import type { RecordFacts } from '../../access/authorization.ts';
import type { Principal } from '../../access/principal.ts';
import type { Route } from '../../http/route.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { resolveFqnText } from '../../model/kind/kind.ts';
import type { ResourceFact } from '../../model/language/condition-evaluation.ts';
import type { Engine } from '../engine.ts';
import { canSeeEverything, VIEW_OPERATIONS } from './facts.ts';
import { type RecordReference, referenceKey, visitReferences } from './record-references.ts';
import { type IsHidden, redactAnswer } from './redact-value.ts';
import type { Snapshot } from './snapshot.ts';
import { applyVisibleCounts } from './visible-counts.ts';

/**
 * Redacts answers for a caller: looks up which referenced records the caller may see, for a whole answer or page at
 * once.
 */

export type RedactionReader = Pick<Engine, 'authorizer' | 'registry'> & {
  readonly facts: Pick<Engine['facts'], 'readMany'>;
  readonly store: Pick<Engine['store'], 'reference' | 'referenceById'>;
};

const NOTHING_HIDDEN: IsHidden = () => false;

type ReferenceTarget = { readonly id: string; readonly entityType: string };

/**
 * Looks up the records that references mean, by reference key. A missing key belongs to a record that does not exist.
 */
const resolveReferenceTargets = async (
  { store, registry, authorizer }: RedactionReader,
  principal: Principal,
  references: ReadonlyMap<string, RecordReference>,
): Promise<ReadonlyMap<string, ReferenceTarget>> => {
  const targets = new Map<string, ReferenceTarget>();
  const isJudged = (type: string) => typeof authorizer.filter(principal, VIEW_OPERATIONS, type) === 'function';
  const named = async (types: readonly string[], fqn: string): Promise<ReferenceTarget | undefined> => {
    for (const type of types) {
      const kind = registry.byType.get(type);
      const found = kind && isJudged(type) ? await store.reference(kind, normalizeReferenceName(kind, fqn)) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  await Promise.all(
    [...references].map(async ([key, reference]) => {
      if (reference.by === 'id' && reference.type !== undefined) {
        targets.set(key, { id: reference.id, entityType: reference.type });
        return;
      }
      const found =
        reference.by === 'id' ? await store.referenceById(reference.id) : await named(reference.types, reference.fqn);
      if (found) targets.set(key, found);
    }),
  );
  return targets;
};

/** Normalizes a name; a text that is not a valid name of the kind matches no record. */
const normalizeReferenceName = (kind: Parameters<typeof resolveFqnText>[0], text: string): string => {
  try {
    return resolveFqnText(kind, text);
  } catch {
    return text;
  }
};

/** Returns the ids of the targets that the caller may see; the facts of all targets are read together. */
const filterVisibleTargets = async (
  { authorizer, facts }: RedactionReader,
  principal: Principal,
  targets: readonly ReferenceTarget[],
): Promise<ReadonlySet<string>> => {
  const visible = new Set<string>();
  const judged: { readonly id: string; readonly accepts: (facts: RecordFacts) => boolean }[] = [];
  const needs = new Set<ResourceFact>();
  for (const { id, entityType } of targets) {
    const filter = authorizer.filter(principal, VIEW_OPERATIONS, entityType);
    if (filter === 'all') visible.add(id);
    if (typeof filter === 'string') continue;
    judged.push({ id, accepts: filter });
    for (const need of authorizer.requiredFacts(principal, VIEW_OPERATIONS, entityType)) needs.add(need);
  }
  if (judged.length === 0) return visible;
  const known = await facts.readMany([...new Set(judged.map(({ id }) => id))], needs);
  for (const { id, accepts } of judged) {
    const found = known.get(id);
    if (found && accepts(found)) visible.add(id);
  }
  return visible;
};

const referenceTypes = (reference: RecordReference): readonly string[] | undefined => {
  if (reference.by === 'name') return reference.types;
  return reference.type === undefined ? undefined : [reference.type];
};

/** Whether the reference is the caller, who is always visible to themselves. */
const isSelf = (principal: Principal, reference: RecordReference): boolean =>
  reference.by === 'id'
    ? reference.id === principal.id
    : reference.types.includes('user') && reference.fqn.toLowerCase() === principal.name.toLowerCase();

/** Finds out which records that some values refer to are hidden from the caller. */
const findHidden = async (
  reader: RedactionReader,
  principal: Principal,
  values: readonly Json[],
): Promise<IsHidden> => {
  if (canSeeEverything(reader, principal)) return NOTHING_HIDDEN;
  const { authorizer } = reader;
  const asked = new Map<string, RecordReference>();
  const hidden = new Set<string>();
  const isOpen = (type: string) => authorizer.filter(principal, VIEW_OPERATIONS, type) === 'all';
  const isClosed = (type: string) => authorizer.filter(principal, VIEW_OPERATIONS, type) === 'none';
  const seen = new Set<string>();
  const take = (reference: RecordReference): void => {
    const key = referenceKey(reference);
    if (seen.has(key)) return;
    seen.add(key);
    const types = referenceTypes(reference);
    if (isSelf(principal, reference) || types?.every(isOpen)) return;
    if (types?.every(isClosed)) hidden.add(key);
    else asked.set(key, reference);
  };
  for (const value of values) visitReferences(value, take);
  if (asked.size > 0) {
    const targets = await resolveReferenceTargets(reader, principal, asked);
    const visible = await filterVisibleTargets(reader, principal, [...targets.values()]);
    for (const key of asked.keys()) {
      const target = targets.get(key);
      if (!target || !visible.has(target.id)) hidden.add(key);
    }
  }
  return hidden.size === 0 ? NOTHING_HIDDEN : (reference) => hidden.has(referenceKey(reference));
};

/** Redacts several values for a caller; all records they refer to are looked up together. */
export const redactValues = async <T extends Json>(
  reader: RedactionReader,
  principal: Principal,
  values: readonly T[],
): Promise<readonly T[]> => {
  const isHidden = await findHidden(reader, principal, values);
  return isHidden === NOTHING_HIDDEN ? values : values.map((value) => redactAnswer(value, isHidden) as T);
};

/** Removes from a snapshot the hidden records it has edges to, for texts that are made from it. */
export const redactSnapshot = async (
  reader: RedactionReader,
  principal: Principal,
  record: Snapshot,
): Promise<Snapshot> => {
  const { owners, domains, dataProducts, tags, columns, ancestors } = record;
  const edges = { owners, domains, dataProducts, tags, columns, ancestors };
  const [shown] = await redactValues(reader, principal, [edges as unknown as JsonObject]);
  return { ...record, ...(shown as unknown as typeof edges) };
};

/** Redacts some values for one caller. */
export type Redact = <T extends Json>(values: readonly T[]) => Promise<readonly T[]>;

/**
 * Also recounts the snapshots that values are made of, so that their counts include only records the caller may see.
 */
export type RecordRedact = Redact & {
  readonly countVisible: (records: readonly Snapshot[]) => Promise<readonly Snapshot[]>;
};

/** Creates the redaction for a caller; undefined when the caller may see everything. */
export const createRedactor = (
  reader: RedactionReader & Pick<Engine, 'graph' | 'facts'>,
  principal: Principal,
): RecordRedact | undefined => {
  if (canSeeEverything(reader, principal)) return undefined;
  const redact: Redact = (values) => redactValues(reader, principal, values);
  return Object.assign(redact, {
    countVisible: (records: readonly Snapshot[]) => applyVisibleCounts(reader, principal, records),
  });
};

/**
 * Wraps a route so that its JSON answers are redacted. A caller who may see everything pays nothing. Streams and other
 * texts are redacted where they are made.
 */
export const withRedactedAnswers =
  (reader: RedactionReader) =>
  (route: Route): Route => {
    if (route.access === 'public') return route;
    const handle: Route['handle'] = async (call) => {
      const answer = await route.handle(call);
      if (answer.json === undefined || canSeeEverything(reader, call.principal)) return answer;
      const [json] = await redactValues(reader, call.principal, [answer.json as Json]);
      return { ...answer, json };
    };
    return { ...route, handle };
  };
