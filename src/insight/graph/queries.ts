import { statement } from '../../graph/statement.ts';

type NamedPage = { readonly entityType: string; readonly after: string; readonly limit: number };

/** A page of records, and the name of the last one; null at the end. */
type RevisionPage = {
  readonly ids: readonly string[];
  readonly revisions: readonly number[];
  readonly last: string | null;
};

export const listAssetRevisions = statement<NamedPage & { readonly withIsolated: boolean }, RevisionPage>(
  'insight/graph/list_revisions',
  { params: ['entityType', 'after', 'limit', 'withIsolated'], row: ['ids', 'revisions', 'last'] },
);

type ContractPage = {
  readonly ids: readonly string[];
  readonly contractIds: readonly string[];
  readonly last: string | null;
};

export const listContractOwners = statement<NamedPage, ContractPage>('insight/graph/list_contracts', {
  params: ['entityType', 'after', 'limit'],
  row: ['ids', 'contractIds', 'last'],
});

/** An asset without the names of its values, which would be sent with each of very many. */
export type AssetTuple = readonly [
  id: string,
  entityType: string,
  fullyQualifiedName: string,
  revision: number,
  feeds: readonly (readonly [to: string, ...sources: string[]])[],
  tier: string | null,
  usedOn: string | null,
  uses: number,
  parentId: string | null,
];

export const readAssets = statement<{ ids: readonly string[] }, { assets: readonly AssetTuple[] }>(
  'insight/graph/read_assets',
  { params: ['ids'], row: ['assets'] },
);
