import { badRequest } from '../../errors.ts';

/** The target of an entity link: a record, one of its fields, an item of that field, or a field of the item. */
export type EntityLink = {
  readonly entityType: string;
  readonly fqn: string;
  readonly field?: string;
  readonly item?: string;
  readonly itemField?: string;
};

const ENTITY_LINK = /^<#E::\w+::(?:[^:<>|]|:[^:<>|])+(?:::(?:[^:<>|]|:[^:<>|])+)*>$/u;
const LINK_START = '<#E::';

/** Long enough for the longest fully qualified name, a nested column and both field names. */
const MAX_LINK_LENGTH = 16_384;
const MAX_LINK_PARTS = 5;

/** Whether a text is a link that strict clients can read. */
export const isEntityLink = (text: string): boolean => text.length <= MAX_LINK_LENGTH && ENTITY_LINK.test(text);

/**
 * Parses `<#E::table::shop.pg.public.orders::columns::amount>`. The whole text must be one link. Throws bad_request
 * `Invalid entity link: ...` otherwise.
 */
export const parseEntityLink = (text: string): EntityLink => {
  if (text.indexOf(LINK_START) !== text.lastIndexOf(LINK_START))
    throw badRequest(`Invalid entity link: more than one link in ${text}`);
  if (!isEntityLink(text)) throw badRequest(`Invalid entity link: ${text}`);
  const parts = text.slice(LINK_START.length, -1).split('::');
  const [entityType = '', fqn = '', field, item, itemField] = parts;
  if (parts.length > MAX_LINK_PARTS) throw badRequest(`Invalid entity link: ${text}`);
  return {
    entityType,
    fqn,
    ...(field !== undefined && { field }),
    ...(item !== undefined && { item }),
    ...(itemField !== undefined && { itemField }),
  };
};

/** Formats a link so that `parseEntityLink` can read it. Members after the first absent one are left out. */
export const formatEntityLink = ({ entityType, fqn, field, item, itemField }: EntityLink): string => {
  const parts = [entityType, fqn, field, item, itemField];
  const end = parts.indexOf(undefined);
  return `${LINK_START}${parts.slice(0, end === -1 ? parts.length : end).join('::')}>`;
};
