/** What the operations on parts of assets do, such as contracts, tests and profiles, by method and path. */
export const ASSET_OPERATIONS: Readonly<Record<string, string>> = {
  'PUT /v1/metadata/types/{id}':
    'Adds a custom property to a type, or changes the one of that name. Assets of the type can then hold values for it in `extension`.',
  'PUT /v1/queries/{id}/usage': 'Adds assets to those that the query reads or writes.',
  'DELETE /v1/queries/{id}/usage': 'Removes assets from those that the query reads or writes.',
  'PUT /v1/queries/{id}/users': 'Adds users to those who have run the query.',
  'PUT /v1/queries/{id}/usedBy': 'Adds names of people who have run the query and have no user in the catalog.',
  'PUT /v1/tables/{id}/joins': 'Stores how often the table is joined with which others, and replaces what was there.',
  'PUT /v1/tables/{id}/pipelineObservability':
    'Stores the state of all pipelines that write the table, and replaces what was there.',
  'PUT /v1/tables/{id}/pipelineObservability/{pipelineFqn}':
    'Stores the state of one pipeline that writes the table. The others stay.',
  'PUT /v1/tables/{id}/dataModel': 'Stores the model, such as that of dbt, from which the table is made.',
  'GET /v1/tables/{id}/tableProfilerConfig': 'Returns the table with the settings of its profiler.',
  'PUT /v1/tables/{id}/tableProfilerConfig': 'Stores how the table is profiled, and replaces what was there.',
  'DELETE /v1/tables/{id}/tableProfilerConfig': 'Removes the settings of the profiler from the table.',
  'GET /v1/containers/name/{fqn}/children': 'Returns a page of the containers directly in the container.',
  'PUT /v1/dataProducts/{name}/inputPorts/add': 'Adds assets to those that the data product consumes.',
  'PUT /v1/dataProducts/{name}/inputPorts/remove': 'Removes assets from those that the data product consumes.',
  'PUT /v1/dataProducts/{name}/outputPorts/add': 'Adds assets to those that the data product offers.',
  'PUT /v1/dataProducts/{name}/outputPorts/remove': 'Removes assets from those that the data product offers.',
  'PUT /v1/pipelines/{fqn}/status':
    'Stores how a run of the pipeline and its tasks went. A run of the same time is replaced.',
  'GET /v1/pipelines/{fqn}/status': 'Returns how the runs of the pipeline in a time range went.',
  'PUT /v1/pipelines/{fqn}/status/bulk': 'Stores how many runs of the pipeline went. Each row succeeds on its own.',
  'DELETE /v1/pipelines/{fqn}/status/{timestamp}': 'Deletes what is known of the run of the pipeline at a time.',
  'PUT /v1/services/ingestionPipelines/{fqn}/pipelineStatus':
    'Stores how a run of the ingestion pipeline goes or went. The same run is updated.',
  'GET /v1/services/ingestionPipelines/{fqn}/pipelineStatus':
    'Returns how the runs of the ingestion pipeline in a time range went.',
  'GET /v1/services/ingestionPipelines/{fqn}/pipelineStatus/{runId}': 'Returns how one run went, step by step.',
  'PUT /v1/services/ingestionPipelines/progress/{fqn}/{runId}':
    'Stores what a run is doing, how much it has done and how long it expects to take.',
  'GET /v1/services/ingestionPipelines/progress/{fqn}/{runId}': 'Returns the latest progress that a run has reported.',
  'POST /v1/services/ingestionPipelines/logs/{fqn}/{runId}':
    'Appends lines to the log of a run. They may be compressed with gzip and encoded as Base64.',
  'GET /v1/services/ingestionPipelines/logs/{fqn}/{runId}': 'Returns lines of the log of a run, from a cursor on.',
  'POST /v1/services/ingestionPipelines/logs/{fqn}/{runId}/close': 'States that the log of a run is complete.',
  'POST /v1/dataQuality/testSuites/basic': 'Creates the test suite to which all test cases of a table belong.',
  'PUT /v1/dataQuality/testSuites/basic': 'Creates the test suite of a table, or updates it if there is one.',
  'DELETE /v1/dataQuality/testSuites/basic/{id}': 'Deletes the test suite of a table, and its test cases if wanted.',
  'POST /v1/dataQuality/testSuites/executable':
    'Creates the test suite of a table at the address that older clients use.',
  'PUT /v1/dataQuality/testSuites/executable':
    'Creates or updates the test suite of a table at the address that older clients use.',
  'DELETE /v1/dataQuality/testSuites/executable/{id}':
    'Deletes the test suite of a table at the address that older clients use.',
  'PUT /v1/dataQuality/testCases/logicalTestCases': 'Adds test cases of any tables to a logical test suite.',
  'DELETE /v1/dataQuality/testCases/logicalTestCases/{testSuiteId}/{id}':
    'Removes a test case from a logical test suite. The test case itself stays.',
  'POST /v1/dataQuality/testCases/testCaseResults/{fqn}':
    'Stores how a run of the test case went. A result of the same time is replaced, and contracts that include the test are evaluated again.',
  'GET /v1/dataQuality/testCases/testCaseResults/{fqn}': 'Returns the results of the test case in a time range.',
  'PUT /v1/dataQuality/testCases/{fqn}/testCaseResult':
    'Stores how a run of the test case went, at the address that older clients use.',
  'GET /v1/dataQuality/testCases/{fqn}/testCaseResult':
    'Returns the results of the test case in a time range, at the address that older clients use.',
  'DELETE /v1/dataQuality/testCases/testCaseResults/{fqn}/{timestamp}':
    'Deletes the result of the test case at a time, and returns it.',
  'PATCH /v1/dataQuality/testCases/testCaseResults/{fqn}/{timestamp}':
    'Changes the result of the test case at a time by a JSON Patch or a merge patch.',
  'PUT /v1/dataQuality/testCases/testCaseResults/bulk':
    'Stores results of many test cases. Each row succeeds or fails on its own.',
  'PUT /v1/dataQuality/testCases/{id}/failedRowsSample': 'Stores some of the rows that failed the test case.',
  'GET /v1/dataQuality/testCases/{id}/failedRowsSample':
    'Returns some of the rows that failed the test case, for callers who may view samples.',
  'PUT /v1/dataQuality/testCases/{id}/inspectionQuery':
    'Stores the SQL that finds the rows that failed the test case. The body is its text.',
  'PUT /v1/tables/{id}/customMetric': 'Adds a metric that profiles of the table compute by an expression of its own.',
  'DELETE /v1/tables/{id}/customMetric/{name}': 'Deletes a custom metric of the table as a whole.',
  'DELETE /v1/tables/{id}/customMetric/{column}/{name}': 'Deletes a custom metric of one column of the table.',
  'GET /v1/tables/{id}/profilerConfig': 'Returns how the table is profiled: sampling, columns and metrics.',
  'PUT /v1/tables/{id}/profilerConfig': 'Sets how the table is profiled, and returns the settings.',
  'DELETE /v1/tables/{id}/profilerConfig': 'Deletes the settings of the profiler of the table.',
  'GET /v1/tables/{id}/tableProfile': 'Returns the profiles of the table in a time range: row counts and sizes.',
  'PUT /v1/tables/{id}/tableProfile':
    'Stores a profile of the table and of its columns at a time, as connectors measure it.',
  'GET /v1/tables/{id}/columnProfile':
    'Returns the profiles of columns in a time range. The path names the table by ID, or the table or column by fully qualified name.',
  'GET /v1/tables/{id}/systemProfile':
    'Returns what was written to the table in a time range: inserts, updates and deletes with their row counts.',
  'GET /v1/tables/{id}/tableProfile/latest': 'Returns the table with its newest profile and those of its columns.',
  'DELETE /v1/tables/{id}/{sort}/{timestamp}/profile': 'Deletes the profile of this type at a time.',
  'GET /v1/entity/profiles/{entityType}': 'Returns the profiles of all assets of an entity type in a time range.',
  'GET /v1/dataContracts/{id}/results': 'Returns the results of the data contract in a time range.',
  'PUT /v1/dataContracts/{id}/results':
    'Stores what a validation outside this service found. It becomes the latest result if it is the newest.',
  'GET /v1/dataContracts/{id}/results/latest': 'Returns the newest result of the data contract.',
  'GET /v1/dataContracts/{id}/results/{result}': 'Returns the result of the data contract with this ID.',
  'DELETE /v1/dataContracts/{id}/results/{result}': 'Deletes the result of the data contract at this time.',
  'DELETE /v1/dataContracts/{id}/results/before/{timestamp}':
    'Deletes all results of the data contract that are older than a time.',
  'GET /v1/dataContracts/{id}/odcs':
    'Returns the data contract with this ID in the Open Data Contract Standard as JSON.',
  'GET /v1/dataContracts/{id}/odcs/yaml':
    'Returns the data contract with this ID in the Open Data Contract Standard as YAML.',
  'GET /v1/dataContracts/name/{fqn}/odcs':
    'Returns the data contract with this fully qualified name in the Open Data Contract Standard as JSON.',
  'GET /v1/dataContracts/name/{fqn}/odcs/yaml':
    'Returns the data contract with this fully qualified name in the Open Data Contract Standard as YAML.',
  'POST /v1/dataContracts/odcs':
    'Creates a data contract of an asset from a document of the Open Data Contract Standard in JSON.',
  'PUT /v1/dataContracts/odcs':
    'Creates the data contract of an asset from a document of the Open Data Contract Standard, or merges the document into it or replaces it.',
  'POST /v1/dataContracts/odcs/yaml':
    'Creates a data contract of an asset from a document of the Open Data Contract Standard in YAML.',
  'PUT /v1/dataContracts/odcs/yaml':
    'Creates the data contract of an asset from a document of the standard in YAML, or merges the document into it or replaces it.',
  'POST /v1/dataContracts/odcs/parse/yaml':
    'Reads a document of the standard and returns it as JSON. Nothing is stored.',
  'POST /v1/dataContracts/odcs/validate/yaml':
    'Checks whether a document of the standard could be imported for an asset, and what would be lost. Nothing is stored.',
  'GET /v1/dataContracts/entity':
    'Returns the contract that holds for an asset: its own, completed by what it inherits from its data products.',
  'POST /v1/dataContracts/{id}/validate':
    'Compares the asset of the contract with its schema, semantics, tests and service levels now. Stores the result and returns it.',
  'POST /v1/dataContracts/entity/validate':
    'Compares an asset with the contract that holds for it now. Stores the result and returns it.',
  'POST /v1/dataContracts/validate':
    'Checks a data contract against the asset that it names, as if it were created. Nothing is stored.',
  'POST /v1/dataContracts/validate/yaml':
    'Checks a data contract in YAML against the asset that it names, as if it were created. Nothing is stored.',
  'POST /v1/dataContracts/check':
    'Tells before a change of columns is made which contracts of the asset and of what lies downstream it would break. The change is given as columns, DDL or an ODCS document. Nothing is stored.',
  'GET /v1/services/testConnectionDefinitions': 'Returns which steps connectors of each type try, in their order.',
  'GET /v1/services/testConnectionDefinitions/{id}':
    'Returns which steps connectors of a type try, by the ID of the definition.',
  'GET /v1/services/testConnectionDefinitions/name/{fqn}':
    'Returns which steps connectors of a type try, by a name such as Snowflake.testConnectionDefinition.',
  'POST /v1/queryCostRecord': 'Adds what the runs of a query cost on a day.',
  'GET /v1/queryCostRecord': 'Returns what the runs of queries of a service cost, most expensive first.',
  'GET /v1/databaseServices/name/{fqn}/export':
    'Returns the contents of the database service as a CSV file, at the address that older clients use.',
  'GET /v1/databaseServices/name/{fqn}/exportAsync':
    'Starts a job that writes the contents of the database service as CSV, at the address that older clients use.',
  'PUT /v1/databaseServices/name/{fqn}/import':
    'Changes the contents of the database service by the rows of a CSV file, at the address that older clients use.',
  'PUT /v1/databaseServices/name/{fqn}/importAsync':
    'Starts a job that imports the rows of a CSV file into the database service, at the address that older clients use.',
  'GET /v1/csv/documentation/{entityType}':
    'Describes the columns of the CSV files of an entity type: which are required, and what they accept.',
};
