import { type AssetDomains, countDomains } from './asset-domains.ts';
import { isShared, rateTopic } from './common-words.ts';
import type { Community } from './communities.ts';
import type { DomainNode } from './queries.ts';

/** What the domains of the members say about a community. */
export type CommunityDomain = {
  /** The domain that most members have; undefined when none has one. */
  readonly domain: DomainNode | undefined;
  /** The share of the members that have it. */
  readonly agreement: number;
  readonly suggestedName: string;
};

const DIGITS = 1e4;

/**
 * Finds the domain that most members of a community have, among those that a caller may see. The community is called by it
 * when it tells the members from other assets at least as well as what their names have in common.
 */
export const judgeDomain = (
  { members, topic }: Pick<Community, 'members' | 'topic'>,
  { domains, sizes, domainsOf }: AssetDomains,
  seesDomain: (id: string) => boolean,
): CommunityDomain => {
  const counts = countDomains(members, domainsOf);
  let domain: DomainNode | undefined;
  let most = 0;
  // Of several with as many members, the first by name counts.
  for (const one of domains.values()) {
    const count = counts.get(one.id) ?? 0;
    if (count <= most || !seesDomain(one.id)) continue;
    domain = one;
    most = count;
  }
  const rating = domain && isShared(most, members.length) ? rateTopic(most, sizes.get(domain.id) ?? most) : 0;
  return {
    domain,
    agreement: Math.round((DIGITS * most) / members.length) / DIGITS,
    suggestedName: domain && rating > 0 && rating >= topic.rating ? (domain.displayName ?? domain.name) : topic.text,
  };
};
