import {
  type AccessNeed,
  ALL_RESOURCE_NAME,
  listPolicyResources,
  POLICY_OPERATIONS,
} from '../model/schemas/access/policy.ts';
import type { GivenRights } from './authorization.ts';
import type { CompiledRole, Rights } from './rights.ts';
import type { RightsProfile } from './verdict.ts';

/** Compares the rights that somebody is to receive with those of whoever gives them. */

type GivenRule = GivenRights['rules'][number];

const EDIT_ALL = 'EditAll';

/** The single operations that a listed one stands for. */
const operationsIn = (listed: string): readonly string[] => {
  if (listed === 'All') return POLICY_OPERATIONS;
  return [listed, ...(listed === EDIT_ALL ? POLICY_OPERATIONS.filter((name) => name.startsWith('Edit')) : [])];
};

const resourcesIn = ([first = '', ...others]: readonly string[]): readonly string[] =>
  first === ALL_RESOURCE_NAME ? listPolicyResources().filter((name) => name !== ALL_RESOURCE_NAME) : [first, ...others];

const needsOf = ({ operations, resources }: GivenRule): readonly AccessNeed[] =>
  resourcesIn(resources).flatMap((resource) =>
    operations.flatMap(operationsIn).map((operation) => ({ operation, resource })),
  );

/** Whether the giver may do it with every record of the type, and nothing denies it for some of them. */
const isHeld = ({ verdict }: RightsProfile, { operation, resource }: AccessNeed): boolean => {
  const { isAllowed, isDenied, denies } = verdict(resource, operation);
  return isAllowed && !isDenied && denies.length === 0;
};

/** A role that is not in force allows nothing now and may allow anything later, so only an administrator gives it. */
const UNKNOWN_ROLE: AccessNeed = { operation: 'All', resource: ALL_RESOURCE_NAME };

const rulesOfRole = ({ policies }: CompiledRole): readonly GivenRule[] =>
  policies.flatMap(({ rules }) => rules.map(({ stored }) => stored));

/** Finds something that is given and that the giver does not have. A role that the giver has is theirs to give. */
export const findUnheldRights = (
  { roles, policies }: Rights,
  profile: RightsProfile,
  { roleIds, policyIds, rules }: GivenRights,
): AccessNeed | undefined => {
  const foreign = roleIds.map((id) => roles.get(id)).filter((role) => !role || !profile.roles.has(role.name));
  if (foreign.includes(undefined)) return UNKNOWN_ROLE;
  const attached = policyIds.flatMap((id) => policies.get(id)?.rules ?? []).map(({ stored }) => stored);
  const received = [...rules, ...attached, ...foreign.flatMap((role) => (role ? rulesOfRole(role) : []))];
  return received
    .filter(({ effect }) => effect !== 'deny')
    .flatMap(needsOf)
    .find((need) => !isHeld(profile, need));
};
