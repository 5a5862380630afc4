import type { WriteRow } from '../graph/commit.ts';
import { type Placeholder, type Rows, statement, type Template, template } from '../graph/statement.ts';
import type { StatePlace } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import type { UsageDay } from '../model/usage.ts';

/** A record at the other end of an edge, as statements answer it. */
export type RefNode = {
  readonly id: string;
  readonly entityType: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly deleted: boolean | null;
  readonly teamType?: string | null;
};

/** What is needed of a record that a request names: to point at it, and to judge whether that is allowed. */
export type TargetNode = RefNode & {
  readonly isBot: boolean | null;
  readonly allowImpersonation: boolean | null;
  readonly disabled: boolean | null;
  readonly mutuallyExclusive: boolean | null;
  readonly serviceType: string | null;
  readonly styleJson: string | null;
  readonly category: string | null;
};

export type InheritedNode = RefNode & { readonly distance: number };
export type VoterNode = RefNode & { readonly vote: string };
export type AncestorNode = RefNode & { readonly serviceType: string | null };

/** A label as statements answer it: what the edge carries and what the tag says of itself. */
export type LabelNode = {
  readonly tagId: string;
  readonly tagFQN: string;
  readonly entityType: string;
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly styleJson: string | null;
  readonly columnKey?: string;
  readonly source: string;
  readonly labelType: string;
  readonly state: string;
  readonly reason?: string;
  readonly appliedAt?: string;
  readonly appliedBy?: string;
  readonly metadataJson?: string;
};

export type PropertyMap = { readonly [name: string]: unknown };

/** One record as `record/read` answers it. Relations that were not asked for are null. */
export type RecordRow = {
  readonly at: number;
  readonly node: PropertyMap;
  readonly ancestors: readonly AncestorNode[];
  readonly owners: readonly InheritedNode[] | null;
  readonly domains: readonly InheritedNode[] | null;
  readonly dataProducts: readonly RefNode[] | null;
  readonly followers: readonly RefNode[] | null;
  readonly voters: readonly VoterNode[] | null;
  readonly tags: readonly LabelNode[] | null;
  readonly columnTags: readonly LabelNode[] | null;
};

/** Which record, by id or by name, and which of its relations. */
export type RecordKey = {
  readonly id: string | null;
  readonly fqn: string | null;
  readonly owners: boolean;
  readonly domains: boolean;
  readonly dataProducts: boolean;
  readonly followers: boolean;
  readonly votes: boolean;
  readonly tags: boolean;
};

type Changed = { readonly at: number };

const written = { params: ['rows'], row: ['at'] } as const;

export const readRecords = statement<Rows<RecordKey & { readonly entityType: string }>, RecordRow>('record/read', {
  params: ['rows'],
  row: ['at', 'node', 'ancestors', 'owners', 'domains', 'dataProducts', 'followers', 'voters', 'tags', 'columnTags'],
});

export type PlainRow = Pick<RecordRow, 'at' | 'node' | 'ancestors'>;

const plain = { params: ['rows'], row: ['at', 'node', 'ancestors'] } as const;

/**
 * The reads of those who ask for no relation: most reads, and each relation costs even when it is not wanted. So does
 * looking for a name where an id is given.
 */
export const readPlainRecords = {
  id: template<Rows<{ key: string }>, PlainRow>('record/read_plain_by_id', 'LABEL', plain),
  fqn: template<Rows<{ key: string }>, PlainRow>('record/read_plain_by_name', 'LABEL', plain),
} as const;

export const readReferences = template<Rows<{ fqn: string }>, { at: number; node: TargetNode }>(
  'record/read_reference',
  'LABEL',
  { params: ['rows'], row: ['at', 'node'] },
);

export const readReferencesById = statement<Rows<{ id: string }>, { at: number; node: TargetNode }>(
  'record/read_reference_by_id',
  { params: ['rows'], row: ['at', 'node'] },
);

type EdgeKey = { readonly id: string; readonly kinds: readonly string[] | null };
type EdgeRow = { readonly at: number; readonly ref: RefNode };

export const readOutgoing = template<Rows<EdgeKey>, EdgeRow>('edge/read_outgoing', 'TYPE', {
  params: ['rows'],
  row: ['at', 'ref'],
});
export const readIncoming = template<Rows<EdgeKey>, EdgeRow>('edge/read_incoming', 'TYPE', {
  params: ['rows'],
  row: ['at', 'ref'],
});
export const walkCycles = template<Rows<{ from: string; to: string }>, Changed>('edge/walk_cycle', 'TYPE', written);

export type WalkedRow = { readonly id: string; readonly ref: RefNode };
export type CountedRow = { readonly id: string; readonly count: number };
export type MadeRow = { readonly id: string; readonly row: JsonObject };
export type FoundRow = { readonly id: string; readonly json: string };
export type PartRow = FoundRow & { readonly key: string | null };

export const createRecords = template<{ rows: readonly WriteRow[] }, Changed>('record/create', 'LABEL', written);
export const updateRecords = statement<{ rows: readonly WriteRow[] }, Changed>('record/update', written);
export const touchRecords = statement<{ rows: readonly WriteRow[] }, Changed>('record/touch', written);
export const placeRecords = template<{ rows: readonly WriteRow[] }, Changed>('record/place', 'TYPE', written);
export const createVersions = statement<{ rows: readonly WriteRow[] }, Changed>('record/create_version', written);
export const linkEdges = template<{ rows: readonly WriteRow[] }, Changed>('edge/link', 'TYPE', written);
/** Answers the rows whose target no other record holds by such an edge, or which has no target at all. */
export const claimTargets = template<{ rows: readonly WriteRow[] }, Changed>('edge/claim', 'TYPE', written);
export const mergeEdges = template<{ rows: readonly WriteRow[] }, Changed>('edge/merge', 'TYPE', written);
export const unlinkEdges = template<{ rows: readonly WriteRow[] }, Changed>('edge/unlink', 'TYPE', written);
export const createColumns = statement<{ rows: readonly WriteRow[] }, Changed>('column/create', written);
export const createNestedColumns = statement<{ rows: readonly WriteRow[] }, Changed>('column/create_nested', written);
export const linkNestedColumns = statement<{ rows: readonly WriteRow[] }, Changed>('column/link_nested', written);
export const updateColumns = statement<{ rows: readonly WriteRow[] }, Changed>('column/update', written);
export const deleteColumns = statement<{ rows: readonly WriteRow[] }, Changed>('column/delete', written);
export const linkColumnTags = statement<{ rows: readonly WriteRow[] }, Changed>('tag/link_column', written);
export const unlinkColumnTags = statement<{ rows: readonly WriteRow[] }, Changed>('tag/unlink_column', written);
export const createEvents = statement<{ rows: readonly WriteRow[] }, Changed>('event/create', written);

/** Where it is told how often what callers may do has changed. */
export const RIGHTS = 'rights';

/** Tells every process that what callers may do has changed. */
export const updateRevision = statement<{ rows: readonly WriteRow[] }, Changed>('access/update_revision', written);

export const createFarewells = statement<{ rows: readonly WriteRow[] }, Changed>('event/create_farewell', written);
export const createDocuments = statement<{ rows: readonly WriteRow[] }, Changed>('search/create_document', written);
export const putDocuments = statement<{ rows: readonly WriteRow[] }, Changed>('search/put_document', written);
export const markStale = statement<{ rows: readonly WriteRow[] }, Changed>('search/mark_stale', written);
export const markChanged = statement<{ rows: readonly WriteRow[] }, Changed>('record/mark_changed', written);
export const hideRecords = template<{ rows: readonly WriteRow[] }, Changed>('record/hide', 'LABEL', written);
export const restoreRecords = template<{ rows: readonly WriteRow[] }, Changed>('record/restore', 'LABEL', written);
export const deleteRecords = statement<{ rows: readonly WriteRow[] }, Changed>('record/delete', written);

/** A stretch of days of one record, both ends included. */
export type UsageSpan = { readonly id: string; readonly from: string; readonly to: string };

export const readUsageDays = statement<Rows<UsageSpan>, { at: number; day: UsageDay }>('usage/read_days', {
  params: ['rows'],
  row: ['at', 'day'],
});

export type DescendantRow = {
  readonly id: string;
  readonly entityType: string;
  readonly deleted: boolean;
  readonly deletedWith: string | null;
};

export const walkDescendants = statement<{ id: string; limit: number }, DescendantRow>('record/walk_descendants', {
  params: ['id', 'limit'],
  row: ['id', 'entityType', 'deleted', 'deletedWith'],
});

export const walkDepths = statement<CascadePart, CascadeRow & { readonly depth: number }>('record/walk_depths', {
  params: ['id', 'limit'],
  row: ['id', 'entityType', 'depth'],
});

export const doomRecords = template<{ rows: readonly WriteRow[] }, Changed>('record/doom', 'LABEL', written);

/** How much was told of the runs, results and measurements of a record, and of all that hangs below it. */
export const countParts = statement<{ id: string }, { parts: number }>('record/count_parts', {
  params: ['id'],
  row: ['parts'],
});
export const countOwnParts = statement<{ id: string }, { parts: number }>('record/count_own_parts', {
  params: ['id'],
  row: ['parts'],
});

export type CascadeRow = { readonly id: string; readonly entityType: string; readonly parts?: number };
type CascadePart = { readonly id: string; readonly limit: number };

const cascadePart = { params: ['id', 'limit'], row: ['id', 'entityType'] } as const;

/** A record that is named below another one, and the name which that one has. */
export type NamedRow = CascadeRow & {
  readonly fullyQualifiedName: string;
  readonly updatedAt: number;
  readonly rootName: string;
};
type NamedPart = CascadePart & { readonly kinds: readonly string[] };

const namedPart = {
  params: ['id', 'limit', 'kinds'],
  row: ['id', 'entityType', 'fullyQualifiedName', 'updatedAt', 'rootName'],
} as const;

export const listNamed = statement<NamedPart, NamedRow>('rename/list_named', namedPart);
export const listMisnamed = statement<NamedPart, NamedRow>('rename/list_misnamed', namedPart);
export const renameRecords = statement<{ rows: readonly WriteRow[] }, Changed>('rename/update', written);
export const findLongest = statement<{ id: string; kinds: readonly string[] }, { fullyQualifiedName: string }>(
  'rename/find_longest',
  { params: ['id', 'kinds'], row: ['fullyQualifiedName'] },
);

/** The records of one kind whose names, with the kind before them, begin with a prefix. */
type MentionedPart = CascadePart & { readonly entityType: string; readonly prefix: string };

export const listMentioned = template<MentionedPart, NamedRow>('rename/list_mentioned', 'LABEL', {
  params: ['id', 'limit', 'entityType', 'prefix'],
  row: namedPart.row,
});

/** A text of one record that names another one; `at` tells which. */
export type NamingRow = {
  readonly at: number;
  readonly ownerId: string;
  readonly ownerType: string;
  readonly slot: string;
};

export const listNamings = statement<Rows<{ target: string }> & { limit: number }, NamingRow>('naming/list', {
  params: ['rows', 'limit'],
  row: ['at', 'ownerId', 'ownerType', 'slot'],
});
export const createNamings = statement<{ rows: readonly WriteRow[] }, Changed>('naming/create', written);
export const deleteNamings = statement<{ rows: readonly WriteRow[] }, Changed>('naming/delete', written);
export const checkNamings = statement<{ rows: readonly WriteRow[] }, Changed>('naming/check', written);

export const listLiving = statement<CascadePart, CascadeRow>('cascade/list_living', cascadePart);
export const listFallen = statement<CascadePart, CascadeRow>('cascade/list_fallen', cascadePart);
export const listLeaves = statement<CascadePart, CascadeRow & { readonly parts: number }>('cascade/list_leaves', {
  params: cascadePart.params,
  row: [...cascadePart.row, 'parts'],
});
export const deleteParts = statement<{ rows: readonly WriteRow[] }, Changed>('cascade/delete_parts', written);

export const confirmHidden = statement<{ rows: readonly WriteRow[] }, Changed>('cascade/confirm_hidden', written);
export const confirmRestored = statement<{ rows: readonly WriteRow[] }, Changed>('cascade/confirm_restored', written);
export const confirmNamed = statement<{ rows: readonly WriteRow[] }, Changed>('rename/confirm_named', written);

export const createIntents = statement<{ rows: readonly WriteRow[] }, Changed>('cascade/create_intent', written);
export const touchIntents = statement<{ rows: readonly WriteRow[] }, Changed>('cascade/touch_intent', written);
export const deleteIntents = statement<{ rows: readonly WriteRow[] }, Changed>('cascade/delete_intent', written);
export const deleteSuperseded = statement<{ rows: readonly WriteRow[] }, Changed>('cascade/delete_superseded', written);
export const updateIntents = statement<{ rows: readonly WriteRow[] }, Changed>('cascade/update_intent', written);
export const listOrphans = statement<{ limit: number }, { intent: PropertyMap; rootType: string; rootFqn: string }>(
  'cascade/list_orphan',
  { params: ['limit'], row: ['intent', 'rootType', 'rootFqn'] },
);
export const readIntent = statement<{ id: string }, { intent: PropertyMap; rootId: string; rootType: string }>(
  'cascade/read_intent',
  { params: ['id'], row: ['intent', 'rootId', 'rootType'] },
);

export const listWithin = template<
  { edge: string; end: string; limit: number },
  { id: string; fullyQualifiedName: string }
>('record/list_within', 'LABEL', { params: ['edge', 'end', 'limit'], row: ['id', 'fullyQualifiedName'] });

export type ListedRow = { readonly id: string; readonly sortKey: string };

/** Conditions every list shares: equal properties, lists that hold an item, and name prefixes. */
type Narrowing = {
  readonly equals: PropertyMap;
  readonly items: PropertyMap;
  readonly prefixes: readonly string[];
};
type Paging = { readonly edge: string; readonly limit: number };
type Counted = { readonly total: number };

const narrowing = ['equals', 'items', 'prefixes'] as const;
const paging = [...narrowing, 'edge', 'limit'] as const;
const listed = ['id', 'sortKey'] as const;

/** The three forms of one list: onwards, backwards, and counted. */
export type ListForms<P extends object> = {
  readonly forward: Template<P & Narrowing & Paging, ListedRow>;
  readonly backward: Template<P & Narrowing & Paging, ListedRow>;
  readonly count: Template<P & Narrowing, Counted>;
};

const listForms = <P extends object>(
  name: string,
  placeholder: Placeholder,
  params: readonly (keyof P & string)[],
): ListForms<P> => ({
  forward: template(`record/list_${name}_forward`, placeholder, {
    params: [...params, ...paging] as never,
    row: listed,
  }),
  backward: template(`record/list_${name}_backward`, placeholder, {
    params: [...params, ...paging] as never,
    row: listed,
  }),
  count: template(`record/count_${name}`, placeholder, { params: [...params, ...narrowing] as never, row: ['total'] }),
});

export const listPage = listForms<{ deleted: boolean }>('page', 'LABEL', ['deleted']);
export const listFilled = listForms<{ deleted: boolean; domainId: string | null }>('filled', 'LABEL', [
  'deleted',
  'domainId',
]);
export const listScopes = [1, 2, 3, 4].map((depth) =>
  listForms<{ deleted: boolean; scope: string }>(`scope${depth}`, 'LABEL', ['deleted', 'scope']),
);
export const listLinked = listForms<{ deleted: boolean; anchorId: string; entityType: string }>('linked', 'TYPE', [
  'deleted',
  'anchorId',
  'entityType',
]);
export const listPointing = listForms<{
  deleted: boolean;
  anchorId: string;
  entityType: string;
  domainId: string | null;
}>('pointing', 'TYPE', ['deleted', 'anchorId', 'entityType', 'domainId']);
export const listDomain = listForms<{ deleted: boolean; anchorId: string }>('domain', 'LABEL', ['deleted', 'anchorId']);

export const countAll = template<Record<string, never>, { stored: number; live: number }>('record/count_all', 'LABEL', {
  params: [],
  row: ['stored', 'live'],
});

/** A stretch of the history of a kind, and a place in it. */
type Stretch = { readonly entityType: string; readonly from: number; readonly to: number };
type StretchPage = Stretch & StatePlace & { readonly limit: number };

/** A state of a record in the history of its kind; former ones come with what they said. */
export type StateRow = StatePlace & { readonly json?: string };

const stretch = ['entityType', 'from', 'to'] as const;
const stretchPage = [...stretch, 'at', 'id', 'version', 'limit'] as const;
const place = ['id', 'at', 'version'] as const;

export const listCurrentStates = {
  older: statement<StretchPage, StatePlace>('version/list_current_older', { params: stretchPage, row: place }),
  newer: statement<StretchPage, StatePlace>('version/list_current_newer', { params: stretchPage, row: place }),
};
export const listFormerStates = {
  older: statement<StretchPage, StateRow>('version/list_former_older', {
    params: stretchPage,
    row: [...place, 'json'],
  }),
  newer: statement<StretchPage, StateRow>('version/list_former_newer', {
    params: stretchPage,
    row: [...place, 'json'],
  }),
};
export const countCurrentStates = statement<Stretch, Counted>('version/count_current', {
  params: stretch,
  row: ['total'],
});
export const countFormerStates = statement<Stretch, Counted>('version/count_former', {
  params: stretch,
  row: ['total'],
});

/** How many states there are of each record. */
type Tallied = Counted & { readonly id: string };

export const tallyStates = {
  current: statement<Stretch, Tallied>('version/tally_current', { params: stretch, row: ['id', 'total'] }),
  former: statement<Stretch, Tallied>('version/tally_former', { params: stretch, row: ['id', 'total'] }),
};
