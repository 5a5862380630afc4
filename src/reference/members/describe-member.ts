import { COMMON_MEMBERS } from './common.ts';
import { DATA_ASSET_MEMBERS } from './data-assets.ts';
import { GOVERNANCE_MEMBERS } from './governance.ts';
import { INSIGHT_MEMBERS } from './insight.ts';
import { LINEAGE_MEMBERS } from './lineage.ts';
import { OPERATION_MEMBERS } from './operation.ts';
import { OWN_MEMBERS } from './own.ts';
import { QUALITY_MEMBERS } from './quality.ts';
import { SEARCH_MEMBERS } from './search.ts';

/**
 * Describes the members of schemas. A member means the same in every schema, unless `own.ts` or `insight.ts` says otherwise for
 * the schema. Each of the other files holds the members of one subject.
 */

const BY_NAME: ReadonlyMap<string, string> = new Map(
  [
    COMMON_MEMBERS,
    LINEAGE_MEMBERS,
    QUALITY_MEMBERS,
    DATA_ASSET_MEMBERS,
    GOVERNANCE_MEMBERS,
    OPERATION_MEMBERS,
    SEARCH_MEMBERS,
  ].flatMap((members) => Object.entries(members)),
);

const BY_SCHEMA: ReadonlyMap<string, string> = new Map(
  [OWN_MEMBERS, INSIGHT_MEMBERS].flatMap((titles) =>
    Object.entries(titles).flatMap(([title, members]) =>
      Object.entries(members).map(([name, text]) => [`${title}.${name}`, text] as const),
    ),
  ),
);

/** A create body means by its members what the record means by them, and a compact answer what the plain one means. */
const recordTitle = (title: string): string => title.replace(/^(Create|Compact)(?=[A-Z])/, '');

export const describeMember = (title: string, member: string): string | undefined =>
  BY_SCHEMA.get(`${title}.${member}`) ?? BY_SCHEMA.get(`${recordTitle(title)}.${member}`) ?? BY_NAME.get(member);
