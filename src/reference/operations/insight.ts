/** What the operations that answer questions do, by method and path. */
export const INSIGHT_OPERATIONS: Readonly<Record<string, string>> = {
  'GET /v1/lineage/propagation':
    'Returns the columns that inherit a tag from the columns they are made from, each with the shortest ways from its sources: those that lack the tag, have it, carry one that excludes it, or are reached only behind a function or a column that keeps it from passing. With `property` instead of `tag`, it is owners, domains or tiers of assets along edges, or descriptions or glossary terms of columns along mappings: the nearest assets or columns upstream that have a value pass it on, and different values at the same distance are `conflicts`. As JSON or CSV; what is known of assets is at most some seconds old.',
  'POST /v1/lineage/propagation/apply':
    'Labels columns with a tag that they inherit from the columns they are made from: those that are named, or all within the scope that lack it. Each label says by which way it came. It goes within seconds when no way is left, and it is no source of further labels. A dry run answers what would be refused and changes nothing.',
  'GET /v1/lineage/flows':
    'Lists where the labels of columns flow: each column that carries the tag with each asset of the given types that it reaches, with the shortest way and the number of ways. It is certain when a chain of column mappings leads there; otherwise an edge of which nobody knows the columns lies on the way. What keeps a label from passing along columns ends a flow too. As JSON or CSV.',
  'POST /v1/lineage/what-if':
    'Answers impact, differences, broken contracts and inherited labels as if changes were made, in the shapes of those operations. The changes are applied in their order and in memory: edges put and removed, columns replaced, assets removed with their edges, contracts proposed, the columns of an ODCS document, and the artifacts of a dbt project. Nothing is stored, and to view what the changes name is enough. `contracts` compares the columns that assets have with those that they would have, and follows each change along the lineage that there would be; a column or an asset that is gone is still followed to its readers. A change that cannot be made is refused with its place, such as `changes[3].from`. The parameters of what is asked are members of the body.',
  'POST /v1/lineage/sql':
    'Reads a script, or the statements of a query log as JSON, lines of JSON or CSV. Statements that differ in values, case, spaces and comments are one. The answer has the edges between tables of the catalog that they show, with columns and how far that can be relied on, how often tables were asked, and what was not understood, by reason. Temporary tables of a session and common table expressions are seen through, and `*` is expanded by the catalog. A name that the catalog does not have, or that the caller may not see, is never guessed. With `dryRun=false` edges and usage are written; writing the same again changes nothing. With `async=true` a job reads up to 100,000 statements, and the answer to the job is the same; at once it is 5,000.',
  'POST /v1/graph/query':
    'Answers a query in the part of Cypher that reads: `MATCH`, `WHERE`, `WITH`, `UNWIND`, `RETURN`, `UNION` and what belongs to them, over the labels, edges and properties of `GET /v1/graph/schema`. Every node that the query touches is one that the caller may see, before anything is counted. What is not part of the language or of the schema is refused with its place. `truncated` says that there are more rows than the limit, or more text than an answer holds. A query that takes longer than `timeoutMs` is ended: 503 with the error type `QUERY_TOO_LONG`.',
  'GET /v1/graph/schema':
    'Describes what queries may ask for: the labels of nodes with their properties, the types of edges with what they join, and the functions and clauses. `Asset` stands for the labels of all kinds that can have lineage.',
  'GET /v1/graph/queries': 'Lists the saved queries in the order of their names. Everybody may read and run them.',
  'POST /v1/graph/queries':
    'Saves a query under a name. It must be one that could run with the values that `parameters` holds for its parameters; a run may give others. With `asMetric`, which takes an administrator, the metrics of the service have its rows: the last column as the value, and the other columns as the label that tells rows apart.',
  'GET /v1/graph/queries/{name}': 'Returns a saved query.',
  'PUT /v1/graph/queries/{name}': 'Replaces a saved query. Its author and administrators may.',
  'DELETE /v1/graph/queries/{name}': 'Deletes a saved query. Its author and administrators may.',
  'POST /v1/graph/queries/{name}/run':
    'Runs a saved query with the rights of the caller. Values in `parameters` take the place of those that it was saved with.',
  'GET /v1/lineage/agreement':
    'Lists lineage edges with the sources that declare them (people, dbt, views, dashboards) and those that observed them (queries, runs of pipelines): `agreed` by both, `declaredOnly` or `observedOnly`, since when, when last, and how far that can be relied on. An edge lies in the scope when one of its ends does. As JSON or CSV; an answer is at most some seconds old.',
  'POST /v1/lineage/agreement/confirm':
    'Lets a person stand for edges that exist: each gets an assertion of the source `Manual`, without columns of its own. What other sources state stays. Each row passes or fails on its own.',
  'POST /v1/lineage/agreement/withdraw':
    'Takes back what sources state of edges: all that observed them, or those in `sources`. An edge that no other source states ends. Each row passes or fails on its own. A source that sees the edge again states it again.',
  'GET /v1/lineage/root-cause':
    'Returns what may be the cause of wrong data, from an asset, one of its columns, a test case or a data contract: the tests and contracts that fail there, upstream, and downstream of what lies upstream; and what happened upstream of them in the time before. What explains all failures comes first: failed and missing runs, failed contracts and changes that break something, then other changes of columns, then the rest. Each suspect has its evidence and the way from it to the asset.',
  'GET /v1/changes':
    'Lists what changed in an asset, or in everything at or below a name, between two times: columns, lineage, owners, tags, domains, contracts, tests, descriptions, and what was created, deleted, renamed or moved, each with who did it and what was there before and after. Breaking changes come first. It reaches back as far as versions, edges and results are kept.',
  'GET /v1/insight/importance':
    'Lists assets by how much depends on them, directly or far downstream (PageRank over reversed lineage), raised by use, contracts and tier. The parts tell how each score came about: the product of all four, relative to the highest one. It is at most some seconds old.',
  'GET /v1/insight/single-points':
    'Lists the assets and edges that alone hold lineage together, whatever its direction: without one, as many assets as `separates` says lose their connection to the largest part that remains. Both lists are pages of one, those that separate most first.',
  'GET /v1/insight/dead-ends':
    'Lists assets that feed nothing and that nobody used for some time, each with the unused assets upstream that serve nothing else. Those with the longest chains come first. What a caller may not see counts as if it did not exist.',
  'GET /v1/insight/communities':
    'Lists communities: assets that lineage joins more closely with each other than with the rest, as suggested domains and data products, the largest first. The same lineage always gives the same communities; they are those of the part that the caller may see. With `scope`, those with a member at or below it.',
  'GET /v1/insight/promises':
    'Lists all ways along lineage to a data product (its output ports, or its assets when it has none) or to any other asset, each with the assets without a contract or an owner, and with what is promised at its end compared with what was agreed along it: the age of data as the sum of the delays, and the time of day as the latest. Broken ways come first.',
};
