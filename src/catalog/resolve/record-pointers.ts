import { badRequest } from '../../errors.ts';
import { isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { normaliseFqn } from '../../model/name.ts';

/** How requests point at other records. */

/** A reference in a request to a record, in whatever form the request gives it. */
export type RecordPointer = {
  readonly id?: string;
  /** Absent when the relation allows only one kind, or when the id alone decides. */
  readonly type?: string;
  readonly fqn?: string;
  readonly inherited?: boolean;
};

export const parseRecordPointer = (ref: JsonObject): RecordPointer => {
  const id = member(ref, 'id') as string | undefined;
  const type = member(ref, 'type') as string | undefined;
  const fqn = (member(ref, 'fullyQualifiedName') ?? (id ? undefined : member(ref, 'name'))) as string | undefined;
  if (id === undefined && (type === undefined || fqn === undefined)) {
    throw badRequest('[a reference must have id, or type and fullyQualifiedName]');
  }
  return {
    ...(id === undefined ? {} : { id }),
    ...(type === undefined ? {} : { type }),
    ...(fqn === undefined ? {} : { fqn }),
    ...(member(ref, 'inherited') === true ? { inherited: true } : {}),
  };
};

/** Parses references, or the names or ids that stand for them. */
export const parseRecordPointers = (value: Json, type?: string): RecordPointer[] =>
  ((Array.isArray(value) ? value : [value]) as readonly Json[]).map((item) => {
    if (isObject(item)) return parseRecordPointer(item);
    return type ? { type, fqn: item as string } : { id: item as string };
  });

/** Throws when a member that may name a parent of several kinds does not say which. */
const refuseUnclearParent = (kind: Kind, field: string, { type }: RecordPointer) => {
  const kinds = kind.parents.filter((parent) => parent.field === field).map((parent) => parent.kind);
  if (kinds.length > 1 && !kinds.includes(type ?? ''))
    throw badRequest(`[${field}.type must be one of ${kinds.join(', ')}]`);
};

/** Parses the parents that a create body names. */
export const parseParentPointers = (kind: Kind, body: JsonObject): Record<string, RecordPointer> => {
  const parents: Record<string, RecordPointer> = {};
  for (const parent of kind.parents) {
    const value = parent.setByOperation ? undefined : body[parent.field];
    if (isObject(value)) {
      const pointer = parseRecordPointer(value);
      refuseUnclearParent(kind, parent.field, pointer);
      parents[parent.field] = { type: parent.kind, ...pointer };
    } else if (value !== undefined) parents[parent.field] = { type: parent.kind, fqn: normaliseFqn(value as string) };
  }
  const offered = new Set(kind.parents.filter(({ setByOperation }) => !setByOperation).map(({ field }) => field));
  if (offered.size > 1 && Object.keys(parents).length === 0) {
    throw badRequest(`[${[...offered].join(' or ')} must not be null]`);
  }
  return parents;
};
