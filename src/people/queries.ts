import type { Membership } from '../access/principal.ts';
import { statement } from '../graph/statement.ts';

export type TeamRow = {
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

export const readTeams = statement<Record<string, never>, TeamRow>('team/walk_hierarchy', {
  params: [],
  row: ['team', 'parents'],
});

type Asked = { readonly rows: readonly { readonly fqn: string; readonly at: number }[] };

export type MembershipRow = Membership & { readonly tokensVoidBefore: number | null };

export const readMemberships = statement<Asked, MembershipRow & { readonly at: number }>('access/read_membership', {
  params: ['rows'],
  row: ['at', 'teamIds', 'roleIds', 'domainIds', 'tokensVoidBefore'],
});
