import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { permitted, VIEW } from '../../catalog/read/facts.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { scopesOf } from '../../model/name.ts';
import { ALL, every, type Filter } from '../filter/tree.ts';

/** Hits as a tree: what they lie in stands above them, whether it was found or not (search.md 3.5). */

/** The kinds whose hits can be shown as a tree. */
const SHOWN: ReadonlySet<string> = new Set(['glossaryTerm', 'domain']);

export const isHierarchic = (kinds: readonly Kind[]): boolean =>
  kinds.some(({ entityType }) => SHOWN.has(entityType)) &&
  kinds.every(({ entityType }) => SHOWN.has(entityType) || entityType === 'glossary' || entityType === 'dataProduct');

/** Of terms only those are shown that somebody has approved. */
const onlyApproved = (kinds: readonly Kind[]): Filter => {
  if (!kinds.some(({ entityType }) => entityType === 'glossaryTerm')) return ALL;
  const isTerm: Filter = { is: 'term', field: 'entityType', values: ['glossaryTerm'], anyCase: false };
  const isApproved: Filter = { is: 'term', field: 'entityStatus', values: ['Approved'], anyCase: false };
  return { is: 'some', of: [{ is: 'not', of: isTerm }, isApproved], least: 1 };
};

type Leaf = {
  readonly id: string;
  readonly entityType: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly displayName: Json;
  readonly description: Json;
};

type Branch = { readonly leaf: Leaf; readonly children: Map<string, Branch> };

const leafOf = (document: JsonObject): Leaf => ({
  id: String(document['id']),
  entityType: String(document['entityType']),
  name: String(document['name']),
  fullyQualifiedName: String(document['fullyQualifiedName']),
  displayName: document['displayName'] ?? null,
  description: document['description'] ?? null,
});

const ROOTS: Readonly<Record<string, readonly string[]>> = {
  glossaryTerm: ['glossary', 'glossaryTerm'],
  domain: ['domain'],
};

/** What lies above some hits, by names. */
const readAbove = async (
  { registry, store, ...engine }: Engine,
  principal: Principal,
  found: readonly Leaf[],
): Promise<Map<string, Leaf>> => {
  const wanted = new Map<string, readonly string[]>();
  for (const { entityType, fullyQualifiedName } of found) {
    scopesOf(fullyQualifiedName).forEach((scope, depth) => {
      const kinds = ROOTS[entityType] ?? [];
      wanted.set(scope, depth === 0 ? kinds.slice(0, 1) : kinds.slice(-1));
    });
  }
  const looked = await Promise.all(
    [...wanted].flatMap(([scope, types]) =>
      types.map((type) => {
        const kind = registry.byType.get(type);
        return kind ? store.reference(kind, scope) : undefined;
      }),
    ),
  );
  const nodes = looked.flatMap((node) => (node && !node.deleted ? [node] : []));
  const asked = nodes.map(({ id, entityType }) => ({ entityId: id, entityType }));
  const seen = await permitted(engine, principal, VIEW, asked);
  return new Map(nodes.filter((_, at) => seen[at]).map((node) => [node.fullyQualifiedName, node]));
};

const shown = ({ leaf, children }: Branch): JsonObject => ({
  id: leaf.id,
  name: leaf.name,
  displayName: leaf.displayName || leaf.name,
  description: leaf.description ?? '',
  fullyQualifiedName: leaf.fullyQualifiedName,
  children: [...children.values()].map(shown),
});

/** The documents of hits as a tree, in the order in which they were found. */
export const asHierarchy = async (
  engine: Engine,
  principal: Principal,
  documents: readonly Json[],
): Promise<readonly JsonObject[]> => {
  const found = documents.flatMap((document) => (isObject(document) ? [leafOf(document)] : []));
  const above = await readAbove(engine, principal, found);
  const roots = new Map<string, Branch>();
  for (const leaf of found) {
    const way = scopesOf(leaf.fullyQualifiedName).flatMap((scope) => above.get(scope) ?? []);
    let level = roots;
    for (const step of [...way, leaf]) {
      const branch = level.get(step.fullyQualifiedName) ?? { leaf: step, children: new Map<string, Branch>() };
      level.set(step.fullyQualifiedName, branch);
      level = branch.children;
    }
  }
  return [...roots.values()].map(shown);
};

/** Some names of the index of domains are those of the index of data products as well, and these are no domains. */
const noProducts = (kinds: readonly Kind[]): Filter => {
  if (!kinds.some(({ entityType }) => entityType === 'dataProduct')) return ALL;
  return { is: 'not', of: { is: 'term', field: 'entityType', values: ['dataProduct'], anyCase: false } };
};

/** What a search for a tree looks for. */
export const forHierarchy = (kinds: readonly Kind[], filter: Filter): Filter =>
  every([filter, onlyApproved(kinds), noProducts(kinds)]);
