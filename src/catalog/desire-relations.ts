import { type Attribute, isWritableRelation } from '../model/attribute.ts';
import type { Kind } from '../model/kind.ts';
import { type Candidate, labelWishes, type Pointer } from './candidate.ts';
import { type Actor, type Desk, type Mode, plainView } from './desk.ts';
import { NO_FIELDS } from './fields.ts';
import type { InheritedNode, LabelNode, RefNode, TargetNode } from './queries.ts';
import { renderLabels } from './render.ts';
import {
  labelKey,
  refuseHomelessProducts,
  resolveLabels,
  resolveOwners,
  resolvePointers,
  resolveRelation,
} from './resolve.ts';
import { ownNodes, type Snapshot } from './snapshot.ts';

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
  return {
    owners: has('owners')
      ? await desireInherited(before.owners, candidate.owners, mode, (pointers) => resolveOwners(desk, pointers))
      : [],
    domains: has('domains')
      ? await desireInherited(before.domains, keepsDomains ? undefined : candidate.domains, mode, (pointers) =>
          resolvePointers(desk, pointers, ['domain']),
        )
      : [],
  };
};

export const desireProducts = async (
  desk: Desk,
  before: readonly RefNode[],
  candidate: Candidate,
  domains: readonly InheritedNode[],
  mode: Mode,
): Promise<readonly RefNode[]> => {
  const given = candidate.dataProducts;
  if (given === undefined && mode.by === 'put') return domains.length > 0 ? before : [];
  const products = await resolvePointers(desk, given ?? [], ['dataProduct']);
  // A patch that takes the last domain away takes the data products along; one that adds products needs a domain.
  const added = products.filter((product) => !before.some(({ id }) => id === product.id));
  refuseHomelessProducts(added, domains);
  return domains.length > 0 ? products : [];
};

export const desireLabels = (
  desk: Desk,
  kind: Kind,
  before: readonly LabelNode[],
  candidate: Candidate,
  actor: Actor,
  mode: Mode,
) => {
  if (!(kind.gated as readonly string[]).includes('tags')) return Promise.resolve<LabelNode[]>([]);
  const labelling = { by: actor.principal.name, at: actor.now };
  const given = candidate.tags ?? [];
  if (mode.by !== 'put') return resolveLabels(desk, given, before, labelling);
  const view = plainView(desk, NO_FIELDS);
  const kept = labelWishes(renderLabels(before, view));
  const mentioned = new Set(given.map(labelKey));
  const rest = kept.filter((wish) => !mentioned.has(labelKey(wish)));
  return resolveLabels(desk, [...rest, ...given], before, labelling);
};

const desireRelation = async (
  desk: Desk,
  attribute: Attribute & { store: 'relation' },
  before: readonly RefNode[],
  given: readonly Pointer[] | undefined,
  mode: Mode,
): Promise<readonly RefNode[]> => {
  if (given === undefined && mode.by === 'put') return before;
  const fresh: readonly RefNode[] = await resolveRelation(desk, attribute, given ?? []);
  const kept = unseen(before).filter((node) => !fresh.some(({ id }) => id === node.id));
  if (fresh.length + kept.length > 0 || attribute.fallback === undefined) return [...fresh, ...kept];
  const fallback = desk.registry.byType.get(attribute.kinds[0] ?? '');
  const node = fallback ? await desk.store.reference(fallback, attribute.fallback) : undefined;
  return node ? [node] : [];
};

export const desireRelations = async (
  desk: Desk,
  kind: Kind,
  before: Snapshot['related'],
  candidate: Candidate,
  mode: Mode,
): Promise<Record<string, readonly RefNode[]>> => {
  const related: Record<string, readonly RefNode[]> = {};
  for (const [name, attribute] of Object.entries(kind.attributes)) {
    if (attribute.store !== 'relation') continue;
    const stored = before[name] ?? [];
    related[name] = isWritableRelation(attribute)
      ? await desireRelation(desk, attribute, stored, candidate.relations[name], mode)
      : stored;
  }
  return related;
};

export type Inheritance = Pick<Snapshot, 'owners' | 'domains'>;
