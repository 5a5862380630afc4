import { statement } from '../../graph/statement.ts';

export type DomainNode = {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly displayName: string | null;
};

export const listDomainMembers = statement<{ entityType: string }, { domain: DomainNode; ids: readonly string[] }>(
  'insight/communities/list_domain_members',
  { params: ['entityType'], row: ['domain', 'ids'] },
);

export const readInheritedDomains = statement<
  { ids: readonly string[] },
  { id: string; domains: readonly { readonly id: string; readonly distance: number }[] }
>('insight/communities/read_inherited_domains', { params: ['ids'], row: ['id', 'domains'] });
