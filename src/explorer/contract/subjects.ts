/** The kinds of assets that may have a contract, and what the contract may say about each. */

const WITH_SCHEMA: ReadonlySet<string> = new Set(['table', 'topic', 'apiEndpoint', 'dashboardDataModel', 'container']);

const SUBJECTS: ReadonlySet<string> = new Set([
  ...WITH_SCHEMA,
  'storedProcedure',
  'database',
  'databaseSchema',
  'dashboard',
  'chart',
  'pipeline',
  'searchIndex',
  'apiCollection',
  'api',
  'mlmodel',
  'directory',
  'file',
  'spreadsheet',
  'worksheet',
  'dataProduct',
]);

export const canHaveContract = (type: string): boolean => SUBJECTS.has(type);

export const canPromiseColumns = (type: string): boolean => WITH_SCHEMA.has(type);

/** Only tables have tests. */
export const canPromiseTests = (type: string): boolean => type === 'table';
