import { kindOf } from '../api/kinds.ts';
import type { LineageGraph, LineageNode, Reference } from '../api/types.ts';
import type { Filter, LineageChoice } from './choice.ts';
import { recordName } from './names.ts';

/** The filters and times that one can choose, by what lies around a record. */

export type FilterValue = { readonly value: string; readonly name: string; readonly count: number };
export type NodeFilter = Exclude<Filter, 'tags'>;

const refValue = (ref: Reference): readonly [string, string][] =>
  ref.fullyQualifiedName ? [[ref.fullyQualifiedName, recordName(ref)]] : [];

const VALUES: Readonly<Record<NodeFilter, (node: LineageNode) => readonly (readonly [string, string])[]>> = {
  types: ({ type }) => [[type, kindOf(type)?.title ?? type]],
  services: ({ service }) => (service ? refValue(service) : []),
  domains: ({ domains = [] }) => domains.flatMap(refValue),
};

/** The values that records have, those of most records first; what is chosen is always among them. */
export const listValues = (
  nodes: readonly LineageNode[],
  filter: NodeFilter,
  chosen: readonly string[],
): readonly FilterValue[] => {
  const found = new Map<string, { name: string; count: number }>(
    chosen.map((value) => [value, { name: filter === 'types' ? (kindOf(value)?.title ?? value) : value, count: 0 }]),
  );
  for (const [value, name] of nodes.filter(({ hidden }) => !hidden).flatMap(VALUES[filter]))
    found.set(value, { name, count: (found.get(value)?.count ?? 0) + 1 });
  return [...found]
    .map(([value, { name, count }]) => ({ value, name, count }))
    .sort((one, other) => other.count - one.count || one.name.localeCompare(other.name));
};

/** The times at which the edges within the depth became known or changed, in their order. */
export const listChangeTimes = (
  { nodes, edges }: Pick<LineageGraph, 'nodes' | 'edges'>,
  { upstream, downstream }: Pick<LineageChoice, 'upstream' | 'downstream'>,
): readonly number[] => {
  const near = new Set(nodes.filter(({ depth = 0 }) => -upstream <= depth && depth <= downstream).map(({ id }) => id));
  const times = edges
    .filter(({ fromEntity, toEntity }) => near.has(fromEntity) && near.has(toEntity))
    .flatMap(({ lineageDetails: { createdAt, updatedAt } = {} }) => [createdAt, updatedAt])
    .filter((time) => time !== undefined);
  return [...new Set(times)].sort((one, other) => one - other);
};
