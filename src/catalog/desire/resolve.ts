import { badRequest, type CatalogError, recordNotFound } from '../../errors.ts';
import type { RelationAttribute } from '../../model/attribute.ts';
import type { NamedRecord } from '../../model/condition.ts';
import { lookupFqn } from '../../model/kind.ts';
import { parentFqn, scopesOf } from '../../model/name.ts';
import type { LabelNode, RefNode, TargetNode } from '../queries.ts';
import type { Named } from '../read/snapshot.ts';
import type { Store } from '../read/store.ts';
import type { Registry } from '../registry.ts';
import type { LabelWish, Pointer } from './candidate.ts';

/** What is needed to find the records that a request names. */
export type Resolver = { readonly registry: Registry; readonly store: Store };

const notThere = (pointer: Pointer, type: string): CatalogError =>
  recordNotFound(type, pointer.id ?? pointer.fqn ?? 'nothing');

const findById = async (
  resolver: Resolver,
  id: string,
  allowed: readonly string[],
): Promise<TargetNode | undefined> => {
  const node = await resolver.store.referenceById(id);
  return node && (allowed.length === 0 || allowed.includes(node.entityType)) ? node : undefined;
};

const findByName = (resolver: Resolver, type: string, fqn: string): Promise<TargetNode | undefined> => {
  const kind = resolver.registry.byType.get(type);
  if (!kind) return Promise.resolve(undefined);
  return resolver.store.reference(kind, lookupFqn(kind, fqn));
};

/**
 * Finds the record a pointer means, among the kinds allowed (any, when the list is empty). What is not there, deleted,
 * or of another kind is not found.
 */
export const resolvePointer = async (
  resolver: Resolver,
  pointer: Pointer,
  allowed: readonly string[],
): Promise<TargetNode> => {
  const type = pointer.type ?? allowed[0] ?? 'entity';
  const types = pointer.type && (allowed.length === 0 || allowed.includes(pointer.type)) ? [pointer.type] : allowed;
  if (pointer.type && allowed.length > 0 && !allowed.includes(pointer.type)) throw notThere(pointer, type);
  const node =
    pointer.id === undefined
      ? await findByName(resolver, type, pointer.fqn ?? '')
      : await findById(resolver, pointer.id, types);
  if (!node || node.deleted) throw notThere(pointer, type);
  return node;
};

const distinct = (nodes: readonly TargetNode[]): TargetNode[] => [
  ...new Map(nodes.map((node) => [node.id, node])).values(),
];

export const resolvePointers = async (
  resolver: Resolver,
  pointers: readonly Pointer[],
  allowed: readonly string[],
): Promise<TargetNode[]> =>
  distinct(await Promise.all(pointers.map((pointer) => resolvePointer(resolver, pointer, allowed))));

export const resolveRelation = (
  resolver: Resolver,
  attribute: RelationAttribute,
  pointers: readonly Pointer[],
): Promise<TargetNode[]> => resolvePointers(resolver, pointers, attribute.kinds);

export const OWNER_TYPES: readonly string[] = ['user', 'team'];

/** Owners are people, or exactly one team that is a Group (conventions 8). */
export const resolveOwners = async (resolver: Resolver, pointers: readonly Pointer[]): Promise<TargetNode[]> => {
  for (const { type } of pointers) {
    if (type !== undefined && !OWNER_TYPES.includes(type))
      throw badRequest(`[owners must be users or one team, not ${type}]`);
  }
  const owners = await resolvePointers(resolver, pointers, OWNER_TYPES);
  const teams = owners.filter((owner) => owner.entityType === 'team');
  if (teams.length > 1) throw badRequest('Only one team can be an owner');
  if (teams.length === 1 && owners.length > 1) throw badRequest('Owners can be users or one team, not both');
  if (teams.some((team) => team.teamType !== 'Group')) {
    throw badRequest(
      `Team of type ${teams[0]?.teamType ?? 'unknown'} can't own entities. Only Team of type Group can own entities.`,
    );
  }
  return owners;
};

const SOURCES: Readonly<Record<string, string>> = { Classification: 'tag', Glossary: 'glossaryTerm' };

/** What a label is known by: the same tag from the same source is the same label. */
export const labelKey = (label: { readonly tagFQN: string; readonly source?: string }): string =>
  `${label.source ?? 'Classification'} ${label.tagFQN}`;

/** A label without a source is looked up as a tag, then as a glossary term. */
export const findTag = async (resolver: Resolver, wish: LabelWish): Promise<{ node: TargetNode; source: string }> => {
  const sources = wish.source === undefined ? ['Classification', 'Glossary'] : [wish.source];
  for (const source of sources) {
    const node = await findByName(resolver, SOURCES[source] ?? 'tag', wish.tagFQN);
    if (node && !node.deleted) return { node, source };
  }
  throw recordNotFound(SOURCES[sources[0] ?? 'Classification'] ?? 'tag', wish.tagFQN);
};

/** What labels hang below: a classification or a tag, a glossary or a term. */
const holderNamed = (resolver: Resolver, source: string, fqn: string): Promise<TargetNode | undefined> => {
  const types = source === 'Glossary' ? ['glossary', 'glossaryTerm'] : ['classification', 'tag'];
  return findByName(resolver, (parentFqn(fqn) === undefined ? types[0] : types[1]) ?? 'tag', fqn);
};

/** A tag's parent is the tag or classification (term or glossary) its name hangs below. */
const findHolder = async (resolver: Resolver, source: string, fqn: string): Promise<TargetNode | undefined> => {
  const parent = parentFqn(fqn);
  return parent === undefined ? undefined : holderNamed(resolver, source, parent);
};

/** A tag is as disabled as anything it hangs below, however far up. */
const refuseDisabled = async (resolver: Resolver, node: TargetNode, source: string): Promise<void> => {
  for (let at: TargetNode | undefined = node; at; at = await findHolder(resolver, source, at.fullyQualifiedName)) {
    if (at.disabled) throw badRequest(`Tag ${node.fullyQualifiedName} is disabled`);
  }
};

/** Who labels and when: new labels carry it, known ones keep theirs. */
export type Labelling = { readonly by: string; readonly at: number };

const newLabel = async (resolver: Resolver, wish: LabelWish, labelling: Labelling): Promise<LabelNode> => {
  const { node, source } = await findTag(resolver, wish);
  await refuseDisabled(resolver, node, source);
  return {
    tagId: node.id,
    tagFQN: node.fullyQualifiedName,
    entityType: node.entityType,
    name: node.name,
    displayName: node.displayName,
    description: node.description,
    styleJson: node.styleJson ?? null,
    source,
    labelType: wish.labelType ?? 'Manual',
    state: wish.state ?? 'Confirmed',
    appliedAt: new Date(labelling.at).toISOString(),
    appliedBy: labelling.by,
    ...(wish.reason === undefined ? {} : { reason: wish.reason }),
    ...(wish.metadata === undefined ? {} : { metadataJson: JSON.stringify(wish.metadata) }),
  };
};

const changedLabel = (known: LabelNode, wish: LabelWish): LabelNode => ({
  ...known,
  labelType: wish.labelType ?? known.labelType,
  state: wish.state ?? known.state,
  ...(wish.reason === undefined ? {} : { reason: wish.reason }),
  ...(wish.metadata === undefined ? {} : { metadataJson: JSON.stringify(wish.metadata) }),
});

/** Everything a label hangs below, and through which child of it. */
const branchesOf = (label: LabelNode): readonly { readonly holder: string; readonly child: string }[] => {
  const scopes = scopesOf(label.tagFQN);
  return scopes.map((holder, at) => ({ holder, child: scopes[at + 1] ?? label.tagFQN }));
};

/** The first two labels that hang below different children of one holder, once per holder. */
const contestsAmong = (labels: readonly LabelNode[]) => {
  const first = new Map<string, { readonly child: string; readonly label: LabelNode }>();
  const contests = new Map<string, { readonly holder: string; readonly rivals: readonly [LabelNode, LabelNode] }>();
  for (const label of labels) {
    for (const { holder, child } of branchesOf(label)) {
      const key = `${label.source} ${holder}`;
      const known = first.get(key);
      if (!known) first.set(key, { child, label });
      else if (known.child !== child && !contests.has(key)) contests.set(key, { holder, rivals: [known.label, label] });
    }
  }
  return [...contests.values()];
};

/**
 * Labels below different children of one mutually exclusive parent contradict each other, however far below. A label and
 * another below it do not: they lie on the same side of every choice.
 */
const refuseRivals = async (resolver: Resolver, labels: readonly LabelNode[]): Promise<void> => {
  for (const { holder, rivals } of contestsAmong(labels)) {
    const [one, other] = rivals;
    const node = await holderNamed(resolver, one.source, holder);
    if (!node?.mutuallyExclusive) continue;
    throw badRequest(
      `Tag labels ${one.tagFQN} and ${other.tagFQN} are mutually exclusive and can't be assigned together`,
    );
  }
};

/** Turns label wishes into labels: known ones keep what the request leaves out, the others are looked up. */
export const resolveLabels = async (
  resolver: Resolver,
  wishes: readonly LabelWish[],
  known: readonly LabelNode[],
  labelling: Labelling,
): Promise<LabelNode[]> => {
  if (wishes.length === 0) return [];
  const byKey = new Map(known.map((label) => [labelKey(label), label]));
  const labels = await Promise.all(
    wishes.map((wish) => {
      const found =
        byKey.get(labelKey(wish)) ?? (wish.source === undefined ? byKey.get(`Glossary ${wish.tagFQN}`) : undefined);
      return found ? Promise.resolve(changedLabel(found, wish)) : newLabel(resolver, wish, labelling);
    }),
  );
  const unique = [...new Map(labels.map((label) => [labelKey(label), label])).values()];
  await refuseRivals(resolver, unique);
  return unique;
};

/** What a record is asked for by in a text: its name, and the kinds it may be of. */
export const slotOf = ({ kinds, fqn }: NamedRecord): string => `${kinds.join(' ')} ${fqn}`;

const resolveNamed = async (resolver: Resolver, named: NamedRecord): Promise<Named> => {
  for (const type of named.kinds) {
    const node = await findByName(resolver, type, named.fqn);
    if (node && !node.deleted) return { node, slot: slotOf(named) };
  }
  throw recordNotFound(named.kinds[0] ?? 'entity', named.fqn);
};

/** Finds the records that texts name and did not name before; one that is not there is not_found. */
export const resolveNewlyNamed = (
  resolver: Resolver,
  named: readonly NamedRecord[],
  before: readonly NamedRecord[],
): Promise<Named[]> => {
  const known = new Set(before.map(slotOf));
  const fresh = new Map(named.flatMap((one) => (known.has(slotOf(one)) ? [] : [[slotOf(one), one] as const])));
  return Promise.all([...fresh.values()].map((one) => resolveNamed(resolver, one)));
};

const DOMAINS: ReadonlySet<string> = new Set(['domains']);

/** Whether a record belongs, of itself or through what it hangs below, to one of these domains. */
export const shareDomain = async (
  resolver: Resolver,
  node: Pick<RefNode, 'id' | 'entityType'>,
  domains: readonly Pick<RefNode, 'id'>[],
): Promise<boolean> => {
  const kind = resolver.registry.byType.get(node.entityType);
  if (!kind || domains.length === 0) return false;
  const record = await resolver.store.record(kind, { id: node.id }, DOMAINS);
  return (record?.domains ?? []).some(({ id }) => domains.some((domain) => domain.id === id));
};

/** A data product may only hold what belongs to one of its domains. */
export const refuseHomelessProducts = (
  strangers: readonly Pick<RefNode, 'fullyQualifiedName'>[],
  domains: readonly unknown[],
): void => {
  const [stranger] = strangers;
  if (!stranger) return;
  if (domains.length === 0) throw badRequest('Domain cannot be empty when data products are provided.');
  throw badRequest(`Data product ${stranger.fullyQualifiedName} belongs to none of the record's domains`);
};
