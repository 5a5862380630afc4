/**
 * From a request to the target state of a record. `candidate.ts` reads the request, `buildTargetState` here turns the
 * candidate into the state after the write, with the help of `relations.ts`, `columns.ts`, `values.ts` and `links.ts`,
 * and `difference.ts` compares that state with the stored one.
 */
import type { Json, JsonObject } from '../../model/json.ts';
import type { StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { carryOverNamedItems, hasNamedItems } from '../../model/kind/named-items.ts';
import type { RelatedRecord } from '../../model/kind/record-rules.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { NO_MENTIONS } from '../read/mentions.ts';
import { renderNested, renderTree } from '../read/render.ts';
import { filterOwnNodes, type NameReference, type Snapshot, storedMembers } from '../read/snapshot.ts';
import { storageView } from '../read/stored-snapshot.ts';
import type { Candidate } from './candidate.ts';
import { resolveColumnNames } from './column-names.ts';
import { buildColumnTrees } from './columns.ts';
import { validateExtension } from './extension.ts';
import { resolveLinks } from './links.ts';
import { refuseMovedSecrets } from './moved-secrets.ts';
import { resolveNewNameReferences } from './references.ts';
import {
  buildDataProducts,
  buildForwardedValues,
  buildLabels,
  buildOwnersAndDomains,
  buildRelations,
  type InheritedState,
} from './relations.ts';
import { hasSameContent } from './state-equality.ts';
import { buildValues, keepProtectedValues } from './values.ts';
import type { WriteActor, WriteContext, WriteMode } from './write-context.ts';

const namedItemMembers = memoisePerKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) =>
    hasNamedItems(attribute as StoredAttribute) ? [[name, attribute as StoredAttribute] as const] : [],
  ),
);

/** Carries the texts and labels of named items over from the stored record where a PUT must not remove them. */
const carryOverItems = (
  context: WriteContext,
  kind: Kind,
  given: Candidate['values'],
  former: Pick<Snapshot, 'values' | 'mentioned' | 'fullyQualifiedName'>,
  actor: WriteActor,
  mode: WriteMode,
): Candidate['values'] => {
  if (mode.by !== 'put') return given;
  const keepStored = actor.principal.isBot && !mode.overrideMetadata;
  const carried: Record<string, Json> = {};
  for (const [name, attribute] of namedItemMembers(kind)) {
    const value = given[name];
    if (value === undefined) continue;
    const stored = renderNested(former, name, attribute, storageView(context, NO_FIELDS));
    if (stored !== undefined) carried[name] = carryOverNamedItems(attribute, stored, value, { keepStored });
  }
  return { ...given, ...carried };
};

type RelatedByMember = Readonly<Record<string, readonly RelatedRecord[]>>;

/** The state of a record after a write, before the write happens. */
export type TargetState = Snapshot;

/**
 * Checks the rules of the kind, but not the record's own content when it is unchanged; the records it refers to may
 * have changed.
 */
const checkRules = (kind: Kind, desired: Snapshot, context: WriteContext, stored: Partial<Snapshot>): void => {
  const rules = kind.rules && !('kind' in stored && hasSameContent(stored as Snapshot, desired)) ? kind.rules : [];
  if (rules.length === 0 && !kind.relatedRules && !kind.mentionRules) return;
  const candidate: JsonObject = {
    ...desired.values,
    name: desired.name,
    ...Object.fromEntries(
      kind.columnTrees.map(([name, attribute]) => [
        name,
        renderTree(desired, name, attribute, storageView(context, NO_FIELDS)),
      ]),
    ),
  };
  for (const rule of rules) rule(candidate);
  for (const rule of kind.mentionRules ?? []) rule(candidate, (id) => desired.mentioned.get(id));
  for (const rule of kind.relatedRules ?? []) rule(candidate, desired.related as RelatedByMember, stored.values);
};

/** Checks the addresses that the server will call for the record; each is checked again at the call. */
const checkCalledUrls = async (
  context: WriteContext,
  { calledUrls }: Kind,
  values: JsonObject,
  stored: JsonObject,
): Promise<void> => {
  if (!calledUrls) return;
  const known = new Set(calledUrls(context.secrets.open(stored)));
  for (const address of calledUrls(context.secrets.open(values)))
    if (!known.has(address)) await context.checkCallable(address);
};

type TargetBase = Pick<
  Snapshot,
  | 'id'
  | 'name'
  | 'fullyQualifiedName'
  | 'version'
  | 'deleted'
  | 'ancestors'
  | 'followers'
  | 'voters'
  | 'counts'
  | 'computed'
  | 'inheritedMembers'
>;

const resolveNamedInTexts = async (
  { nameBearingTexts }: Kind,
  context: WriteContext,
  values: JsonObject,
  before: JsonObject,
): Promise<NameReference[]> =>
  nameBearingTexts
    ? resolveNewNameReferences(context, nameBearingTexts.list(values), nameBearingTexts.list(before))
    : [];

/** What a target state is built from. */
type TargetInput = {
  readonly context: WriteContext;
  readonly kind: Kind;
  readonly base: TargetBase;
  readonly candidate: Candidate;
  readonly actor: WriteActor;
  readonly mode: WriteMode;
  /** The stored state; nothing for a new record. */
  readonly stored: Partial<Snapshot>;
  readonly former: Pick<Snapshot, 'values' | 'mentioned'>;
};

/** Completes the values and columns of the candidate, and resolves the links in them. */
const resolveContent = async ({ context, kind, base, candidate, actor, mode, former }: TargetInput) => {
  const given = carryOverItems(context, kind, candidate.values, { ...base, ...former }, actor, mode);
  const checked = await validateExtension(context, kind, given, former.values, mode);
  return resolveLinks(context, kind, { values: checked, columns: candidate.columns }, former, actor);
};

/** Adds the values that the kind computes on every write, or those with which a new record begins. */
const addComputedValues = (
  { kind, actor, mode, stored, former }: TargetInput,
  values: JsonObject,
  { owners, related }: Pick<Snapshot, 'owners' | 'related'>,
): JsonObject => {
  const stamped = kind.computeOnWrite?.({
    before: former.values,
    after: values,
    ownersBefore: filterOwnNodes(stored.owners ?? []),
    ownersAfter: filterOwnNodes(owners),
    by: actor.principal,
  });
  return mode.by === 'create' && kind.initialValues
    ? { ...values, ...kind.initialValues(related as RelatedByMember, actor.principal.name, actor.now) }
    : { ...values, ...stamped };
};

/** Builds the state that a candidate describes, on top of the stored state, or of nothing for a new record. */
export const buildTargetState = async (
  context: WriteContext,
  kind: Kind,
  base: TargetBase,
  before: Snapshot | InheritedState,
  candidate: Candidate,
  actor: WriteActor,
  mode: WriteMode,
): Promise<TargetState> => {
  const objection = candidate.objection?.(mode.by === 'create');
  if (objection) throw objection;
  const stored: Partial<Snapshot> = 'values' in before ? before : {};
  const former = { values: stored.values ?? {}, mentioned: stored.mentioned ?? NO_MENTIONS };
  const input: TargetInput = { context, kind, base, candidate, actor, mode, stored, former };
  const content = await resolveContent(input);
  if ('values' in before) await refuseMovedSecrets(context, actor, before, content.values);
  const [built, columns, tags, { owners, domains }, related] = await Promise.all([
    buildValues(context, kind, former.values, content.values, actor, mode),
    buildColumnTrees(context, kind, base, stored.columns ?? {}, content.columns, actor, mode),
    buildLabels(context, kind, stored.tags ?? [], stored.inheritedMembers?.tags ?? [], candidate, actor, mode),
    buildOwnersAndDomains(context, kind, before, candidate, actor, mode),
    buildRelations(context, kind, base.fullyQualifiedName, stored.related ?? {}, candidate, mode),
  ]);
  const columnChange = { before: stored.columns ?? {}, after: columns };
  const named = resolveColumnNames(kind, content.values, built, columnChange, mode);
  const values = keepProtectedValues(kind, base.name, former.values, named, mode);
  const target: Snapshot = {
    ...base,
    kind,
    updatedAt: actor.now,
    updatedBy: actor.principal.name,
    impersonatedBy: actor.principal.impersonatedBy,
    changeDescription: undefined,
    weight: stored.weight ?? 0,
    values: addComputedValues(input, values, { owners, related }),
    columns,
    owners,
    domains,
    dataProducts: await buildDataProducts(context, stored.dataProducts ?? [], candidate, domains, mode),
    tags,
    related,
    mentioned: content.mentioned,
    forwardedValues: buildForwardedValues(kind, related, candidate, actor),
    newlyNamed: await resolveNamedInTexts(kind, context, values, former.values),
  };
  checkRules(kind, target, context, stored);
  await checkCalledUrls(context, kind, values, former.values);
  return target;
};
