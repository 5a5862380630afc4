import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { type LinkVisitor, mapItem, mapLinks, type Tree, treeBelow } from '../../model/links.ts';
import type { LabelNode, TargetNode } from '../queries.ts';
import { keptLabel, labelOf, linkedMembers, linkedTrees, type Mentioned } from '../read/mentions.ts';
import { type Candidate, type LabelWish, labelWishes, pointerOf } from './candidate.ts';
import type { Actor, Desk } from './desk.ts';
import { labelKey, resolveLabels, resolvePointer } from './resolve.ts';

/** Values with their references as they are kept, and all records that are mentioned in them or were before. */
export type Settled = Given & { readonly mentioned: Mentioned };

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

/** What a request gives of a record: its values, and its trees of items. */
type Given = { readonly values: Values; readonly columns: Candidate['columns'] };

const NO_ITEMS: readonly JsonObject[] = [];

const mapItems = (tree: Tree, items: readonly JsonObject[], visitor: LinkVisitor): readonly JsonObject[] => {
  const below = treeBelow(tree);
  return items.map((item) => {
    const mapped = mapItem(tree, item, visitor);
    const children = item['children'] as readonly JsonObject[] | undefined;
    return below && children ? { ...mapped, children: mapItems(below, children, visitor) } : mapped;
  });
};

type Opening = (labels: readonly LabelNode[]) => Site;

/** Looks up what a value mentions, wherever in it that is, and answers the value as it is kept. */
const settle = async <T>(site: Site, map: (visitor: LinkVisitor) => T): Promise<T> => {
  map(finder(site));
  await Promise.all(site.pending);
  return map(keeper(site));
};

const settleValues = async (kind: Kind, given: Values, before: Before, open: Opening): Promise<Values> => {
  const members = linkedMembers(kind).filter(([name]) => given[name] !== undefined);
  if (members.length === 0) return given;
  const settled = await Promise.all(
    members.map(async ([name, { schema }]) => {
      const site = open(labelsIn(schema, before.values[name], before.mentioned));
      return [name, (await settle(site, (visitor) => mapLinks(schema, given[name] as Json, visitor))) ?? {}] as const;
    }),
  );
  return { ...given, ...Object.fromEntries(settled) };
};

const settleTrees = async (kind: Kind, given: Given['columns'], open: Opening): Promise<Given['columns']> => {
  const trees = linkedTrees(kind).filter(([name]) => (given[name] ?? NO_ITEMS).length > 0);
  if (trees.length === 0) return given;
  const settled = await Promise.all(
    trees.map(async ([name, tree]) => {
      const items = given[name] ?? NO_ITEMS;
      return [name, await settle(open([]), (visitor) => mapItems(tree, items, visitor))] as const;
    }),
  );
  return { ...given, ...Object.fromEntries(settled) };
};

/** Looks up everything that the given nested values mention. What is not there is not_found. */
export const settleLinks = async (
  desk: Desk,
  kind: Kind,
  given: Given,
  before: Before,
  actor: Actor,
): Promise<Settled> => {
  const mentioned = new Map(before.mentioned);
  const open: Opening = (labels) => ({
    desk,
    actor,
    mentioned,
    labels,
    references: new Map(),
    labelled: new Map(),
    pending: [],
  });
  const [values, columns] = await Promise.all([
    settleValues(kind, given.values, before, open),
    settleTrees(kind, given.columns, open),
  ]);
  return { values, columns, mentioned };
};

/** One value by itself as it is kept, with everything it mentions looked up. */
export const settleValue = async (desk: Desk, schema: GenericSchema, value: Json, actor: Actor): Promise<Json> => {
  const site: Site = {
    desk,
    actor,
    mentioned: new Map(),
    labels: [],
    references: new Map(),
    labelled: new Map(),
    pending: [],
  };
  return (await settle(site, (visitor) => mapLinks(schema, value, visitor))) ?? {};
};
