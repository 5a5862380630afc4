import type { Attribute, StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';

/** Tells which answers may be kept, because revisions tell whether they are still right. */

/**
 * Whether a member depends on nothing but the revisions of records and is the same for all callers who see every
 * record. Other relations may change without a new revision of both records.
 */
const isKeepable = (attribute: Attribute): boolean => {
  switch (attribute.store) {
    case 'property':
    case 'columns':
    case 'ancestor':
    case 'empty':
      return true;
    case 'json':
      return (attribute as StoredAttribute).columnRedaction === undefined;
    default:
      return false;
  }
};

/** The common members that change only with the revision of the record itself or of a record whose data they show. */
const KEEPABLE_COMMON: ReadonlySet<string> = new Set([
  'owners',
  'domains',
  'dataProducts',
  'followers',
  'votes',
  'tags',
]);

const keepableMembers = memoisePerKind((kind) => {
  const members = Object.entries(kind.members);
  return {
    hasKeepableBase: !kind.inherits && members.every(([, attribute]) => attribute.gated || isKeepable(attribute)),
    keepableFields: new Set([
      ...kind.gated.filter((name) => KEEPABLE_COMMON.has(name)),
      ...members.flatMap(([name, attribute]) => (isKeepable(attribute) ? [name] : [])),
    ]),
  };
});

/** Whether an answer with these members depends on nothing but the revisions of records. */
export const canKeepMembers = (kind: Kind, fields: Iterable<string>): boolean => {
  const { hasKeepableBase, keepableFields } = keepableMembers(kind);
  if (!hasKeepableBase) return false;
  for (const name of fields) if (!keepableFields.has(name)) return false;
  return true;
};
