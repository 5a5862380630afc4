import type { RefNode } from '../../../catalog/queries.ts';
import { fqnHash } from '../../../model/checksum.ts';
import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  setMember,
} from '../../../model/json.ts';
import { decodeDetails } from '../../edge.ts';
import type { EdgeTuple } from '../../queries.ts';
import { renderEdgeDetails } from '../../render-edge.ts';
import type { PipelineById } from './pipeline-records.ts';

/** The reference to a record at the end of an edge. */
export type MapEndpoint = Pick<RefNode, 'id' | 'entityType' | 'fullyQualifiedName'>;

const renderEndpoint = ({ id, entityType, fullyQualifiedName }: MapEndpoint): JsonObject => ({
  id,
  type: entityType,
  fullyQualifiedName,
  fqnHash: fqnHash(fullyQualifiedName),
});

/**
 * Assigns the keys of records in a map: their full names. When records of different kinds share a name, only the first
 * keeps it; the others get a key with two colons, which no name contains.
 */
export const assignNodeKeys = (nodes: Iterable<RefNode>): ReadonlyMap<string, string> => {
  const keys = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, entityType, fullyQualifiedName: fqn } of nodes) {
    const key = [fqn, `${fqn}::${entityType}`].find((one) => !taken.has(one)) ?? `${fqn}::${id}`;
    taken.add(key);
    keys.set(id, key);
  }
  return keys;
};

/** Renders an edge as documents contain it, with its key in the map. */
export const renderMapEdge = (
  [, , pipelineId, text]: EdgeTuple,
  from: MapEndpoint,
  to: MapEndpoint,
  keyOf: (end: MapEndpoint) => string,
  carrierOf: PipelineById,
): readonly [docId: string, data: JsonObject] => {
  const merged = decodeDetails(text, pipelineId);
  const carrier = carrierOf(merged.pipelineId);
  const names = { from: from.fullyQualifiedName, to: to.fullyQualifiedName };
  const { columnsLineage = [], ...said } = renderEdgeDetails(merged, names, () => undefined);
  const through = carrier ? `${carrier.entityType}:${merged.pipelineId}--->` : '';
  const docId = `${keyOf(from)}--->${through}${keyOf(to)}`;
  // The answer has only one place for a description, and the one outside the details takes precedence.
  const description = merged.edgeDescription ?? merged.description;
  return [
    docId,
    {
      fromEntity: renderEndpoint(from),
      toEntity: renderEndpoint(to),
      ...(carrier ? { pipeline: carrier.record, pipelineEntityType: carrier.entityType } : {}),
      ...said,
      columns: columnsLineage,
      ...(description === undefined ? {} : { description }),
      docId,
      docUniqueId: `${from.id}--->${to.id}`,
    },
  ];
};

type PathTree = { readonly [name: string]: PathTree };

const treeOf = (paths: readonly (readonly string[])[]): PathTree => {
  const groups = new Map<string, (readonly string[])[]>();
  for (const [name, ...rest] of paths) if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), rest]);
  const isWhole = (some: readonly (readonly string[])[]) => some.some(({ length }) => length === 0);
  return Object.fromEntries([...groups].map(([name, some]) => [name, isWhole(some) ? {} : treeOf(some)]));
};

const pickFields = (value: Json, tree: PathTree): Json => {
  const names = Object.keys(tree);
  if (names.length === 0) return value;
  if (isArray(value)) return value.map((item) => pickFields(item, tree));
  if (!isObject(value)) return value;
  const out: MutableJsonObject = {};
  for (const name of names) {
    const inner = value[name];
    if (inner !== undefined) setMember(out, name, pickFields(inner, tree[name] ?? {}));
  }
  return out;
};

/** Members that every document has, whatever fields are requested. */
const ALWAYS_SHOWN = ['id', 'name', 'displayName', 'fullyQualifiedName', 'fqnHash', 'entityType', 'deleted'];

/** Creates a function that reduces documents to the requested members. */
export const createFieldPicker = (
  fields: readonly (readonly string[])[] | undefined,
): ((document: JsonObject) => JsonObject) => {
  if (!fields) return (document) => document;
  const tree = treeOf([...ALWAYS_SHOWN.map((name) => [name]), ...fields]);
  return (document) => pickFields(document, tree) as JsonObject;
};
