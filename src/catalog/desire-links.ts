import type { Json, JsonObject } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { type LinkVisitor, mapLinks } from '../model/links.ts';
import { type LabelWish, labelWishes, pointerOf } from './candidate.ts';
import type { Actor, Desk } from './desk.ts';
import { keptLabel, labelOf, linkedMembers, type Mentioned } from './mentions.ts';
import type { LabelNode, TargetNode } from './queries.ts';
import { labelKey, resolveLabels, resolvePointer } from './resolve.ts';

/** Values with their references as they are kept, and all records that are mentioned in them or were before. */
export type Settled = { readonly values: Readonly<Record<string, Json>>; readonly mentioned: Mentioned };

type Values = Readonly<Record<string, Json>>;

type Site = {
  readonly desk: Desk;
  readonly actor: Actor;
  readonly mentioned: Map<string, TargetNode>;
  /** Labels that the stored value of the member holds. */
  readonly labels: readonly LabelNode[];
  readonly references: Map<JsonObject, TargetNode>;
  /** Lists of labels by the first of them. */
  readonly labelled: Map<JsonObject, readonly LabelNode[]>;
  readonly pending: Promise<void>[];
};

/** A record that was mentioned already may stay, also when it was deleted meanwhile. */
const findReference = async (site: Site, ref: JsonObject): Promise<void> => {
  const pointer = pointerOf(ref);
  const kept = pointer.id === undefined ? undefined : site.mentioned.get(pointer.id);
  const isKept = kept !== undefined && (pointer.type ?? kept.entityType) === kept.entityType;
  const node = isKept ? kept : await resolvePointer(site.desk, pointer, []);
  site.references.set(ref, node);
  site.mentioned.set(node.id, node);
};

const isSame = (label: LabelNode, wish: LabelWish): boolean =>
  labelKey(label) === labelKey({ tagFQN: wish.tagFQN, source: wish.source ?? label.source }) &&
  (wish.appliedAt === undefined || wish.appliedAt === label.appliedAt) &&
  wish.reason === label.reason;

const findLabels = async (site: Site, labels: readonly JsonObject[], first: JsonObject): Promise<void> => {
  const wishes = labelWishes(labels);
  const before = site.labels.filter((label) => wishes.some((wish) => isSame(label, wish)));
  const labelling = { by: site.actor.principal.name, at: site.actor.now };
  const found = await resolveLabels(site.desk, wishes, before, labelling);
  site.labelled.set(first, found);
  for (const label of found) site.mentioned.set(label.tagId, tagNode(label));
};

const tagNode = (label: LabelNode): TargetNode => ({
  id: label.tagId,
  entityType: label.entityType,
  name: label.name,
  fullyQualifiedName: label.tagFQN,
  displayName: label.displayName,
  description: label.description,
  styleJson: label.styleJson,
  deleted: false,
  isBot: null,
  allowImpersonation: null,
  disabled: null,
  mutuallyExclusive: null,
  serviceType: null,
  category: null,
});

const finder = (site: Site): LinkVisitor => ({
  reference: (ref) => {
    site.pending.push(findReference(site, ref));
    return ref;
  },
  labels: (labels) => {
    const [first] = labels;
    if (first) site.pending.push(findLabels(site, labels, first));
    return labels;
  },
});

const keeper = (site: Site): LinkVisitor => ({
  reference: (ref) => {
    const node = site.references.get(ref);
    return node && { id: node.id, type: node.entityType };
  },
  labels: ([first]) => ((first && site.labelled.get(first)) ?? []).map(keptLabel),
});

const labelsIn = (schema: Parameters<typeof mapLinks>[0], value: Json | undefined, mentioned: Mentioned) => {
  const found: LabelNode[] = [];
  const collect: LinkVisitor = {
    reference: (ref) => ref,
    labels: (labels) => {
      found.push(...labels.flatMap((label) => labelOf(label, mentioned) ?? []));
      return labels;
    },
  };
  if (value !== undefined) mapLinks(schema, value, collect);
  return found;
};

type Before = { readonly values: Values; readonly mentioned: Mentioned };

/** Looks up everything that the given nested values mention. What is not there is not_found. */
export const settleLinks = async (
  desk: Desk,
  kind: Kind,
  given: Values,
  before: Before,
  actor: Actor,
): Promise<Settled> => {
  const members = linkedMembers(kind).filter(([name]) => given[name] !== undefined);
  if (members.length === 0) return { values: given, mentioned: before.mentioned };
  const mentioned = new Map(before.mentioned);
  const settled: Record<string, Json> = { ...given };
  await Promise.all(
    members.map(async ([name, { schema }]) => {
      const value = given[name] as Json;
      const site: Site = {
        desk,
        actor,
        mentioned,
        labels: labelsIn(schema, before.values[name], before.mentioned),
        references: new Map(),
        labelled: new Map(),
        pending: [],
      };
      mapLinks(schema, value, finder(site));
      await Promise.all(site.pending);
      settled[name] = mapLinks(schema, value, keeper(site)) ?? {};
    }),
  );
  return { values: settled, mentioned };
};
