import { type DbtArtifacts, memberEntries, memberObject, memberText } from '../dbt/artifacts.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { TRUNCATED_HEADER, TRUNCATED_NOTE } from './contract-check.ts';
import type { CheckReport, ContractReport } from './contract-report.ts';
import { readDbtFiles } from './dbt-files.ts';
import { createServiceRequest, type ServiceConnection } from './service-client.ts';

/** Asks a running service what the dbt artifacts of a branch would break. */

/** What the service reads of nodes and sources; the rest of a manifest, most of it, stays here. */
const NODE_MEMBERS = [
  'resource_type',
  'database',
  'schema',
  'name',
  'alias',
  'identifier',
  'contract',
  'depends_on',
  'compiled_code',
  'compiled_sql',
] as const;
const CONFIG_MEMBERS = ['materialized', 'enabled', 'contract'] as const;

const pickMembers = (holder: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name): [string, Json][] => (holder[name] === undefined ? [] : [[name, holder[name]]])),
  );

const slimNode = (node: JsonObject): JsonObject => ({
  ...pickMembers(node, NODE_MEMBERS),
  config: pickMembers(memberObject(node, 'config'), CONFIG_MEMBERS),
  columns: Object.fromEntries(
    memberEntries(node, 'columns').map(([key, column]) => [key, pickMembers(column, ['name', 'data_type'])]),
  ),
});

const slimNodes = (manifest: JsonObject, name: string): JsonObject =>
  Object.fromEntries(
    memberEntries(manifest, name)
      .filter(([, node]) => memberText(node, 'resource_type') !== 'test')
      .map(([id, node]) => [id, slimNode(node)]),
  );

const slimManifest = (manifest: JsonObject): JsonObject => ({
  metadata: pickMembers(memberObject(manifest, 'metadata'), ['dbt_schema_version', 'project_name', 'adapter_type']),
  nodes: slimNodes(manifest, 'nodes'),
  sources: slimNodes(manifest, 'sources'),
});

const slimTables = (catalog: JsonObject, name: string): JsonObject =>
  Object.fromEntries(
    memberEntries(catalog, name).map(([id, table]) => [
      id,
      {
        metadata: pickMembers(memberObject(table, 'metadata'), ['type', 'schema', 'name', 'database']),
        columns: Object.fromEntries(
          memberEntries(table, 'columns').map(([key, column]) => [key, pickMembers(column, ['name', 'type', 'index'])]),
        ),
      },
    ]),
  );

const slimCatalog = (catalog: JsonObject): JsonObject => ({
  nodes: slimTables(catalog, 'nodes'),
  sources: slimTables(catalog, 'sources'),
});

/** What cannot be told without the types and columns that dbt asked the database for. */
const NO_CATALOG = 'There is no catalog.json: columns that a branch removes are found after «dbt docs generate» only.';

const describeProject = ({ manifest }: DbtArtifacts, folder: string): string =>
  memberText(memberObject(manifest, 'metadata'), 'project_name') ?? folder;

type Branch = { readonly folder: string; readonly service: string | undefined };

/** Compares the artifacts of a branch with the catalog. Throws a StartupError with a readable message when that fails. */
export const checkBranch = async (remote: ServiceConnection, { folder, service }: Branch): Promise<ContractReport> => {
  const artifacts = await readDbtFiles(folder);
  const { manifest, catalog } = artifacts;
  const change = {
    op: 'dbt',
    manifest: slimManifest(manifest),
    ...(catalog === undefined ? {} : { catalog: slimCatalog(catalog) }),
    ...(service === undefined ? {} : { service }),
  };
  const body = { changes: [change], ask: ['contracts'] };
  const response = await createServiceRequest(remote)(folder, 'POST', 'lineage/what-if', body);
  const { contracts } = (await response.json()) as { readonly contracts: CheckReport };
  return {
    subject: describeProject(artifacts, folder),
    found: contracts,
    gaps: response.headers.has(TRUNCATED_HEADER) ? [TRUNCATED_NOTE] : [],
    remarks: catalog === undefined ? [NO_CATALOG] : [],
  };
};
