import { badRequest } from '../../errors.ts';
import { equalJson, type Json } from '../../model/json.ts';
import type { RelationAttribute } from '../../model/kind/attribute.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { isWritableRelation } from '../../model/kind/settable.ts';
import type { InheritedNode, LabelNode, RefNode, TargetNode } from '../queries.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { renderLabels } from '../read/render.ts';
import { type ForwardedValue, filterOwnNodes, type Snapshot } from '../read/snapshot.ts';
import { storageView } from '../read/stored-snapshot.ts';
import { type Candidate, type LabelRequest, parseLabels } from './candidate.ts';
import type { RecordPointer } from './record-pointers.ts';
import {
  isInSharedDomain,
  labelRequestKey,
  refuseForeignProducts,
  resolveLabels,
  resolveOwners,
  resolvePointers,
  resolveRelation,
} from './references.ts';
import { requireAdministrator, type WriteActor, type WriteContext, type WriteMode } from './write-context.ts';

/** The label type of labels that a record does not hold itself. */
const DERIVED = 'Derived';

const filterInherited = (nodes: readonly InheritedNode[] | null): InheritedNode[] =>
  (nodes ?? []).filter((node) => node.distance > 0);
const toOwnNodes = (nodes: readonly TargetNode[]): InheritedNode[] => nodes.map((node) => ({ ...node, distance: 0 }));

/** Returns the references to deleted records: a request cannot see them, so leaving them out does not remove them. */
const filterDeleted = <T extends RefNode>(nodes: readonly T[]): T[] => nodes.filter((node) => node.deleted === true);

type OwnersAndDomains = { readonly owners: InheritedNode[]; readonly domains: InheritedNode[] };

const buildInheritable = async (
  stored: readonly InheritedNode[] | null,
  given: Candidate['owners'],
  mode: WriteMode,
  resolve: (pointers: NonNullable<Candidate['owners']>) => Promise<TargetNode[]>,
): Promise<InheritedNode[]> => {
  const before = filterOwnNodes(stored);
  const inherited = filterInherited(stored);
  const requested = (given ?? []).filter(
    (pointer) => !pointer.inherited || !inherited.some((node) => node.id === pointer.id),
  );
  if (mode.by === 'put' && requested.length === 0) return [...before, ...inherited];
  const fresh = toOwnNodes(await resolve(requested));
  return [...fresh, ...filterDeleted(before).filter((node) => !fresh.some(({ id }) => id === node.id)), ...inherited];
};

export const buildOwnersAndDomains = async (
  context: WriteContext,
  kind: Kind,
  before: InheritedState,
  candidate: Candidate,
  actor: WriteActor,
  mode: WriteMode,
): Promise<OwnersAndDomains> => {
  const keepsDomains =
    mode.by === 'put' && !mode.overrideMetadata && actor.principal.isBot && filterOwnNodes(before.domains).length > 0;
  const has = (name: 'owners' | 'domains') => kind.gated.includes(name);
  const common: OwnersAndDomains = {
    owners: has('owners')
      ? await buildInheritable(before.owners, candidate.owners, mode, (pointers) => resolveOwners(context, pointers))
      : [],
    domains: has('domains')
      ? await buildInheritable(before.domains, keepsDomains ? undefined : candidate.domains, mode, (pointers) =>
          resolvePointers(context, pointers, ['domain']),
        )
      : [],
  };
  if (common.domains.length === 0 && kind.required?.includes('domains')) {
    throw badRequest('[domains must have at least one item]');
  }
  return common;
};

export const buildDataProducts = async (
  context: WriteContext,
  before: readonly RefNode[],
  candidate: Candidate,
  domains: readonly InheritedNode[],
  mode: WriteMode,
): Promise<readonly RefNode[]> => {
  const given = candidate.dataProducts;
  const isKept = given === undefined && mode.by === 'put';
  const products = isKept ? before : await resolvePointers(context, given ?? [], ['dataProduct']);
  if (products.length === 0) return [];
  // A write that removes a domain also removes its data products; a write that adds a data product needs one of its
  // domains.
  const homes = await Promise.all(products.map((product) => isInSharedDomain(context, product, domains)));
  const strangers = products.filter((product, at) => !homes[at] && !before.some(({ id }) => id === product.id));
  refuseForeignProducts(strangers, domains);
  return products.filter((_, at) => homes[at]);
};

/** Whether a label request repeats an inherited label as it was read; such a label does not become the record's own. */
const isInheritedLabel = (
  requested: LabelRequest,
  before: readonly LabelNode[],
  handed: readonly LabelNode[],
): boolean => {
  const isAmong = (labels: readonly LabelNode[]) =>
    labels.some((label) => labelRequestKey(label) === labelRequestKey(requested));
  return requested.labelType === DERIVED && isAmong(handed) && !isAmong(before);
};

export const buildLabels = (
  context: WriteContext,
  kind: Kind,
  before: readonly LabelNode[],
  handed: readonly LabelNode[],
  candidate: Candidate,
  actor: WriteActor,
  mode: WriteMode,
) => {
  if (!(kind.gated as readonly string[]).includes('tags')) return Promise.resolve<LabelNode[]>([]);
  const labelling = { by: actor.principal.name, at: actor.now };
  const given = (candidate.tags ?? []).filter((label) => !isInheritedLabel(label, before, handed));
  if (mode.by !== 'put') return resolveLabels(context, given, before, labelling);
  const view = storageView(context, NO_FIELDS);
  const storedRequests = parseLabels(renderLabels(before, view));
  const mentioned = new Set(given.map(labelRequestKey));
  const rest = storedRequests.filter((label) => !mentioned.has(labelRequestKey(label)));
  return resolveLabels(context, [...rest, ...given], before, labelling);
};

type RelationMember = readonly [name: string, attribute: RelationAttribute];

const checkRelationTargets = ([name, { where = {} }]: RelationMember, added: readonly TargetNode[]): void => {
  for (const [property, wanted] of Object.entries(where)) {
    const unfit = added.find((node) => (node[property as keyof TargetNode] ?? false) !== wanted);
    if (unfit) throw badRequest(`[${name} must be a ${unfit.entityType} whose ${property} is ${wanted}]`);
  }
};

/**
 * Refuses only the request that removes the last required reference; a record that already lacks it can still be
 * changed.
 */
const refuseMissingRelation = ([name, attribute]: RelationMember, before: readonly RefNode[], isNew: boolean): void => {
  if (!attribute.required || (before.length === 0 && !isNew)) return;
  throw badRequest(`[${name} must ${attribute.many ? 'have at least one item' : 'not be null'}]`);
};

const buildRelation = async (
  context: WriteContext,
  fqn: string,
  member: RelationMember,
  before: readonly RefNode[],
  given: readonly RecordPointer[] | undefined,
  mode: WriteMode,
): Promise<readonly RefNode[]> => {
  const [, attribute] = member;
  const isKept = attribute.onAbsent === 'keep' || attribute.request === undefined || attribute.required;
  if (given === undefined && mode.by === 'put' && isKept) return before;
  // A request may send back references to deleted records if the relation shows them.
  const shown = attribute.shownWhenHidden ? before.filter(({ id }) => given?.some((pointer) => pointer.id === id)) : [];
  const pointers = (given ?? []).filter((pointer) => !shown.some(({ id }) => id === pointer.id));
  const found = await resolveRelation(context, attribute, pointers);
  const fresh: readonly RefNode[] = [...shown, ...found];
  checkRelationTargets(
    member,
    found.filter(({ id }) => !before.some((node) => node.id === id)),
  );
  // A single-valued relation is replaced even when the old target is invisible; a list keeps its invisible items.
  const hidden =
    !attribute.many && fresh.length > 0
      ? []
      : filterDeleted(before).filter((node) => !fresh.some(({ id }) => id === node.id));
  if (fresh.length + hidden.length > 0) return [...fresh, ...hidden];
  refuseMissingRelation(member, before, mode.by === 'create');
  // The fallback record itself has no fallback.
  if (attribute.fallback === undefined || attribute.fallback === fqn) return [];
  const fallback = context.registry.byType.get(attribute.kinds[0] ?? '');
  const node = fallback ? await context.store.reference(fallback, attribute.fallback) : undefined;
  return node ? [node] : [];
};

export const buildRelations = async (
  context: WriteContext,
  kind: Kind,
  fqn: string,
  before: Snapshot['related'],
  candidate: Candidate,
  mode: WriteMode,
): Promise<Record<string, readonly RefNode[]>> => {
  const related: Record<string, readonly RefNode[]> = {};
  for (const [name, attribute] of Object.entries(kind.attributes)) {
    if (attribute.store !== 'relation') continue;
    const stored = before[name] ?? [];
    if (attribute.setByOtherEnd) await resolveRelation(context, attribute, candidate.relations[name] ?? []);
    related[name] = isWritableRelation(attribute)
      ? await buildRelation(context, fqn, [name, attribute], stored, candidate.relations[name], mode)
      : stored;
  }
  return related;
};

/** Builds the values that a request forwards to related records, without those already stored there. */
export const buildForwardedValues = (
  kind: Kind,
  related: Snapshot['related'],
  candidate: Candidate,
  actor: WriteActor,
): ForwardedValue[] =>
  Object.entries(candidate.forwarded).flatMap(([member, value]) => {
    const attribute = kind.attributes[member];
    const target = attribute?.store === 'conferred' ? related[attribute.to]?.[0] : undefined;
    if (attribute?.store !== 'conferred' || !target) return [];
    const present = (target as unknown as Readonly<Record<string, Json | null>>)[member] ?? false;
    if (equalJson(present, value)) return [];
    if (attribute.adminOnly) requireAdministrator(actor, member);
    return [{ to: target, member, value }];
  });

export type InheritedState = Pick<Snapshot, 'owners' | 'domains'>;
