import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { checkPermissions, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { fqnPrefixes } from '../../model/name.ts';
import { andFilter, MATCH_ALL, type SearchFilter } from '../../search-documents/filter/search-filter.ts';

/** Arranges hits as a tree, with their ancestors, whether these were found or not (search.md 3.5). */

/** The types whose hits can be shown as a tree. */
const HIERARCHIC_TYPES: ReadonlySet<string> = new Set(['glossaryTerm', 'domain']);

export const canShowHierarchy = (kinds: readonly Kind[]): boolean =>
  kinds.some(({ entityType }) => HIERARCHIC_TYPES.has(entityType)) &&
  kinds.every(
    ({ entityType }) => HIERARCHIC_TYPES.has(entityType) || entityType === 'glossary' || entityType === 'dataProduct',
  );

/** The tree shows only approved glossary terms. */
const approvedTermsFilter = (kinds: readonly Kind[]): SearchFilter => {
  if (!kinds.some(({ entityType }) => entityType === 'glossaryTerm')) return MATCH_ALL;
  const isTerm: SearchFilter = { is: 'term', field: 'entityType', values: ['glossaryTerm'], anyCase: false };
  const isApproved: SearchFilter = { is: 'term', field: 'entityStatus', values: ['Approved'], anyCase: false };
  return { is: 'some', of: [{ is: 'not', of: isTerm }, isApproved], least: 1 };
};

type HierarchyRecord = {
  readonly id: string;
  readonly entityType: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly displayName: Json;
  readonly description: Json;
};

type HierarchyNode = { readonly leaf: HierarchyRecord; readonly children: Map<string, HierarchyNode> };

const hierarchyRecordOf = (document: JsonObject): HierarchyRecord => ({
  id: String(document['id']),
  entityType: String(document['entityType']),
  name: String(document['name']),
  fullyQualifiedName: String(document['fullyQualifiedName']),
  displayName: document['displayName'] ?? null,
  description: document['description'] ?? null,
});

const ANCESTOR_TYPES: Readonly<Record<string, readonly string[]>> = {
  glossaryTerm: ['glossary', 'glossaryTerm'],
  domain: ['domain'],
};

/** Reads the ancestors of some hits, by name. */
const readAncestors = async (
  { registry, store, ...engine }: Engine,
  principal: Principal,
  found: readonly HierarchyRecord[],
): Promise<Map<string, HierarchyRecord>> => {
  const wanted = new Map<string, readonly string[]>();
  for (const { entityType, fullyQualifiedName } of found) {
    fqnPrefixes(fullyQualifiedName).forEach((scope, depth) => {
      const kinds = ANCESTOR_TYPES[entityType] ?? [];
      wanted.set(scope, depth === 0 ? kinds.slice(0, 1) : kinds.slice(-1));
    });
  }
  const references = await Promise.all(
    [...wanted].flatMap(([scope, types]) =>
      types.map((type) => {
        const kind = registry.byType.get(type);
        return kind ? store.reference(kind, scope) : undefined;
      }),
    ),
  );
  const nodes = references.flatMap((node) => (node && !node.deleted ? [node] : []));
  const records = nodes.map(({ id, entityType }) => ({ entityId: id, entityType }));
  const isVisible = await checkPermissions(engine, principal, VIEW_OPERATIONS, records);
  return new Map(nodes.filter((_, at) => isVisible[at]).map((node) => [node.fullyQualifiedName, node]));
};

const formatNode = ({ leaf, children }: HierarchyNode): JsonObject => ({
  id: leaf.id,
  name: leaf.name,
  displayName: leaf.displayName || leaf.name,
  description: leaf.description ?? '',
  fullyQualifiedName: leaf.fullyQualifiedName,
  children: [...children.values()].map(formatNode),
});

/** Builds the tree of the hits, in the order in which they were found. */
export const buildHierarchy = async (
  engine: Engine,
  principal: Principal,
  documents: readonly Json[],
): Promise<readonly JsonObject[]> => {
  const found = documents.flatMap((document) => (isObject(document) ? [hierarchyRecordOf(document)] : []));
  const above = await readAncestors(engine, principal, found);
  const roots = new Map<string, HierarchyNode>();
  for (const leaf of found) {
    const way = fqnPrefixes(leaf.fullyQualifiedName).flatMap((scope) => above.get(scope) ?? []);
    let level = roots;
    for (const step of [...way, leaf]) {
      const branch = level.get(step.fullyQualifiedName) ?? { leaf: step, children: new Map<string, HierarchyNode>() };
      level.set(step.fullyQualifiedName, branch);
      level = branch.children;
    }
  }
  return [...roots.values()].map(formatNode);
};

/** Some aliases cover both domains and data products, but the tree shows only domains. */
const noDataProductsFilter = (kinds: readonly Kind[]): SearchFilter => {
  if (!kinds.some(({ entityType }) => entityType === 'dataProduct')) return MATCH_ALL;
  return { is: 'not', of: { is: 'term', field: 'entityType', values: ['dataProduct'], anyCase: false } };
};

/** Adds the conditions of the tree view to a filter. */
export const hierarchyFilter = (kinds: readonly Kind[], filter: SearchFilter): SearchFilter =>
  andFilter([filter, approvedTermsFilter(kinds), noDataProductsFilter(kinds)]);
