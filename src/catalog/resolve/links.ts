/** Looks up the references and labels inside nested values and converts them to their stored form. */
import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import {
  type ColumnTreeSchema,
  childTree,
  type LinkVisitor,
  mapLinks,
  mapTreeItemLinks,
} from '../../model/kind/links.ts';
import type { LabelNode, TargetNode } from '../queries.ts';
import { linkedMembers, linkedTrees, type MentionedRecords, readStoredLabel, toStoredLabel } from '../read/mentions.ts';
import { type Candidate, type LabelRequest, parseLabels } from './candidate.ts';
import { parseRecordPointer } from './record-pointers.ts';
import { labelRequestKey, resolveLabels, resolvePointer } from './references.ts';
import type { WriteActor, WriteContext } from './write-context.ts';

/** Values with references in stored form, and all records that they mention now or mentioned before. */
export type ResolvedLinks = GivenLinks & { readonly mentioned: MentionedRecords };

type LinkValues = Readonly<Record<string, Json>>;

type LinkContext = {
  readonly context: WriteContext;
  readonly actor: WriteActor;
  readonly mentioned: Map<string, TargetNode>;
  /** Labels in the stored value of the member. */
  readonly labels: readonly LabelNode[];
  readonly references: Map<JsonObject, TargetNode>;
  /** Lists of labels, by the first label of each. */
  readonly labelsByFirst: Map<JsonObject, readonly LabelNode[]>;
  readonly pending: Promise<void>[];
};

/** Looks up a reference; a record that the stored value mentions may stay even if it was deleted meanwhile. */
const resolveReference = async (site: LinkContext, ref: JsonObject): Promise<void> => {
  const pointer = parseRecordPointer(ref);
  const kept = pointer.id === undefined ? undefined : site.mentioned.get(pointer.id);
  const isKept = kept !== undefined && (pointer.type ?? kept.entityType) === kept.entityType;
  const node = isKept ? kept : await resolvePointer(site.context, pointer, []);
  site.references.set(ref, node);
  site.mentioned.set(node.id, node);
};

const isSameLabel = (label: LabelNode, request: LabelRequest): boolean =>
  labelRequestKey(label) === labelRequestKey({ tagFQN: request.tagFQN, source: request.source ?? label.source }) &&
  (request.appliedAt === undefined || request.appliedAt === label.appliedAt) &&
  request.reason === label.reason;

const resolveNestedLabels = async (
  site: LinkContext,
  labels: readonly JsonObject[],
  first: JsonObject,
): Promise<void> => {
  const requests = parseLabels(labels);
  const before = site.labels.filter((label) => requests.some((request) => isSameLabel(label, request)));
  const labelling = { by: site.actor.principal.name, at: site.actor.now };
  const found = await resolveLabels(site.context, requests, before, labelling);
  site.labelsByFirst.set(first, found);
  for (const label of found) site.mentioned.set(label.tagId, toTagNode(label));
};

const toTagNode = (label: LabelNode): TargetNode => ({
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

const createLinkFinder = (site: LinkContext): LinkVisitor => ({
  reference: (ref) => {
    site.pending.push(resolveReference(site, ref));
    return ref;
  },
  labels: (labels) => {
    const [first] = labels;
    if (first) site.pending.push(resolveNestedLabels(site, labels, first));
    return labels;
  },
});

const createLinkReplacer = (site: LinkContext): LinkVisitor => ({
  reference: (ref) => {
    const node = site.references.get(ref);
    return node && { id: node.id, type: node.entityType };
  },
  labels: ([first]) => ((first && site.labelsByFirst.get(first)) ?? []).map(toStoredLabel),
});

const collectLabels = (
  schema: Parameters<typeof mapLinks>[0],
  value: Json | undefined,
  mentioned: MentionedRecords,
) => {
  const found: LabelNode[] = [];
  const collect: LinkVisitor = {
    reference: (ref) => ref,
    labels: (labels) => {
      found.push(...labels.flatMap((label) => readStoredLabel(label, mentioned) ?? []));
      return labels;
    },
  };
  if (value !== undefined) mapLinks(schema, value, collect);
  return found;
};

type StoredLinks = { readonly values: LinkValues; readonly mentioned: MentionedRecords };

/** The values and item trees of a request. */
type GivenLinks = { readonly values: LinkValues; readonly columns: Candidate['columns'] };

const NO_ITEMS: readonly JsonObject[] = [];

const mapItems = (
  tree: ColumnTreeSchema,
  items: readonly JsonObject[],
  visitor: LinkVisitor,
): readonly JsonObject[] => {
  const below = childTree(tree);
  return items.map((item) => {
    const mapped = mapTreeItemLinks(tree, item, visitor);
    const children = item['children'] as readonly JsonObject[] | undefined;
    return below && children ? { ...mapped, children: mapItems(below, children, visitor) } : mapped;
  });
};

type CreateLinkContext = (labels: readonly LabelNode[]) => LinkContext;

/** Looks up everything that a value mentions at any depth, and returns the value in stored form. */
const resolveInValue = async <T>(site: LinkContext, map: (visitor: LinkVisitor) => T): Promise<T> => {
  map(createLinkFinder(site));
  await Promise.all(site.pending);
  return map(createLinkReplacer(site));
};

const resolveValueLinks = async (
  kind: Kind,
  given: LinkValues,
  before: StoredLinks,
  open: CreateLinkContext,
): Promise<LinkValues> => {
  const members = linkedMembers(kind).filter(([name]) => given[name] !== undefined);
  if (members.length === 0) return given;
  const settled = await Promise.all(
    members.map(async ([name, { schema }]) => {
      const site = open(collectLabels(schema, before.values[name], before.mentioned));
      return [
        name,
        (await resolveInValue(site, (visitor) => mapLinks(schema, given[name] as Json, visitor))) ?? {},
      ] as const;
    }),
  );
  return { ...given, ...Object.fromEntries(settled) };
};

const resolveTreeLinks = async (
  kind: Kind,
  given: GivenLinks['columns'],
  open: CreateLinkContext,
): Promise<GivenLinks['columns']> => {
  const trees = linkedTrees(kind).filter(([name]) => (given[name] ?? NO_ITEMS).length > 0);
  if (trees.length === 0) return given;
  const settled = await Promise.all(
    trees.map(async ([name, tree]) => {
      const items = given[name] ?? NO_ITEMS;
      return [name, await resolveInValue(open([]), (visitor) => mapItems(tree, items, visitor))] as const;
    }),
  );
  return { ...given, ...Object.fromEntries(settled) };
};

/** Looks up everything that the given nested values mention. Throws not_found for a missing record. */
export const resolveLinks = async (
  context: WriteContext,
  kind: Kind,
  given: GivenLinks,
  before: StoredLinks,
  actor: WriteActor,
): Promise<ResolvedLinks> => {
  const mentioned = new Map(before.mentioned);
  const open: CreateLinkContext = (labels) => ({
    context,
    actor,
    mentioned,
    labels,
    references: new Map(),
    labelsByFirst: new Map(),
    pending: [],
  });
  const [values, columns] = await Promise.all([
    resolveValueLinks(kind, given.values, before, open),
    resolveTreeLinks(kind, given.columns, open),
  ]);
  return { values, columns, mentioned };
};

/** Converts one value to stored form after looking up everything it mentions. */
export const resolveLinkedValue = async (
  context: WriteContext,
  schema: GenericSchema,
  value: Json,
  actor: WriteActor,
): Promise<Json> => {
  const site: LinkContext = {
    context,
    actor,
    mentioned: new Map(),
    labels: [],
    references: new Map(),
    labelsByFirst: new Map(),
    pending: [],
  };
  return (await resolveInValue(site, (visitor) => mapLinks(schema, value, visitor))) ?? {};
};
