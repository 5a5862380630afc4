import type { Attribute, RelationAttribute } from './attribute.ts';

/** Whether requests may set a relation, by body or by patch. */
export const isWritableRelation = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.store === 'relation' &&
  !attribute.setByOtherEnd &&
  (attribute.request !== undefined || attribute.patchable);

/** Whether a request or operation may set the member, rather than it being computed. */
export const isSettable = (attribute: Attribute): boolean =>
  attribute.store === 'relation'
    ? isWritableRelation(attribute)
    : attribute.store !== 'walked' && attribute.store !== 'ancestor' && attribute.store !== 'empty';
