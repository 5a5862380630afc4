import type { RefNode } from '../../catalog/queries.ts';
import { fqnHash } from '../../model/checksum.ts';
import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, setMember } from '../../model/json.ts';
import { showDetails } from '../details.ts';
import { decodeDetails } from '../edge.ts';
import type { EdgeTuple } from '../queries.ts';
import type { CarrierById } from './carriers.ts';

/** What an edge tells of a record it joins. */
export type End = Pick<RefNode, 'id' | 'entityType' | 'fullyQualifiedName'>;

const showEnd = ({ id, entityType, fullyQualifiedName }: End): JsonObject => ({
  id,
  type: entityType,
  fullyQualifiedName,
  fqnHash: fqnHash(fullyQualifiedName),
});

/**
 * What records are called in a map: by their full names. Records of different kinds may share one, and of those the
 * first has it alone; no name holds two colons, which tell the others apart.
 */
export const keysIn = (nodes: Iterable<RefNode>): ReadonlyMap<string, string> => {
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
export const showData = (
  [, , pipelineId, text]: EdgeTuple,
  from: End,
  to: End,
  keyOf: (end: End) => string,
  carrierOf: CarrierById,
): readonly [docId: string, data: JsonObject] => {
  const merged = decodeDetails(text, pipelineId);
  const carrier = carrierOf(merged.pipelineId);
  const names = { from: from.fullyQualifiedName, to: to.fullyQualifiedName };
  const { columnsLineage = [], ...said } = showDetails(merged, names, () => undefined);
  const through = carrier ? `${carrier.entityType}:${merged.pipelineId}--->` : '';
  const docId = `${keyOf(from)}--->${through}${keyOf(to)}`;
  // Where it is all the same where a description was given, the one beside the details comes first.
  const description = merged.edgeDescription ?? merged.description;
  return [
    docId,
    {
      fromEntity: showEnd(from),
      toEntity: showEnd(to),
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

const pick = (value: Json, tree: PathTree): Json => {
  const names = Object.keys(tree);
  if (names.length === 0) return value;
  if (isArray(value)) return value.map((item) => pick(item, tree));
  if (!isObject(value)) return value;
  const out: MutableJsonObject = {};
  for (const name of names) {
    const inner = value[name];
    if (inner !== undefined) setMember(out, name, pick(inner, tree[name] ?? {}));
  }
  return out;
};

/** What every document has, whatever members are asked for. */
const ALWAYS = ['id', 'name', 'displayName', 'fullyQualifiedName', 'fqnHash', 'entityType', 'deleted'];

/** Documents with those members that are asked for. */
export const picker = (fields: readonly (readonly string[])[] | undefined): ((document: JsonObject) => JsonObject) => {
  if (!fields) return (document) => document;
  const tree = treeOf([...ALWAYS.map((name) => [name]), ...fields]);
  return (document) => pick(document, tree) as JsonObject;
};
