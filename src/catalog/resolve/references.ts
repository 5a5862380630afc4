import { badRequest, type CatalogError, recordNotFound } from '../../errors.ts';
import type { RelationAttribute } from '../../model/kind/attribute.ts';
import { resolveFqnText } from '../../model/kind/kind.ts';
import type { NamedRecord } from '../../model/language/condition.ts';
import { fqnPrefixes, parentFqn } from '../../model/name.ts';
import type { LabelNode, RefNode, TargetNode } from '../queries.ts';
import type { NameReference } from '../read/snapshot.ts';
import type { Store } from '../read/store.ts';
import type { Registry } from '../registry.ts';
import type { LabelRequest } from './candidate.ts';
import type { RecordPointer } from './record-pointers.ts';

/** The dependencies for looking up the records that a request names. */
export type ReferenceResolver = { readonly registry: Registry; readonly store: Store };

const pointerNotFoundError = (pointer: RecordPointer, type: string): CatalogError =>
  recordNotFound(type, pointer.id ?? pointer.fqn ?? 'nothing');

const findById = async (
  resolver: ReferenceResolver,
  id: string,
  allowed: readonly string[],
): Promise<TargetNode | undefined> => {
  const node = await resolver.store.referenceById(id);
  return node && (allowed.length === 0 || allowed.includes(node.entityType)) ? node : undefined;
};

const findByName = (resolver: ReferenceResolver, type: string, fqn: string): Promise<TargetNode | undefined> => {
  const kind = resolver.registry.byType.get(type);
  if (!kind) return Promise.resolve(undefined);
  return resolver.store.reference(kind, resolveFqnText(kind, fqn));
};

/**
 * Finds the record that a pointer means among the allowed kinds (any kind, when the list is empty). Throws not_found
 * for a record that is missing, deleted, or of another kind.
 */
export const resolvePointer = async (
  resolver: ReferenceResolver,
  pointer: RecordPointer,
  allowed: readonly string[],
): Promise<TargetNode> => {
  const type = pointer.type ?? allowed[0] ?? 'entity';
  const types = pointer.type && (allowed.length === 0 || allowed.includes(pointer.type)) ? [pointer.type] : allowed;
  if (pointer.type && allowed.length > 0 && !allowed.includes(pointer.type)) throw pointerNotFoundError(pointer, type);
  const node =
    pointer.id === undefined
      ? await findByName(resolver, type, pointer.fqn ?? '')
      : await findById(resolver, pointer.id, types);
  if (!node || node.deleted) throw pointerNotFoundError(pointer, type);
  return node;
};

const distinctNodes = (nodes: readonly TargetNode[]): TargetNode[] => [
  ...new Map(nodes.map((node) => [node.id, node])).values(),
];

export const resolvePointers = async (
  resolver: ReferenceResolver,
  pointers: readonly RecordPointer[],
  allowed: readonly string[],
): Promise<TargetNode[]> =>
  distinctNodes(await Promise.all(pointers.map((pointer) => resolvePointer(resolver, pointer, allowed))));

export const resolveRelation = (
  resolver: ReferenceResolver,
  attribute: RelationAttribute,
  pointers: readonly RecordPointer[],
): Promise<TargetNode[]> => resolvePointers(resolver, pointers, attribute.kinds);

export const OWNER_TYPES: readonly string[] = ['user', 'team'];

/** Owners are people, or exactly one team that is a Group (conventions 8). */
export const resolveOwners = async (
  resolver: ReferenceResolver,
  pointers: readonly RecordPointer[],
): Promise<TargetNode[]> => {
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

/** The identity of a label: the same tag from the same source is the same label. */
export const labelRequestKey = (label: { readonly tagFQN: string; readonly source?: string }): string =>
  `${label.source ?? 'Classification'} ${label.tagFQN}`;

/** A label without a source is looked up as a tag, then as a glossary term. */
export const findTag = async (
  resolver: ReferenceResolver,
  request: LabelRequest,
): Promise<{ node: TargetNode; source: string }> => {
  const sources = request.source === undefined ? ['Classification', 'Glossary'] : [request.source];
  for (const source of sources) {
    const node = await findByName(resolver, SOURCES[source] ?? 'tag', request.tagFQN);
    if (node && !node.deleted) return { node, source };
  }
  throw recordNotFound(SOURCES[sources[0] ?? 'Classification'] ?? 'tag', request.tagFQN);
};

/** Finds a possible parent of a label by name: a classification or tag, a glossary or term. */
const findLabelParentNamed = (
  resolver: ReferenceResolver,
  source: string,
  fqn: string,
): Promise<TargetNode | undefined> => {
  const types = source === 'Glossary' ? ['glossary', 'glossaryTerm'] : ['classification', 'tag'];
  return findByName(resolver, (parentFqn(fqn) === undefined ? types[0] : types[1]) ?? 'tag', fqn);
};

/** Finds the parent of a label: the tag or classification (term or glossary) that its name extends. */
const findLabelParent = async (
  resolver: ReferenceResolver,
  source: string,
  fqn: string,
): Promise<TargetNode | undefined> => {
  const parent = parentFqn(fqn);
  return parent === undefined ? undefined : findLabelParentNamed(resolver, source, parent);
};

/** Refuses a tag that is disabled itself or through any ancestor. */
const refuseDisabled = async (resolver: ReferenceResolver, node: TargetNode, source: string): Promise<void> => {
  for (let at: TargetNode | undefined = node; at; at = await findLabelParent(resolver, source, at.fullyQualifiedName)) {
    if (at.disabled) throw badRequest(`Tag ${node.fullyQualifiedName} is disabled`);
  }
};

/** Who adds labels and when: new labels record it, existing ones keep theirs. */
export type LabelAuthor = { readonly by: string; readonly at: number };

const createLabel = async (
  resolver: ReferenceResolver,
  request: LabelRequest,
  labelling: LabelAuthor,
): Promise<LabelNode> => {
  const { node, source } = await findTag(resolver, request);
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
    labelType: request.labelType ?? 'Manual',
    state: request.state ?? 'Confirmed',
    appliedAt: new Date(labelling.at).toISOString(),
    appliedBy: labelling.by,
    ...(request.reason === undefined ? {} : { reason: request.reason }),
    ...(request.metadata === undefined ? {} : { metadataJson: JSON.stringify(request.metadata) }),
  };
};

const updateLabel = (known: LabelNode, request: LabelRequest): LabelNode => ({
  ...known,
  labelType: request.labelType ?? known.labelType,
  state: request.state ?? known.state,
  ...(request.reason === undefined ? {} : { reason: request.reason }),
  ...(request.metadata === undefined ? {} : { metadataJson: JSON.stringify(request.metadata) }),
});

/** The ancestors of a tag, each with its child on the way to the tag. */
export const labelBranches = (tagFQN: string): readonly { readonly holder: string; readonly child: string }[] => {
  const scopes = fqnPrefixes(tagFQN);
  return scopes.map((holder, at) => ({ holder, child: scopes[at + 1] ?? tagFQN }));
};

/** For each ancestor, finds the first two labels below different children. */
const findRivals = (labels: readonly LabelNode[]) => {
  const first = new Map<string, { readonly child: string; readonly label: LabelNode }>();
  const contests = new Map<string, { readonly holder: string; readonly rivals: readonly [LabelNode, LabelNode] }>();
  for (const label of labels) {
    for (const { holder, child } of labelBranches(label.tagFQN)) {
      const key = `${label.source} ${holder}`;
      const known = first.get(key);
      if (!known) first.set(key, { child, label });
      else if (known.child !== child && !contests.has(key)) contests.set(key, { holder, rivals: [known.label, label] });
    }
  }
  return [...contests.values()];
};

/**
 * Refuses labels below different children of one mutually exclusive parent, at any depth. A label and its own
 * descendant do not contradict each other, because they are below the same child.
 */
const refuseMutuallyExclusive = async (resolver: ReferenceResolver, labels: readonly LabelNode[]): Promise<void> => {
  for (const { holder, rivals } of findRivals(labels)) {
    const [one, other] = rivals;
    const node = await findLabelParentNamed(resolver, one.source, holder);
    if (!node?.mutuallyExclusive) continue;
    throw badRequest(
      `Tag labels ${one.tagFQN} and ${other.tagFQN} are mutually exclusive and can't be assigned together`,
    );
  }
};

/** Converts label requests into labels: existing labels keep what the request leaves out, the others are looked up. */
export const resolveLabels = async (
  resolver: ReferenceResolver,
  requests: readonly LabelRequest[],
  known: readonly LabelNode[],
  labelling: LabelAuthor,
): Promise<LabelNode[]> => {
  if (requests.length === 0) return [];
  const byKey = new Map(known.map((label) => [labelRequestKey(label), label]));
  const labels = await Promise.all(
    requests.map((request) => {
      const found =
        byKey.get(labelRequestKey(request)) ??
        (request.source === undefined ? byKey.get(`Glossary ${request.tagFQN}`) : undefined);
      return found ? Promise.resolve(updateLabel(found, request)) : createLabel(resolver, request, labelling);
    }),
  );
  const unique = [...new Map(labels.map((label) => [labelRequestKey(label), label])).values()];
  await refuseMutuallyExclusive(resolver, unique);
  return unique;
};

/** The key of a name in a text: the name, and the kinds it may belong to. */
export const nameReferenceSlot = ({ kinds, fqn }: NamedRecord): string => `${kinds.join(' ')} ${fqn}`;

const resolveNameReference = async (resolver: ReferenceResolver, named: NamedRecord): Promise<NameReference> => {
  for (const type of named.kinds) {
    const node = await findByName(resolver, type, named.fqn);
    if (node && !node.deleted) return { node, slot: nameReferenceSlot(named) };
  }
  throw recordNotFound(named.kinds[0] ?? 'entity', named.fqn);
};

/** Finds the records that texts newly name. Throws not_found for a missing one. */
export const resolveNewNameReferences = (
  resolver: ReferenceResolver,
  named: readonly NamedRecord[],
  before: readonly NamedRecord[],
): Promise<NameReference[]> => {
  const known = new Set(before.map(nameReferenceSlot));
  const fresh = new Map(
    named.flatMap((one) => (known.has(nameReferenceSlot(one)) ? [] : [[nameReferenceSlot(one), one] as const])),
  );
  return Promise.all([...fresh.values()].map((one) => resolveNameReference(resolver, one)));
};

const DOMAINS: ReadonlySet<string> = new Set(['domains']);

/** Whether a record belongs, itself or through an ancestor, to one of these domains. */
export const isInSharedDomain = async (
  resolver: ReferenceResolver,
  node: Pick<RefNode, 'id' | 'entityType'>,
  domains: readonly Pick<RefNode, 'id'>[],
): Promise<boolean> => {
  const kind = resolver.registry.byType.get(node.entityType);
  if (!kind || domains.length === 0) return false;
  const record = await resolver.store.record(kind, { id: node.id }, DOMAINS);
  return (record?.domains ?? []).some(({ id }) => domains.some((domain) => domain.id === id));
};

/** Refuses records in a data product that belong to none of its domains. */
export const refuseForeignProducts = (
  outsiders: readonly Pick<RefNode, 'fullyQualifiedName'>[],
  domains: readonly unknown[],
): void => {
  const [outsider] = outsiders;
  if (!outsider) return;
  if (domains.length === 0) throw badRequest('Domain cannot be empty when data products are provided.');
  throw badRequest(`Data product ${outsider.fullyQualifiedName} belongs to none of the domains of the asset`);
};
