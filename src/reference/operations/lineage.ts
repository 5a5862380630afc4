/** What the lineage operations do, by method and path. */
export const LINEAGE_OPERATIONS: Readonly<Record<string, string>> = {
  'PUT /v1/lineage':
    'States that one asset feeds another, or replaces what the same source stated before. Both endpoints are named by ID or fully qualified name; `lineageDetails` may hold columns, SQL and the pipeline between them. Other sources of the edge stay as they are. Returns the upstream endpoint with its neighbours, or the edge alone with the header `Prefer: return=minimal`. With `dryRun=true` everything is checked and nothing changes.',
  'POST /v1/lineage':
    'Accepts an OpenLineage event at the address that OpenLineage clients have built in. It does the same as `POST /v1/lineage/openlineage`.',
  'PUT /v1/lineage/{fromType}/name/{fromFQN}/{toType}/name/{toFQN}':
    'States that one asset feeds another, both named by entity type and fully qualified name. The body is what the edge holds: columns, SQL, pipeline and source. The answer has no body unless the header `Prefer` asks for one, which then is that of `PUT /v1/lineage`. With `dryRun=true` everything is checked and nothing changes.',
  'PATCH /v1/lineage/{fromType}/name/{fromFQN}/{toType}/name/{toFQN}':
    'Changes the details of an edge between two named assets by a JSON Patch, and returns them. With `dryRun=true` everything is checked and nothing changes.',
  'DELETE /v1/lineage/{fromType}/name/{fromFQN}/{toType}/name/{toFQN}':
    'Deletes the edge between two named assets, whichever sources stated it. Questions as of an earlier time still find it.',
  'GET /v1/lineage/{type}/{id}':
    'Returns the assets above and below the asset with this ID, up to the given number of levels, and the edges between them.',
  'GET /v1/lineage/{type}/name/{fqn}':
    'Returns the assets above and below the asset with this fully qualified name, up to the given number of levels, and the edges between them.',
  'GET /v1/lineage/getLineageEdge/{fromId}/{toId}':
    'Returns the details of the edge between two assets given by ID, merged from all sources; with `assertions=true` also what each source states.',
  'GET /v1/lineage/getLineageEdge/{fromType}/name/{fromFQN}/{toType}/name/{toFQN}':
    'Returns the details of the edge between two assets given by entity type and fully qualified name, merged from all sources; with `assertions=true` also what each source states.',
  'PATCH /v1/lineage/{fromType}/{fromId}/{toType}/{toId}':
    'Changes the details of an edge between two assets given by ID by a JSON Patch, and returns them. With `dryRun=true` everything is checked and nothing changes.',
  'DELETE /v1/lineage/{fromType}/{fromId}/{toType}/{toId}':
    'Deletes the edge between two assets given by ID, whichever sources stated it. Questions as of an earlier time still find it.',
  'DELETE /v1/lineage/{type}/{id}/type/{source}':
    'Withdraws all that one source has stated about edges into or through the asset with this ID, or with `sourceName` what one of those that share the source has. An edge disappears when no source states it any more.',
  'DELETE /v1/lineage/source/name/{type}/{fqn}/type/{source}':
    'Withdraws all that one source has stated about edges into or through the asset with this fully qualified name, or with `sourceName` what one of those that share the source has. An edge disappears when no source states it any more.',
  'PUT /v1/lineage/bulk':
    'States many edges at once. Each row is validated, authorized and written on its own: the answer lists those that passed and those that failed, with the reason.',
  'PUT /v1/lineage/scope':
    'Takes the edges as all that one source knows of the descendants of an asset: it adds the new, changes the known and withdraws the missing. With `dryRun` it only counts; more than `maxRemovals` removals are refused.',
  'POST /v1/lineage/openlineage':
    'Reads a run, job or dataset event of OpenLineage and states the edges between its inputs and outputs, with columns from facets and SQL. What a job or dataset event declares replaces what earlier ones of the same job or dataset declared. The answer tells which datasets matched which assets, and which facets were not applied.',
  'POST /v1/openlineage/lineage':
    'Accepts an OpenLineage event at the address that OpenMetadata has for it. It does the same as `POST /v1/lineage/openlineage`.',
  'POST /v1/lineage/openlineage/adopt':
    'Gives the lineage of the tables below `openlineage.<namespace>`, with all assertions and history, to the tables that its datasets are known to be now, and deletes them softly. Each table is handled on its own; a dry run changes nothing.',
  'POST /v1/lineage/openlineage/batch':
    'Reads up to 1,000 OpenLineage events in their order. Each is handled on its own: the answer lists those that failed.',
  'POST /v1/lineage/batch':
    'Reads up to 1,000 OpenLineage events in their order, at the address and with the answers that OpenLineage specifies: none where every event passed and was understood, otherwise how many failed, why, and whether the same event may pass later. `left_out` says what of the others was not understood.',
  'GET /v1/lineage/openlineage/namespaces':
    'Returns the OpenLineage namespaces that were assigned to services, databases or schemas, here or in the settings of the service.',
  'PUT /v1/lineage/openlineage/namespaces':
    'Makes an OpenLineage namespace stand for a service, database or schema, so that later events find their datasets there.',
  'DELETE /v1/lineage/openlineage/namespaces':
    'Ends that an OpenLineage namespace stands for an asset. Edges that events have stated stay.',
  'GET /v1/lineage/openlineage/unmatched':
    'Returns the namespaces of events that matched no service, with the tables that were created for them and the services that are probably meant.',
  'GET /v1/lineage/graph':
    'Returns nodes, edges and, if wanted, column edges around one or several assets: filtered by type, service, domain or tag, with what was left out bridged, as of any time. As JSON, CSV, GraphML, Mermaid or Graphviz. JSON may be grouped, have fewer members or name each reference once; with `fields=columns` columns have their types, tags and the worst of their tests. `serviceType`, `tableType`, `tags`, `certification`, `failingTests` and `importance` come only where `fields` names them, and only as far as the caller may see them. Around several assets, each is as far from the root as from the nearest of them. With `column` it is the trail of some columns in both directions, as far as it goes: only the nodes, edges and column edges that their data passes. `trail` then counts what is on it and what was cut, and `frontier` says from where it goes on.',
  'GET /v1/lineage/neighbours':
    'Returns what lies directly upstream or downstream of an asset, page by page, with the edges: for assets that have thousands. Words in names, types, services, domains and tags narrow the list, and `types` counts what the words find, whichever types are listed. Neighbours come by name, or those first on which most depends. Hidden ones come as stubs at the end, and are never found by words.',
  'POST /v1/lineage/graph':
    'Returns the assets that the body names, up to 2,000, with every edge that joins two of them and, if wanted, its columns, as of any time. For explorers that join the answers of several requests: those do not tell which of their assets feed each other. `hiddenCounts` counts the neighbours that were not named. Assets that are gone or hidden are left out; hidden ones that a visible asset feeds or is fed by come as stubs. Edges that a pipeline or the assets of a service make up are not among them.',
  'GET /v1/lineage/diff':
    'Returns which nodes and edges around an asset were added, removed or changed between two times, filtered as graphs are. An edge that bridges omitted assets at one of the times only is changed. The answer may be grouped, have fewer members or name each reference once.',
  'GET /v1/lineage/paths':
    'Returns the shortest ways by which data gets from one asset or column to another, shortest first, with the SQL and pipelines on each step. With `types` paths lead through assets of these types only and bridge none. The answer may be grouped, have fewer members or name each reference once.',
  'GET /v1/lineage/impact':
    'Returns everything downstream that a change of an asset or of some of its columns breaks or may break: assets with the path to each, their contracts and tests, and totals, which include contracts and tests of the changed asset itself. The answer may be filtered by type, grouped, have fewer members or name each reference once.',
  'GET /v1/lineage/health':
    'Looks for what is wrong with the lineage below a service, database, schema or domain: cycles, assets without edges, columns that edges name and that are gone, edges not confirmed for long, and hubs without owners.',
  'GET /v1/lineage/getLineage':
    'Returns the assets above and below an asset with their search documents, each with its distance, and all details of the edges between them.',
  'GET /v1/lineage/getLineage/{direction}':
    'Returns the assets above or below an asset with their search documents, each with its distance, and all details of the edges between them.',
  'GET /v1/lineage/getLineageByEntityCount':
    'Returns one page of the assets above or below an asset, nearest first, with their search documents. For graphs too large for one answer.',
  'GET /v1/lineage/getPaginationInfo':
    'Counts the assets above and below an asset at each distance, to decide how to page through them.',
  'POST /v1/lineage/hydrate':
    'Returns the assets that the references in the body name, grouped by entity type, with the wanted fields. Those that are missing or hidden are counted and left out.',
  'GET /v1/lineage/getPlatformLineage':
    'Returns the lineage between services, domains or data products, drawn together from the edges of their assets.',
  'GET /v1/lineage/scene':
    'Returns lineage drawn together to the level that a map shows. Without a focus, `band=LAYER` shows all services, domains or data products, and `ASSET` the databases. A focus shows what it consists of: databases, schemas or assets, with the neighbours of these drawn together to the lens; an asset is shown with those around it. `FIELD` shows assets with the columns that feed each other. What is too much is cut to the largest nodes and counted.',
  'GET /v1/lineage/getDataQualityLineage':
    'Returns the upstream assets whose tests have failed, and the edges that lead from them to an asset.',
  'GET /v1/lineage/export': 'Returns the assets above and below an asset as a CSV file, one line each.',
  'GET /v1/lineage/exportAsync':
    'Starts a job that writes the lineage of an asset with columns, pipelines and SQL as CSV, and returns its ID.',
  'GET /v1/lineage/exportByEntityCountAsync':
    'Starts a job that writes one page of the lineage of an asset with columns, pipelines and SQL as CSV, and returns its ID.',
};
