import type { PrincipalMembership } from '../access/principal.ts';
import type { ProviderSubject } from '../access/provider-subject.ts';
import { statement } from '../graph/statement.ts';

export type TeamHierarchyRow = {
  readonly team: {
    readonly id: string;
    readonly name: string;
    readonly displayName: string | null;
    readonly fullyQualifiedName: string;
    readonly teamType: string;
    readonly isJoinable: boolean;
  };
  readonly parents: readonly string[];
};

export const listTeamHierarchy = statement<Record<string, never>, TeamHierarchyRow>('people/list_team_hierarchy', {
  params: [],
  row: ['team', 'parents'],
});

type MembershipKeys = { readonly rows: readonly { readonly fqn: string; readonly at: number }[] };

export type UserMembershipRow = PrincipalMembership & {
  readonly identities: readonly ProviderSubject[];
  readonly tokensVoidBefore: number | null;
};

export const readUserMemberships = statement<MembershipKeys, UserMembershipRow & { readonly at: number }>(
  'people/read_memberships',
  {
    params: ['rows'],
    row: ['at', 'teamIds', 'roleIds', 'domainIds', 'identities', 'tokensVoidBefore'],
  },
);
