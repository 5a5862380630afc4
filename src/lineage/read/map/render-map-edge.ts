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

/** What an edge tells of a record it joins. */
export type MapEndpoint = Pick<RefNode, 'id' | 'entityType' | 'fullyQualifiedName'>;

const renderEndpoint = ({ id, entityType, fullyQualifiedName }: MapEndpoint): JsonObject => ({
  id,
  type: entityType,
  fullyQualifiedName,
  fqnHash: fqnHash(fullyQualifiedName),
});

/**
 * What records are called in a map: by their full names. Records of different kinds may share one, and of those the
 * first has it alone; no name holds two colons, which tell the others apart.
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

/** An edge as documents know it, by the name under which a map has it. */
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
  // Where it is all the same where a description was given, the one beside the details comes first.
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

/** What every document has, whatever members are asked for. */
const ALWAYS_SHOWN = ['id', 'name', 'displayName', 'fullyQualifiedName', 'fqnHash', 'entityType', 'deleted'];

/** Documents with those members that are asked for. */
export const createFieldPicker = (
  fields: readonly (readonly string[])[] | undefined,
): ((document: JsonObject) => JsonObject) => {
  if (!fields) return (document) => document;
  const tree = treeOf([...ALWAYS_SHOWN.map((name) => [name]), ...fields]);
  return (document) => pickFields(document, tree) as JsonObject;
};
