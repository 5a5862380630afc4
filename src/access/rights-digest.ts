import { createHash } from 'node:crypto';
import type { PrincipalMembership } from './principal.ts';
import type { CompiledPolicy, Rights } from './rights.ts';
import type { RightsProfile } from './verdict.ts';

const rulesOf = ({ id, rules }: CompiledPolicy) => [id, rules.map(({ stored }) => stored)];

/** The policies of teams that own records. They apply to every caller of these records. */
const ownerRules = ({ teams }: Rights) =>
  [...teams.values()]
    .filter(({ policies }) => policies.length > 0)
    .map(({ id, policies }) => [id, policies.map(rulesOf)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/**
 * A text that changes when a caller's rights change: every rule that applies, the roles and teams it comes through, and
 * the caller's membership. Facts about single records are not part of it.
 */
export const digestRights = (rights: Rights, profile: RightsProfile, { domainIds }: PrincipalMembership): string => {
  const facts = [
    profile.grants.map(({ policy, role, team }) => [rulesOf(policy), role ?? null, team ?? null]),
    [...profile.teamIds].sort(),
    [...profile.roles].sort(),
    [...domainIds, ...profile.domainIds].sort(),
    ownerRules(rights),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url');
};
