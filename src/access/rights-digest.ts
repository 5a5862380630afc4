import { createHash } from 'node:crypto';
import type { PrincipalMembership } from './principal.ts';
import type { CompiledPolicy, Rights } from './rights.ts';
import type { RightsProfile } from './verdict.ts';

const rulesOf = ({ id, rules }: CompiledPolicy) => [id, rules.map(({ stored }) => stored)];

/** The rules that owners of records bring along concern everybody who asks for these records. */
const ownerRules = ({ teams }: Rights) =>
  [...teams.values()]
    .filter(({ policies }) => policies.length > 0)
    .map(({ id, policies }) => [id, policies.map(rulesOf)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/**
 * A text that is another one when a caller's rights are: every rule that applies, the roles and teams it comes through, and
 * what the caller belongs to. What is known of single records is no part of it.
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
