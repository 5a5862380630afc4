/** The types of records. */

/** Every type of record in the contract, in its spelling. */
export const RECORD_TYPES = [
  'database',
  'databaseSchema',
  'table',
  'storedProcedure',
  'query',
  'topic',
  'pipeline',
  'container',
  'searchIndex',
  'dashboard',
  'chart',
  'dashboardDataModel',
  'mlmodel',
  'apiCollection',
  'apiEndpoint',
  'databaseService',
  'messagingService',
  'dashboardService',
  'pipelineService',
  'mlmodelService',
  'storageService',
  'searchService',
  'apiService',
  'user',
  'bot',
  'team',
  'role',
  'policy',
  'domain',
  'dataProduct',
  'glossary',
  'glossaryTerm',
  'classification',
  'tag',
  'type',
  'testDefinition',
  'testSuite',
  'testCase',
  'dataContract',
  'eventsubscription',
] as const;

const canonicalTypes: ReadonlyMap<string, string> = new Map(RECORD_TYPES.map((name) => [name.toLowerCase(), name]));

/** Parses a type of record and answers the contract's spelling. Clients write `eventSubscription` too. */
export const parseRecordType = (text: string): string | undefined => canonicalTypes.get(text.toLowerCase());
