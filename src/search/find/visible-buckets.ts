import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { acceptedIds, seesEverything, VIEW } from '../../catalog/read/facts.ts';
import type { Registry } from '../../catalog/registry.ts';
import { template } from '../../graph/statement.ts';
import type { JsonObject } from '../../model/json.ts';
import { RECORD_TYPES } from '../../model/record-type.ts';

/** Leaves out of counts the values that name records which the caller may not see. */

type Called = {
  readonly id: string;
  readonly name: string;
  readonly displayName: string | null;
  readonly fullyQualifiedName: string;
};

const listCalled = template<{ texts: readonly string[] }, Called>('record/list_called', 'LABEL', {
  params: ['texts'],
  row: ['id', 'name', 'displayName', 'fullyQualifiedName'],
});

const PEOPLE = ['user', 'team'];
const LABELS = ['tag', 'glossaryTerm'];

/** Members of documents that name records of these types, wherever in a field's path they stand. */
const NAMING: Readonly<Record<string, readonly string[]>> = {
  owners: PEOPLE,
  ownerName: PEOPLE,
  ownerDisplayName: PEOPLE,
  reviewers: PEOPLE,
  experts: PEOPLE,
  followers: PEOPLE,
  accessedBy: PEOPLE,
  updatedBy: PEOPLE,
  createdBy: PEOPLE,
  impersonatedBy: PEOPLE,
  usedBy: PEOPLE,
  domain: ['domain'],
  domains: ['domain'],
  dataProducts: ['dataProduct'],
  tags: LABELS,
  tier: LABELS,
  tagLabel: LABELS,
  tagFQN: LABELS,
  classificationTags: LABELS,
  glossaryTags: LABELS,
  classificationTagFQNs: LABELS,
  glossaryTermFQNs: LABELS,
  condition: [...LABELS, 'team', 'role'],
  entityFQN: ['table'],
  entityLink: ['table'],
  originEntityFQN: ['table'],
  referredColumns: ['table'],
  upstream: ['table'],
  dataSource: RECORD_TYPES,
  testSuites: ['testSuite'],
};

/** What the relations of kinds lead to, by the names of their members. */
const relatedTypes = ({ kinds }: Registry, name: string): readonly string[] =>
  kinds.flatMap((kind) => {
    const attribute = Object.hasOwn(kind.members, name) ? kind.members[name] : undefined;
    if (attribute?.store === 'relation') return attribute.kinds.length > 0 ? attribute.kinds : RECORD_TYPES;
    return attribute?.store === 'ancestor' && attribute.member === 'ref' ? [attribute.kind] : [];
  });

/** The types of the records that the values of a field may name; none for values that are the document's own. */
const typesNamedBy = (registry: Registry, field: string): readonly string[] => {
  const path = field.split('.');
  const named = path.flatMap((part) => (Object.hasOwn(NAMING, part) ? (NAMING[part] ?? []) : []));
  return [...new Set([...named, ...relatedTypes(registry, path[0] ?? '')])];
};

type Reader = Pick<Engine, 'judge' | 'facts' | 'graph' | 'registry'>;

/** Those of some texts, in lower case, that a visible record of these types is called by. */
const visibleNames = async (
  engine: Reader,
  principal: Principal,
  types: readonly string[],
  texts: readonly string[],
): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  const learn = async (type: string): Promise<void> => {
    const kind = engine.registry.byType.get(type);
    if (!kind || engine.judge.filter(principal, VIEW, type) === 'none') return;
    const found = await engine.graph.read(listCalled.for(kind.label), { texts });
    const ids = found.map(({ id }) => id);
    const visible = new Set(await acceptedIds(engine, principal, VIEW, type, ids));
    for (const { id, name, displayName, fullyQualifiedName } of found) {
      if (!visible.has(id)) continue;
      for (const text of [name, displayName ?? name, fullyQualifiedName]) names.add(text.toLowerCase());
    }
  };
  await Promise.all(types.map(learn));
  return names;
};

type Keyed = { readonly key: unknown };

/** Those of some buckets of a field that the caller may know of. */
export const visibleBuckets = async <T extends Keyed>(
  engine: Reader,
  principal: Principal,
  field: string,
  buckets: readonly T[],
): Promise<readonly T[]> => {
  if (buckets.length === 0 || seesEverything(engine, principal)) return buckets;
  const types = typesNamedBy(engine.registry, field);
  if (types.every((type) => engine.judge.filter(principal, VIEW, type) === 'all')) return buckets;
  const textOf = ({ key }: T) => String(key).toLowerCase();
  const names = await visibleNames(engine, principal, types, [...new Set(buckets.map(textOf))]);
  return buckets.filter((bucket) => names.has(textOf(bucket)));
};

type Counted = { readonly buckets: readonly Keyed[] };

/** The counts of a search, by the names of their fields, as far as the caller may know of them. */
export const visibleCounts = async (
  engine: Reader,
  principal: Principal,
  counts: JsonObject | undefined,
): Promise<JsonObject | undefined> => {
  if (!counts || seesEverything(engine, principal)) return counts;
  const shown = Object.entries(counts).map(async ([name, counted]) => {
    const { buckets, ...rest } = counted as unknown as Counted;
    const field = name.slice(name.indexOf('#') + 1);
    return [name, { ...rest, buckets: await visibleBuckets(engine, principal, field, buckets) }] as const;
  });
  return Object.fromEntries(await Promise.all(shown)) as JsonObject;
};
