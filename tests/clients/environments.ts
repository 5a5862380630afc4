import { provideGoTool } from '../deploy/go-tool.ts';
import { providePromtool } from '../deploy/promtool.ts';
import { provideNodePackages } from './node.ts';
import { providePython } from './python.ts';

/**
 * The programs of others that heavy tests run, in the versions that the tests know. Each is installed or built when it is
 * first needed and kept from run to run.
 */
export const ENVIRONMENTS = Object.freeze({
  openMetadata: () => providePython('openmetadata-sdk', 'requirements.txt'),
  dataContract: () => providePython('datacontract', 'requirements-datacontract.txt'),
  helm: () => provideGoTool({ name: 'helm', from: 'helm.sh/helm/v4/cmd/helm@v4.3.1' }),
  /** Knows the schemas of Kubernetes by itself, so it needs no cluster. */
  kubectlValidate: () => provideGoTool({ name: 'kubectl-validate', from: 'sigs.k8s.io/kubectl-validate@v0.0.4' }),
  dbt: () => providePython('dbt', 'requirements-dbt.txt'),
  openLineage: () => providePython('openlineage', 'requirements-openlineage.txt'),
  openApiClient: () => providePython('openapi-python-client', 'requirements-openapi-client.txt'),
  mcp: () => providePython('mcp', 'requirements-mcp.txt'),
  postgresql: () => providePython('postgresql', 'requirements-postgresql.txt'),
  apiDocument: () =>
    provideNodePackages('api-document-tools', {
      '@redocly/cli': '2.77.0',
      'openapi-fetch': '0.17.0',
      'openapi-typescript': '7.13.0',
      // The generator uses the compiler's own interface, which newer compilers do not have.
      typescript: '5.9.3',
    }),
  /** The package asks for Node 22.19, but this version of its command line runs on Node 20 too. */
  mcpInspector: () => provideNodePackages('mcp-inspector', { '@modelcontextprotocol/inspector': '2.12.0' }),
  promtool: providePromtool,
});
