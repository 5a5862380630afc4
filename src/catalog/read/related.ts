import { coalesce } from '../../graph/coalesce.ts';
import { type BoundStatement, statement, withPositions } from '../../graph/statement.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Attribute, ComputedAttribute, RelationAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import {
  type ComputedCountRow,
  type ComputedObjectRow,
  type ComputedPartRow,
  type ComputedRefRow,
  type ComputedValueRow,
  type LabelNode,
  listIncomingRefs,
  listOutgoingRefs,
  type RefNode,
} from '../queries.ts';
import { memoizePerName, type RecordSource } from './batch-read.ts';
import type { ComputedParts } from './computed-parts.ts';
import type { InheritedMembers, Snapshot } from './snapshot.ts';

/** Reads relations and computed members of a kind that need queries beyond the record's own row. */

/** The value of a relation or walk that was read for a record. */
type RelatedValue =
  | { readonly refs: readonly RefNode[] }
  | { readonly count: number }
  | { readonly value: Json | undefined };

export type ReadRelated = (attribute: Attribute, id: string) => Promise<RelatedValue> | undefined;

type EdgeLookupKey = { readonly id: string; readonly kinds: readonly string[] | null };

const createEdgeReader = (graph: RecordSource) =>
  memoizePerName<EdgeLookupKey, readonly RefNode[]>((name) => {
    const [direction, type = ''] = name.split(' ');
    const bound = (direction === 'out' ? listOutgoingRefs : listIncomingRefs).for(type);
    return coalesce({
      name: bound.name,
      observer: graph.observer,
      load: async (keys: readonly EdgeLookupKey[]) => {
        const refs: RefNode[][] = keys.map(() => []);
        for (const row of await graph.read(bound, { rows: withPositions(keys) })) refs[row.at]?.push(row.ref);
        return refs;
      },
    });
  });

/** The columns that a walk returns besides the id, by the form of its answers. */
const ANSWER_COLUMNS = {
  refs: ['ref'],
  count: ['count'],
  value: ['json'],
  parts: ['key', 'json'],
  rows: ['row'],
} as const;

const computedShape = (answers: ComputedAttribute['answers']) =>
  ({ params: ['ids'], row: ['id', ...(ANSWER_COLUMNS[answers] as readonly string[] as readonly 'id'[])] }) as const;

const createComputedReader = <R extends { id: string }, V>(
  graph: RecordSource,
  answer: ComputedAttribute['answers'],
  collect: (rows: readonly R[]) => V,
) =>
  memoizePerName<string, V>((name) => {
    const bound: BoundStatement<{ ids: readonly string[] }, R> = statement<{ ids: readonly string[] }, { id: string }>(
      name,
      computedShape(answer),
    ) as never;
    return coalesce({
      name,
      observer: graph.observer,
      load: async (ids: readonly string[]) => {
        const byId = new Map<string, R[]>(ids.map((id) => [id, []]));
        for (const row of await graph.read(bound, { ids: [...byId.keys()] })) byId.get(row.id)?.push(row);
        return ids.map((id) => collect(byId.get(id) ?? []));
      },
    });
  });

const groupParts = (rows: readonly ComputedPartRow[]): ComputedParts => {
  const columns: Record<string, JsonObject> = {};
  let own: JsonObject | undefined;
  for (const { key, json } of rows) {
    const part = JSON.parse(json) as JsonObject;
    if (key === null) own = part;
    else columns[key] = part;
  }
  return own ? { own, columns } : { columns };
};

type EdgeReaders = (name: string) => (key: EdgeLookupKey) => Promise<readonly RefNode[]>;

/**
 * Reads the records that an edge joins to a record, in the direction of its attribute; a symmetric edge is read in
 * both.
 */
const readEdges = async (edges: EdgeReaders, attribute: RelationAttribute, id: string): Promise<readonly RefNode[]> => {
  const key = { id, kinds: attribute.kinds.length > 0 ? attribute.kinds : null };
  const sides = attribute.symmetric ? ['out', 'in'] : [attribute.direction];
  const found = await Promise.all(sides.map((side) => edges(`${side} ${attribute.edge}`)(key)));
  return found.length === 1 ? (found[0] ?? []) : [...new Map(found.flat().map((node) => [node.id, node])).values()];
};

export const createRelatedReader = (graph: RecordSource): ReadRelated => {
  const edges = createEdgeReader(graph);
  const walks = {
    refs: createComputedReader<ComputedRefRow, RelatedValue>(graph, 'refs', (rows) => ({
      refs: rows.map((row) => row.ref),
    })),
    count: createComputedReader<ComputedCountRow, RelatedValue>(graph, 'count', (rows) => ({
      count: rows[0]?.count ?? 0,
    })),
    value: createComputedReader<ComputedValueRow, RelatedValue>(graph, 'value', ([row]) => ({
      value: row ? (JSON.parse(row.json) as Json) : undefined,
    })),
    parts: createComputedReader<ComputedPartRow, RelatedValue>(graph, 'parts', (rows) => ({
      value: rows.length > 0 ? (groupParts(rows) as unknown as Json) : undefined,
    })),
  };
  const found = createComputedReader<ComputedObjectRow, readonly JsonObject[]>(graph, 'rows', (some) =>
    some.map(({ row }) => row),
  );
  return (attribute, id) => {
    if (attribute.store === 'walked' && attribute.answers === 'rows') {
      const { make, statement: name } = attribute;
      return found(name)(id).then((some) => ({ value: make?.(some) }));
    }
    if (attribute.store === 'walked' && attribute.answers !== 'rows')
      return walks[attribute.answers](attribute.statement)(id);
    if (attribute.store !== 'relation') return undefined;
    return readEdges(edges, attribute, id).then((refs) => ({ refs }));
  };
};

/** The members of a kind that need queries beyond the record's own row, computed once per kind. */
const relatedMembers = memoisePerKind((kind) =>
  Object.entries(kind.attributes).filter(([, { store }]) => store === 'relation' || store === 'walked'),
);

/** Adds the requested relations of the kind; they have statements of their own, which run concurrently. */
export const withRelated = async (
  read: ReadRelated,
  snapshot: Snapshot,
  fields: ReadonlySet<string>,
): Promise<Snapshot> => {
  const wanted: [string, Promise<RelatedValue>][] = [];
  for (const [name, attribute] of relatedMembers(snapshot.kind)) {
    if (attribute.gated && !fields.has(name)) continue;
    const found = read(attribute, snapshot.id);
    if (found) wanted.push([name, found]);
  }
  if (wanted.length === 0) return snapshot;
  const related: Record<string, readonly RefNode[]> = {};
  const counts: Record<string, number> = {};
  const computed: Record<string, Json> = {};
  // All are awaited together: a rejection that nothing awaits yet would crash the process.
  const values = await Promise.all(wanted.map(([name, found]) => found.then((value) => [name, value] as const)));
  for (const [name, value] of values) {
    if ('count' in value) counts[name] = value.count;
    else if ('refs' in value) related[name] = value.refs;
    else if (value.value !== undefined) computed[name] = value.value;
  }
  return { ...snapshot, related, counts, computed };
};

/** Reads what records of a kind inherit, restricted to the requested members. */
export type InheritedReader = (
  kind: Kind,
  id: string,
  fields: ReadonlySet<string>,
) => Promise<InheritedMembers | undefined>;

export const createInheritedReader = (graph: RecordSource): InheritedReader => {
  const found = createComputedReader<ComputedObjectRow, readonly JsonObject[]>(graph, 'rows', (some) =>
    some.map(({ row }) => row),
  );
  return async ({ inherits }, id, fields) => {
    if (!inherits) return undefined;
    const [tags, followers] = await Promise.all([
      fields.has('tags') ? found(inherits.tags)(id) : undefined,
      fields.has('followers') ? found(inherits.followers)(id) : undefined,
    ]);
    return {
      ...(tags ? { tags: tags as unknown as readonly LabelNode[] } : {}),
      ...(followers ? { followers: followers as unknown as readonly RefNode[] } : {}),
    };
  };
};

export const hasComputedValues = ({ computed }: Snapshot): boolean => Object.keys(computed).length > 0;

/** Declares the statements that read inherited values. */
export const declareInheritedStatements = ({ inherits }: Kind): void => {
  for (const name of Object.values(inherits ?? {})) {
    statement<{ ids: readonly string[] }, { id: string }>(name, computedShape('rows'));
  }
};

/** Declares the statement of a walk, so that a missing file fails at startup and not in a request. */
export const declareComputedStatement = ({ statement: name, answers }: ComputedAttribute): void => {
  statement<{ ids: readonly string[] }, { id: string }>(name, computedShape(answers));
};
