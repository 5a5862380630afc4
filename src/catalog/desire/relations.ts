import { badRequest } from '../../errors.ts';
import { isWritableRelation, type RelationAttribute } from '../../model/attribute.ts';
import { equalJson, type Json } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { InheritedNode, LabelNode, RefNode, TargetNode } from '../queries.ts';
import { NO_FIELDS } from '../read/fields.ts';
import { plainView } from '../read/kept.ts';
import { renderLabels } from '../read/render.ts';
import { type Conferral, ownNodes, type Snapshot } from '../read/snapshot.ts';
import { type Candidate, type LabelWish, labelWishes, type Pointer } from './candidate.ts';
import { type Actor, type Desk, type Mode, refuseLayman } from './desk.ts';
import {
  labelKey,
  refuseHomelessProducts,
  resolveLabels,
  resolveOwners,
  resolvePointers,
  resolveRelation,
  shareDomain,
} from './resolve.ts';

/** How labels are marked that a record does not have itself. */
const HANDED = 'Derived';

const passedDown = (nodes: readonly InheritedNode[] | null): InheritedNode[] =>
  (nodes ?? []).filter((node) => node.distance > 0);
const asOwn = (nodes: readonly TargetNode[]): InheritedNode[] => nodes.map((node) => ({ ...node, distance: 0 }));

/** References to deleted records are not shown, so a request that leaves them out does not mean to remove them. */
const unseen = <T extends RefNode>(nodes: readonly T[]): T[] => nodes.filter((node) => node.deleted === true);

type Common = { readonly owners: InheritedNode[]; readonly domains: InheritedNode[] };

const desireInherited = async (
  stored: readonly InheritedNode[] | null,
  given: Candidate['owners'],
  mode: Mode,
  resolve: (pointers: NonNullable<Candidate['owners']>) => Promise<TargetNode[]>,
): Promise<InheritedNode[]> => {
  const before = ownNodes(stored);
  const inherited = passedDown(stored);
  const wished = (given ?? []).filter(
    (pointer) => !pointer.inherited || !inherited.some((node) => node.id === pointer.id),
  );
  if (mode.by === 'put' && wished.length === 0) return [...before, ...inherited];
  const fresh = asOwn(await resolve(wished));
  return [...fresh, ...unseen(before).filter((node) => !fresh.some(({ id }) => id === node.id)), ...inherited];
};

export const desireCommon = async (
  desk: Desk,
  kind: Kind,
  before: Inheritance,
  candidate: Candidate,
  actor: Actor,
  mode: Mode,
): Promise<Common> => {
  const keepsDomains =
    mode.by === 'put' && !mode.overrideMetadata && actor.principal.isBot && ownNodes(before.domains).length > 0;
  const has = (name: 'owners' | 'domains') => kind.gated.includes(name);
  const common: Common = {
    owners: has('owners')
      ? await desireInherited(before.owners, candidate.owners, mode, (pointers) => resolveOwners(desk, pointers))
      : [],
    domains: has('domains')
      ? await desireInherited(before.domains, keepsDomains ? undefined : candidate.domains, mode, (pointers) =>
          resolvePointers(desk, pointers, ['domain']),
        )
      : [],
  };
  if (common.domains.length === 0 && kind.required?.includes('domains')) {
    throw badRequest('[domains must have at least one item]');
  }
  return common;
};

export const desireProducts = async (
  desk: Desk,
  before: readonly RefNode[],
  candidate: Candidate,
  domains: readonly InheritedNode[],
  mode: Mode,
): Promise<readonly RefNode[]> => {
  const given = candidate.dataProducts;
  const isKept = given === undefined && mode.by === 'put';
  const products = isKept ? before : await resolvePointers(desk, given ?? [], ['dataProduct']);
  if (products.length === 0) return [];
  // A write that takes a domain away takes its data products along; one that adds a product needs one of its domains.
  const homes = await Promise.all(products.map((product) => shareDomain(desk, product, domains)));
  const strangers = products.filter((product, at) => !homes[at] && !before.some(({ id }) => id === product.id));
  refuseHomelessProducts(strangers, domains);
  return products.filter((_, at) => homes[at]);
};

/** A label that was only handed down and is sent back as it was read does not become the record's own. */
const isHandedBack = (wish: LabelWish, before: readonly LabelNode[], handed: readonly LabelNode[]): boolean => {
  const isAmong = (labels: readonly LabelNode[]) => labels.some((label) => labelKey(label) === labelKey(wish));
  return wish.labelType === HANDED && isAmong(handed) && !isAmong(before);
};

export const desireLabels = (
  desk: Desk,
  kind: Kind,
  before: readonly LabelNode[],
  handed: readonly LabelNode[],
  candidate: Candidate,
  actor: Actor,
  mode: Mode,
) => {
  if (!(kind.gated as readonly string[]).includes('tags')) return Promise.resolve<LabelNode[]>([]);
  const labelling = { by: actor.principal.name, at: actor.now };
  const given = (candidate.tags ?? []).filter((wish) => !isHandedBack(wish, before, handed));
  if (mode.by !== 'put') return resolveLabels(desk, given, before, labelling);
  const view = plainView(desk, NO_FIELDS);
  const kept = labelWishes(renderLabels(before, view));
  const mentioned = new Set(given.map(labelKey));
  const rest = kept.filter((wish) => !mentioned.has(labelKey(wish)));
  return resolveLabels(desk, [...rest, ...given], before, labelling);
};

type RelationMember = readonly [name: string, attribute: RelationAttribute];

const refuseUnfit = ([name, { where = {} }]: RelationMember, added: readonly TargetNode[]): void => {
  for (const [property, wanted] of Object.entries(where)) {
    const unfit = added.find((node) => (node[property as keyof TargetNode] ?? false) !== wanted);
    if (unfit) throw badRequest(`[${name} must be a ${unfit.entityType} whose ${property} is ${wanted}]`);
  }
};

/** Only the request that takes the last one away is refused: what is missing already is nobody's present fault. */
const refuseBereft = ([name, attribute]: RelationMember, before: readonly RefNode[], isNew: boolean): void => {
  if (!attribute.required || (before.length === 0 && !isNew)) return;
  throw badRequest(`[${name} must ${attribute.many ? 'have at least one item' : 'not be null'}]`);
};

const desireRelation = async (
  desk: Desk,
  fqn: string,
  member: RelationMember,
  before: readonly RefNode[],
  given: readonly Pointer[] | undefined,
  mode: Mode,
): Promise<readonly RefNode[]> => {
  const [, attribute] = member;
  const isKept = attribute.onAbsent === 'keep' || attribute.request === undefined || attribute.required;
  if (given === undefined && mode.by === 'put' && isKept) return before;
  // What is shown although it is hidden may be sent back.
  const shown = attribute.evenHidden ? before.filter(({ id }) => given?.some((pointer) => pointer.id === id)) : [];
  const asked = (given ?? []).filter((pointer) => !shown.some(({ id }) => id === pointer.id));
  const found = await resolveRelation(desk, attribute, asked);
  const fresh: readonly RefNode[] = [...shown, ...found];
  refuseUnfit(
    member,
    found.filter(({ id }) => !before.some((node) => node.id === id)),
  );
  // One reference replaces the other, seen or not; of a list, what is not seen stays.
  const kept =
    !attribute.many && fresh.length > 0 ? [] : unseen(before).filter((node) => !fresh.some(({ id }) => id === node.id));
  if (fresh.length + kept.length > 0) return [...fresh, ...kept];
  refuseBereft(member, before, mode.by === 'create');
  // The record that stands in for the others has none to stand in for it.
  if (attribute.fallback === undefined || attribute.fallback === fqn) return [];
  const fallback = desk.registry.byType.get(attribute.kinds[0] ?? '');
  const node = fallback ? await desk.store.reference(fallback, attribute.fallback) : undefined;
  return node ? [node] : [];
};

export const desireRelations = async (
  desk: Desk,
  kind: Kind,
  fqn: string,
  before: Snapshot['related'],
  candidate: Candidate,
  mode: Mode,
): Promise<Record<string, readonly RefNode[]>> => {
  const related: Record<string, readonly RefNode[]> = {};
  for (const [name, attribute] of Object.entries(kind.attributes)) {
    if (attribute.store !== 'relation') continue;
    const stored = before[name] ?? [];
    if (attribute.decidedThere) await resolveRelation(desk, attribute, candidate.relations[name] ?? []);
    related[name] = isWritableRelation(attribute)
      ? await desireRelation(desk, fqn, [name, attribute], stored, candidate.relations[name], mode)
      : stored;
  }
  return related;
};

/** What a request hands on to the records it points at, as far as it is not there already. */
export const desireConferrals = (
  kind: Kind,
  related: Snapshot['related'],
  candidate: Candidate,
  actor: Actor,
): Conferral[] =>
  Object.entries(candidate.conferred).flatMap(([member, value]) => {
    const attribute = kind.attributes[member];
    const target = attribute?.store === 'conferred' ? related[attribute.to]?.[0] : undefined;
    if (attribute?.store !== 'conferred' || !target) return [];
    const present = (target as unknown as Readonly<Record<string, Json | null>>)[member] ?? false;
    if (equalJson(present, value)) return [];
    if (attribute.adminOnly) refuseLayman(actor, member);
    return [{ to: target, member, value }];
  });

export type Inheritance = Pick<Snapshot, 'owners' | 'domains'>;
