import type { Json, JsonObject } from '../../model/json.ts';
import { exampleIdOf, ORDERS, SCHEMA } from './records.ts';

/** Example bodies of what is told about assets: samples, joins, models, profiles, runs, tests and contracts. */

const ROWS: Json = {
  columns: ['day', 'amount'],
  rows: [
    ['2026-01-30', 19.9],
    ['2026-01-31', 240],
  ],
};

const MESSAGES: Json = { messages: ['{"day": "2026-01-31", "amount": 240}'] };

const RAN_AT = 1_769_839_500_000;
const PIPELINE = 'example_airflow.nightly';

/** How a pipeline that fills a table last ran. */
const LAST_RUN: Json = {
  pipeline: { type: 'pipeline', fullyQualifiedName: PIPELINE },
  serviceType: 'Airflow',
  scheduleInterval: '0 6 * * *',
  lastRunTime: RAN_AT,
  lastRunStatus: 'Successful',
};

const RUN_ID = '0194b9f0-6d3c-7c1e-8a55-2f6f0c6f7b13';

const ODCS: JsonObject = {
  apiVersion: 'v3.0.2',
  kind: 'DataContract',
  id: 'example-daily-revenue',
  name: 'example_daily_revenue',
  version: '1.0.0',
  status: 'active',
  schema: [{ name: 'daily_revenue', properties: [{ name: 'day', logicalType: 'date' }] }],
};

const RESULT: JsonObject = { timestamp: RAN_AT, testCaseStatus: 'Success', result: 'All 1,204 values are given' };

const PROFILER: Json = { profileSample: 10, profileSampleType: 'PERCENTAGE', excludeColumns: ['day'] };

/** What the paths of these examples need besides the IDs and names of records. */
export const ASSET_PARAMETERS: Readonly<Record<string, string>> = {
  pipelineFqn: PIPELINE,
  runId: RUN_ID,
  timestamp: String(RAN_AT),
};

export const ASSET_EXAMPLES: Readonly<Record<string, Json>> = {
  'PUT /v1/tables/{id}/sampleData': ROWS,
  'PUT /v1/containers/{id}/sampleData': ROWS,
  'PUT /v1/drives/files/{id}/sampleData': ROWS,
  'PUT /v1/topics/{id}/sampleData': MESSAGES,
  'PUT /v1/searchIndexes/{id}/sampleData': MESSAGES,
  'PUT /v1/tables/{id}/joins': {
    startDate: '2026-01-31',
    dayCount: 1,
    columnJoins: [
      { columnName: 'day', joinedWith: [{ fullyQualifiedName: `${SCHEMA}.daily_revenue.day`, joinCount: 12 }] },
    ],
  },
  'PUT /v1/tables/{id}/pipelineObservability': [LAST_RUN],
  'PUT /v1/tables/{id}/pipelineObservability/{pipelineFqn}': LAST_RUN,
  'PUT /v1/tables/{id}/dataModel': {
    modelType: 'DBT',
    path: 'models/orders.sql',
    sql: 'select day, amount from raw.orders',
    columns: [{ name: 'amount', dataType: 'DECIMAL', description: 'What the customer paid' }],
  },
  'PUT /v1/tables/{id}/tableProfilerConfig': PROFILER,
  'PUT /v1/tables/{id}/profilerConfig': PROFILER,
  'PUT /v1/tables/{id}/customMetric': {
    name: 'returned_orders',
    expression: 'select count(*) from orders where amount < 0',
    description: 'Orders that came back',
  },
  'PUT /v1/tables/{id}/tableProfile': {
    tableProfile: { timestamp: RAN_AT, rowCount: 1204, columnCount: 2 },
    columnProfile: [{ name: 'amount', timestamp: RAN_AT, nullCount: 0, min: 1.5, max: 240 }],
    systemProfile: [{ timestamp: RAN_AT, operation: 'INSERT', rowsAffected: 31 }],
  },
  'PUT /v1/queries/{id}/usage': [{ type: 'table', fullyQualifiedName: ORDERS }],
  'DELETE /v1/queries/{id}/usage': [{ type: 'table', fullyQualifiedName: ORDERS }],
  'PUT /v1/queries/{id}/users': ['example_loader'],
  'PUT /v1/queries/{id}/usedBy': ['mei_in_the_warehouse'],
  'POST /v1/queryCostRecord': {
    timestamp: RAN_AT,
    queryReference: { type: 'query', id: exampleIdOf('queries') },
    cost: 0.4,
    count: 3,
    totalDuration: 1250,
  },
  'PUT /v1/pipelines/{fqn}/status': {
    timestamp: RAN_AT,
    executionId: 'nightly_2026_01_31',
    executionStatus: 'Successful',
    taskStatus: [{ name: 'daily_revenue', executionStatus: 'Successful' }],
  },
  'PUT /v1/pipelines/{fqn}/status/bulk': [
    { timestamp: RAN_AT - 86_400_000, executionId: 'nightly_2026_01_30', executionStatus: 'Failed' },
  ],
  'PUT /v1/services/ingestionPipelines/{fqn}/pipelineStatus': {
    runId: RUN_ID,
    pipelineState: 'success',
    startDate: RAN_AT,
    timestamp: RAN_AT,
    endDate: RAN_AT + 60_000,
  },
  'PUT /v1/services/ingestionPipelines/progress/{fqn}/{runId}': {
    runId: RUN_ID,
    timestamp: RAN_AT,
    updateType: 'PROCESSING',
    globalCounters: [{ entityType: 'table', done: 40, total: 120 }],
  },
  'POST /v1/services/ingestionPipelines/logs/{fqn}/{runId}': { logs: 'Read 120 tables of the warehouse\n' },
  'POST /v1/dataQuality/testCases/testCaseResults/{fqn}': RESULT,
  'PUT /v1/dataQuality/testCases/{fqn}/testCaseResult': RESULT,
  'PUT /v1/dataQuality/testCases/testCaseResults/bulk': [
    { ...RESULT, testCaseFQN: `${ORDERS}.amount.example_amount_is_given` },
  ],
  'PATCH /v1/dataQuality/testCases/testCaseResults/{fqn}/{timestamp}': [
    { op: 'add', path: '/result', value: 'All 1,204 values are given, after a correction' },
  ],
  'DELETE /v1/dataQuality/testCases/deleteStale': {
    scopeFqn: ORDERS,
    scopeEntityType: 'table',
    seenFqns: [`${ORDERS}.amount.example_amount_is_given`],
    dryRun: true,
  },
  'PUT /v1/dataQuality/testCases/{id}/failedRowsSample': ROWS,
  'PUT /v1/dataQuality/testCases/logicalTestCases': {
    testSuiteId: exampleIdOf('dataQuality/testSuites'),
    testCaseIds: [exampleIdOf('dataQuality/testCases')],
  },
  'POST /v1/dataQuality/testSuites/basic': {
    name: 'tests_of_revenue',
    basicEntityReference: `${SCHEMA}.daily_revenue`,
  },
  'PUT /v1/dataQuality/testSuites/basic': { name: 'tests_of_revenue', basicEntityReference: `${SCHEMA}.daily_revenue` },
  'PUT /v1/dataQuality/testSuites/executable': {
    name: 'tests_of_revenue',
    executableEntityReference: `${SCHEMA}.daily_revenue`,
  },
  'PUT /v1/dataContracts/{id}/results': {
    timestamp: RAN_AT,
    contractExecutionStatus: 'Success',
    schemaValidation: { passed: 2, failed: 0, total: 2 },
  },
  'POST /v1/dataContracts/validate': { name: 'example_orders', entity: { type: 'table', fullyQualifiedName: ORDERS } },
  'POST /v1/dataContracts/check': {
    entity: { type: 'table', fullyQualifiedName: ORDERS },
    proposed: { ddl: 'alter table orders drop column day', dialect: 'postgres' },
  },
  'POST /v1/dataContracts/odcs': ODCS,
  'PUT /v1/dataContracts/odcs': { ...ODCS, version: '1.1.0' },
  'PUT /v1/dataContracts/odcs/yaml': { ...ODCS, version: '1.2.0' },
  'POST /v1/dataContracts/odcs/parse/yaml': ODCS,
  'POST /v1/dataContracts/odcs/validate/yaml': ODCS,
  'POST /v1/dataContracts/validate/yaml': {
    name: 'example_orders',
    entity: { type: 'table', fullyQualifiedName: ORDERS },
  },
};
