import type { ColumnEdge, LineageEdge, LineageGraph, LineageNode, Reference, Schemas } from '../api/types.ts';
import { type Column, type NamedColumn, nameColumns } from './columns.ts';

/**
 * Reads answers of the API, which name each record once, and reduces them to what the page shows. It runs in the worker:
 * answers have up to 10,000 records.
 */

type CompactEdge = Schemas['CompactNativeLineageEdge'];
type Entities = Schemas['CompactLineageGraph']['entities'];

/** Puts records in the places of their IDs. */
export type RecordReader = {
  readonly node: (id: string) => LineageNode;
  readonly edge: (edge: CompactEdge) => LineageEdge;
  readonly reference: (id: string, isInherited?: boolean) => Reference;
};

export const createRecordReader = (entities: Entities): RecordReader => {
  const known = new Map<string, Reference>();

  const makeReference = (id: string, isInherited: boolean): Reference => {
    const { type = '', name, fullyQualifiedName, displayName, deleted, hidden } = entities[id] ?? {};
    const own = { name, fullyQualifiedName, displayName, deleted, hidden, ...(isInherited ? { inherited: true } : {}) };
    return { id, type, ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) };
  };

  /** One object for each record that many others refer to: what is the same object is sent to the page once. */
  const reference = (id: string, isInherited = false): Reference => {
    const key = `${id} ${isInherited}`;
    const found = known.get(key) ?? makeReference(id, isInherited);
    known.set(key, found);
    return found;
  };

  const node = (id: string): LineageNode => {
    const { href: _, inherits = [], service, owners, domains, ...rest } = entities[id] ?? { id, type: '' };
    const referAll = (ids: readonly string[]) => ids.map((one) => reference(one, inherits.includes(one)));
    return {
      ...rest,
      ...(service === undefined ? {} : { service: reference(service) }),
      ...(owners === undefined ? {} : { owners: referAll(owners) }),
      ...(domains === undefined ? {} : { domains: referAll(domains) }),
    };
  };

  /** Puts the pipeline in the place of its ID. */
  const refer = <T extends { readonly pipeline?: string }>({ pipeline, ...rest }: T) =>
    pipeline === undefined ? rest : { ...rest, pipeline: reference(pipeline) };

  const edge = ({ lineageDetails, assertions, ...rest }: CompactEdge): LineageEdge => ({
    ...rest,
    ...(lineageDetails === undefined ? {} : { lineageDetails: refer(lineageDetails) }),
    ...(assertions === undefined ? {} : { assertions: assertions.map(refer) }),
  });

  return { node, edge, reference };
};

export const readGraphAnswer = (text: string): LineageGraph => {
  const { entities, roots: _, ...graph }: Schemas['CompactLineageGraph'] = JSON.parse(text);
  const { node, edge, reference } = createRecordReader(entities);
  const hidden = Object.entries(graph.hiddenCounts).filter(([, { upstream, downstream }]) => upstream + downstream > 0);
  return {
    ...graph,
    root: reference(graph.root),
    nodes: graph.nodes.map(node),
    edges: graph.edges.map(edge),
    hiddenCounts: Object.fromEntries(hidden),
  };
};

/** The edges of the columns of one record. */
export const readColumnEdges = (text: string, id: string): readonly ColumnEdge[] => {
  const { columnEdges }: Pick<LineageGraph, 'columnEdges'> = JSON.parse(text);
  return columnEdges.filter(({ fromEntity, toEntity }) => fromEntity === id || toEntity === id);
};

/**
 * All columns of a list in their order, nested ones after theirs. A field that an endpoint has in its request and in its
 * response is one column of lineage.
 */
export const readOwnColumns = (text: string): readonly NamedColumn[] => {
  const { data = [] }: { readonly data?: readonly Column[] } = JSON.parse(text);
  const byName = new Map<string, NamedColumn>();
  for (const column of nameColumns(data)) if (!byName.has(column.fqn)) byName.set(column.fqn, column);
  return [...byName.values()];
};
