/** What the headers of requests and answers mean. */
export const HEADER_TEXTS: Readonly<Record<string, string>> = {
  'Content-Disposition': 'Name of the file that the answer holds',
  ETag: 'Tag of the state that the answer shows; send it as `If-Match` with the next change, or as `If-None-Match` with the next read',
  'If-Match': 'Tags from `ETag`, separated by commas, or `*`: the change is refused if the asset has another state',
  'If-None-Match':
    'Tags from `ETag`, separated by commas: the answer is 304 without a body if the asset still has that state. With a new lineage edge, `*`: the request is refused if there is one already',
  'Last-Event-ID': 'ID of the last event received: the stream continues after it',
  Location: 'Address of the asset, sent when the request created it',
  Prefer:
    '`return=minimal` returns the written edge alone, `return=representation` also what is around its upstream asset',
  'Preference-Applied': 'Preference of the request that the answer heeds',
  'Retry-After': 'Seconds after which a new attempt may succeed',
  'WWW-Authenticate': 'The scheme of the token that the request lacks: `Bearer`',
  'X-Audit-Head':
    'First and last sequence number and hash of the audit log as JSON, to check that an export is complete',
  'X-Hint':
    'What may help the caller, such as the rule that decided or the name that was probably meant; characters that a header cannot hold are percent-encoded',
  'X-Impersonate-User': 'Name of the user for whom a bot or an administrator acts; the rights of both apply',
  'X-Job-Id': 'ID of the job that does the work; `GET /v1/jobs/{jobId}` tells how far it is',
  'X-Lineage-Truncated':
    'What the answer had too much of and was cut at, such as `nodes` or `edges`; absent when it is whole',
  'X-Lineage-Unknown-Columns':
    'Percent-encoded full names of the columns that the assets do not have, separated by commas: what was said of them is left out',
  'X-Lineage-Unresolved': 'Number of parts of the SQL that match no table or column of the catalog',
  'X-Next-After': 'Cursor of the next page, as `paging.after` has it; absent on the last page',
  'X-ODCS-Dropped': 'Paths of the members that the requested version of the standard cannot hold, separated by commas',
  'X-Tributary-Mcp-Write': '`on` offers the tools that write; `off`, unless given',
  'X-OpenMetadata-Change':
    'Effect of the request: `entityCreated`, `entityUpdated`, `entityNoChange`, `entityFieldsChanged`, `entitySoftDeleted`, `entityDeleted` or `entityRestored`',
  'X-Request-Id': 'ID of the request, which the logs contain; the service makes one up if the request has none',
  'X-Search-Engine': 'Engine that answered the search: the graph database or Typesense',
};
