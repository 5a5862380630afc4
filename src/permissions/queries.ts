import type { RoleRightsRow, TeamRightsRow } from '../access/rights.ts';
import { statement } from '../graph/statement.ts';

type StoredPolicyRow = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly enabled: boolean;
  readonly rulesJson: string | null;
};

type NoRightsParameters = Record<string, never>;

export const listPolicyRights = statement<NoRightsParameters, StoredPolicyRow>('permissions/list_policies', {
  params: [],
  row: ['id', 'name', 'fullyQualifiedName', 'enabled', 'rulesJson'],
});

export const listRoleRights = statement<NoRightsParameters, RoleRightsRow>('permissions/list_roles', {
  params: [],
  row: ['id', 'name', 'fullyQualifiedName', 'enabled', 'policyIds'],
});

export const listTeamRights = statement<NoRightsParameters, TeamRightsRow>('permissions/list_teams', {
  params: [],
  row: ['id', 'fullyQualifiedName', 'parentIds', 'roleIds', 'policyIds', 'domainIds'],
});

export const readRightsRevision = statement<{ name: string }, { revision: number }>('permissions/read_revision', {
  params: ['name'],
  row: ['revision'],
});
