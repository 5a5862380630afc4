import type { RefNode } from '../../catalog/queries.ts';
import type { WriteStatementRow } from '../../graph/group-commit.ts';
import { statement } from '../../graph/statement.ts';

type ServiceRow = {
  readonly ref: RefNode;
  readonly serviceType: string | null;
  readonly connection: string | null;
};

export const listServices = statement<{ types: readonly string[] }, ServiceRow>('lineage/openlineage/list_services', {
  params: ['types'],
  row: ['serviceType', 'connection', 'ref'],
});

export const listNamespaces = statement<Record<string, never>, { namespace: string; ref: RefNode }>(
  'lineage/openlineage/list_namespaces',
  { params: [], row: ['namespace', 'ref'] },
);

export const listMadeByEvents = statement<{ ids: readonly string[]; mark: string }, { id: string }>(
  'lineage/openlineage/list_made_by_events',
  { params: ['ids', 'mark'], row: ['id'] },
);

/** A database that stands for a namespace, with one of its tables if it has any. */
export type IslandRow = {
  readonly namespace: string;
  readonly sortKey: string;
  readonly tables: number;
  readonly example: string | null;
  readonly ref: RefNode;
};

export const listIslands = statement<{ service: string; after: string; limit: number }, IslandRow>(
  'lineage/openlineage/list_islands',
  { params: ['service', 'after', 'limit'], row: ['namespace', 'sortKey', 'tables', 'example', 'ref'] },
);

const writeColumns = { params: ['rows'], row: ['at'] } as const;

export const updateNamespaces = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'lineage/openlineage/update_namespaces',
  writeColumns,
);
export const deleteNamespaces = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'lineage/openlineage/delete_namespaces',
  writeColumns,
);
export const claimDeclarations = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'lineage/openlineage/claim_declaration',
  writeColumns,
);

export const listIslandTables = statement<
  { island: string; after: string; limit: number },
  { sortKey: string; ref: RefNode }
>('lineage/openlineage/list_island_tables', { params: ['island', 'after', 'limit'], row: ['sortKey', 'ref'] });
