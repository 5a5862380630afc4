import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { canSeeEverything, filterPermittedIds, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import type { Registry } from '../../catalog/registry.ts';
import { statement } from '../../graph/statement.ts';
import { groupBy } from '../../model/group-by.ts';
import type { JsonObject } from '../../model/json.ts';
import { listRecordTypes } from '../../model/kind/record-type.ts';

/** Removes from counts the values that name records the caller may not see. */

type RecordNames = {
  readonly entityType: string;
  readonly id: string;
  readonly name: string;
  readonly displayName: string | null;
  readonly fullyQualifiedName: string;
};

const listNamedRecords = statement<{ entityTypes: readonly string[]; texts: readonly string[] }, RecordNames>(
  'search/list_called_records',
  { params: ['entityTypes', 'texts'], row: ['entityType', 'id', 'name', 'displayName', 'fullyQualifiedName'] },
);

const PEOPLE_TYPES = ['user', 'team'];
const LABEL_TYPES = ['tag', 'glossaryTerm'];

/** Members of documents that name records of these types, at any depth of a field's path. */
const NAMED_TYPES: Readonly<Record<string, readonly string[]>> = {
  owners: PEOPLE_TYPES,
  ownerName: PEOPLE_TYPES,
  ownerDisplayName: PEOPLE_TYPES,
  reviewers: PEOPLE_TYPES,
  experts: PEOPLE_TYPES,
  followers: PEOPLE_TYPES,
  accessedBy: PEOPLE_TYPES,
  updatedBy: PEOPLE_TYPES,
  createdBy: PEOPLE_TYPES,
  impersonatedBy: PEOPLE_TYPES,
  usedBy: PEOPLE_TYPES,
  domain: ['domain'],
  domains: ['domain'],
  dataProducts: ['dataProduct'],
  tags: LABEL_TYPES,
  tier: LABEL_TYPES,
  tagLabel: LABEL_TYPES,
  tagFQN: LABEL_TYPES,
  classificationTags: LABEL_TYPES,
  glossaryTags: LABEL_TYPES,
  classificationTagFQNs: LABEL_TYPES,
  glossaryTermFQNs: LABEL_TYPES,
  condition: [...LABEL_TYPES, 'team', 'role'],
  entityFQN: ['table'],
  entityLink: ['table'],
  originEntityFQN: ['table'],
  referredColumns: ['table'],
  upstream: ['table'],
  testSuites: ['testSuite'],
};

/** The types that relations with this member name lead to. */
const relatedTypes = ({ kinds }: Registry, name: string): readonly string[] =>
  kinds.flatMap((kind) => {
    const attribute = Object.hasOwn(kind.members, name) ? kind.members[name] : undefined;
    if (attribute?.store === 'relation') return attribute.kinds.length > 0 ? attribute.kinds : listRecordTypes();
    return attribute?.store === 'ancestor' && attribute.member === 'ref' ? attribute.kinds : [];
  });

/** The types of the records that a field's values may name; none for values of the document's own. */
const typesNamedBy = (registry: Registry, field: string): readonly string[] => {
  const path = field.split('.');
  const named = path.flatMap((part) => {
    if (part === 'dataSource') return listRecordTypes();
    return Object.hasOwn(NAMED_TYPES, part) ? (NAMED_TYPES[part] ?? []) : [];
  });
  return [...new Set([...named, ...relatedTypes(registry, path[0] ?? '')])];
};

type BucketReader = Pick<Engine, 'authorizer' | 'facts' | 'graph' | 'registry'>;

/** Keeps the lower-case names that a visible record of these types has. */
const visibleNames = async (
  engine: BucketReader,
  principal: Principal,
  types: readonly string[],
  texts: readonly string[],
): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  const entityTypes = types.filter((type) => engine.authorizer.filter(principal, VIEW_OPERATIONS, type) !== 'none');
  const byType = groupBy(
    await engine.graph.read(listNamedRecords, { entityTypes, texts }),
    ({ entityType }) => entityType,
  );
  const addNamesOf = async ([type, found]: readonly [string, readonly RecordNames[]]): Promise<void> => {
    const ids = found.map(({ id }) => id);
    const visible = new Set(await filterPermittedIds(engine, principal, VIEW_OPERATIONS, type, ids));
    for (const { id, name, displayName, fullyQualifiedName } of found) {
      if (!visible.has(id)) continue;
      for (const text of [name, displayName ?? name, fullyQualifiedName]) names.add(text.toLowerCase());
    }
  };
  await Promise.all([...byType].map(addNamesOf));
  return names;
};

type KeyedBucket = { readonly key: unknown };

/** Keeps the buckets of a field that the caller may see. */
export const filterVisibleBuckets = async <T extends KeyedBucket>(
  engine: BucketReader,
  principal: Principal,
  field: string,
  buckets: readonly T[],
): Promise<readonly T[]> => {
  if (buckets.length === 0 || canSeeEverything(engine, principal)) return buckets;
  const types = typesNamedBy(engine.registry, field);
  if (types.every((type) => engine.authorizer.filter(principal, VIEW_OPERATIONS, type) === 'all')) return buckets;
  const textOf = ({ key }: T) => String(key).toLowerCase();
  const names = await visibleNames(engine, principal, types, [...new Set(buckets.map(textOf))]);
  return buckets.filter((bucket) => names.has(textOf(bucket)));
};

type BucketList = { readonly buckets: readonly KeyedBucket[] };

/** Filters the counts of a search, by field name, for a caller. */
export const filterVisibleAggregations = async (
  engine: BucketReader,
  principal: Principal,
  counts: JsonObject | undefined,
): Promise<JsonObject | undefined> => {
  if (!counts || canSeeEverything(engine, principal)) return counts;
  const shown = Object.entries(counts).map(async ([name, counted]) => {
    const { buckets, ...rest } = counted as unknown as BucketList;
    const field = name.slice(name.indexOf('#') + 1);
    return [name, { ...rest, buckets: await filterVisibleBuckets(engine, principal, field, buckets) }] as const;
  });
  return Object.fromEntries(await Promise.all(shown)) as JsonObject;
};
