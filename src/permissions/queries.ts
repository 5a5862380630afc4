import type { RoleRow, TeamRow } from '../access/rights.ts';
import { statement } from '../graph/statement.ts';

type StoredPolicy = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly enabled: boolean;
  readonly rulesJson: string | null;
};

type Nothing = Record<string, never>;

export const listPolicies = statement<Nothing, StoredPolicy>('access/list_policy', {
  params: [],
  row: ['id', 'name', 'fullyQualifiedName', 'enabled', 'rulesJson'],
});

export const listRoles = statement<Nothing, RoleRow>('access/list_role', {
  params: [],
  row: ['id', 'name', 'fullyQualifiedName', 'enabled', 'policyIds'],
});

export const listTeams = statement<Nothing, TeamRow>('access/list_team', {
  params: [],
  row: ['id', 'fullyQualifiedName', 'parentIds', 'roleIds', 'policyIds', 'domainIds'],
});

export const readRevision = statement<{ name: string }, { revision: number }>('access/read_revision', {
  params: ['name'],
  row: ['revision'],
});
