/** What the operations on the service, its jobs, events and search do, by method and path. */
export const SERVICE_OPERATIONS: Readonly<Record<string, string>> = {
  'GET /v1/system/version':
    'Returns the version of the API that clients check for compatibility, and the build of the service.',
  'GET /v1/system/health':
    'Returns whether the database can be reached and how far search lags behind, as it was at most a second ago.',
  'GET /v1/system/live': 'Answers as long as the process runs. For the liveness probe of an orchestrator.',
  'GET /v1/system/ready':
    'Answers with success when the service can serve requests, and with 503 while its database does not respond. For load balancers.',
  'GET /v1/system/config/jwks': 'Returns the public keys by which others can verify the tokens of this service.',
  'GET /v1/system/config/auth': 'Returns how users log in: the provider and what a client needs to talk to it.',
  'GET /v1/system/config/explorer':
    'Returns what the explorer needs before anybody has signed in: which ways to sign in there are, the build of the service, and the limits that its requests keep to. Without the explorer there is no such operation.',
  'GET /v1/system/config/authorizer': 'Returns the e-mail domain of the principals.',
  'GET /v1/system/settings/{name}': 'Answers without content: settings are given by the environment of the service.',
  'GET /v1/jobs': 'Returns a page of the jobs that the caller has started.',
  'GET /v1/jobs/{jobId}': 'Returns the state of a job: how far it is, what it said, and how it ended.',
  'GET /v1/jobs/{jobId}/result': 'Returns what a finished job has made, such as a file or the result of each row.',
  'PUT /v1/jobs/{jobId}/cancel': 'Asks a job to stop. It stops after the rows at hand; what it has written stays.',
  'GET /v1/jobs/{jobId}/events': 'Streams the state of a job as server-sent events until the job ends.',
  'GET /v1/csvAsyncJobs': 'Returns the newest jobs of the caller as an array, as clients of OpenMetadata expect.',
  'GET /v1/csvAsyncJobs/{jobId}': 'Returns the state of a job with its result as text, as CSV clients expect.',
  'GET /v1/csvAsyncJobs/{jobId}/result': 'Returns what a finished job has made, as CSV clients expect.',
  'PUT /v1/csvAsyncJobs/{jobId}/cancel': 'Asks a job to stop, at the address that CSV clients know.',
  'GET /v1/events':
    'Returns change events since a time in the order in which they happened, filtered by type, asset or user. `after` continues without gaps.',
  'GET /v1/events/stream':
    'Streams notifications of the caller, or change events that the caller may see, as server-sent events. A client that reconnects with the last ID misses none.',
  'GET /v1/events/subscriptions/Notification/resources':
    'Returns the kinds of assets that Notification alerts can watch, with the filters for each.',
  'GET /v1/events/subscriptions/Observability/resources':
    'Returns the kinds of assets that Observability alerts can watch, with the filters for each.',
  'GET /v1/events/subscriptions/ActivityFeed/resources':
    'Returns the kinds of assets that ActivityFeed alerts can watch, with the filters for each.',
  'GET /v1/events/subscriptions/GovernanceWorkflowChangeEvent/resources':
    'Returns the kinds of assets that GovernanceWorkflowChangeEvent alerts can watch, with the filters for each.',
  'GET /v1/events/subscriptions/Custom/resources':
    'Returns the kinds of assets that Custom alerts can watch, with the filters for each.',
  'GET /v1/events/subscriptions/{id}/status/{destinationId}':
    'Returns when a delivery to the destination last succeeded or failed, and when the next attempt is due.',
  'GET /v1/events/subscriptions/id/{id}/diagnosticInfo':
    'Returns how far a subscription has come in the log of events, and how many events succeeded, failed and wait.',
  'GET /v1/events/subscriptions/id/{id}/failedEvents':
    'Returns the events that no attempt could deliver, with the reason of the last failure.',
  'PUT /v1/events/subscriptions/name/{fqn}/syncOffset':
    'Moves a subscription to the end of the log of events. Events that were not delivered yet are skipped.',
  'POST /v1/events/subscriptions/testDestination':
    'Sends a sample event to each destination in the body and returns how each answered. Nothing is stored.',
  'GET /v1/search/query':
    'Searches assets by words, phrases, prefixes and fields in query string syntax, with filters, sorting, facets and highlights. Only assets that the caller may see are found and counted.',
  'GET /v1/search/nlq/query':
    'Searches assets by plain words without any syntax: characters with a meaning in query strings are taken as text.',
  'GET /v1/search/fieldQuery': 'Searches assets in which a field has a value that matches a pattern with `*` and `?`.',
  'GET /v1/search/sourceUrl': 'Searches the assets that lie at this address in their source system.',
  'GET /v1/search/entityTypeCounts': 'Counts the hits of a search by entity type, without the hits themselves.',
  'GET /v1/search/aggregate': 'Counts the hits of a search by the values of one field, most frequent first.',
  'POST /v1/search/aggregate':
    'Counts the hits of a search by the values of one field, and returns the best hits for each value if wanted.',
  'POST /v1/search/preview': 'Runs a search with weights and boosts from the body, to try them before they are set.',
  'GET /v1/search/suggest': 'Returns names of assets that begin with a text, for completion while typing.',
  'GET /v1/search/export': 'Returns the hits of a search as a CSV file.',
  'GET /v1/search/export/async': 'Starts a job that writes the hits of a search as CSV, and returns its ID.',
  'GET /v1/search/get/{index}/doc/{id}': 'Returns the document by which search finds an asset.',
  'POST /v1/search/reindex': 'Starts a job that builds the search documents of all assets anew from the graph.',
  'POST /v1/search/reindex/{entityType}':
    'Starts a job that builds the search documents of all assets of one entity type anew from the graph.',
  'POST /v1/search/reindexEntities': 'Starts a job that builds the search documents of the given assets anew.',
  'GET /v1/search/reindex/failures': 'Returns the assets whose search document could not be built, and why.',
  'GET /v1/search/stats': 'Returns how many documents each index holds and how large it is.',
  'GET /v1/search/drift': 'Compares search documents with their assets and returns those that are missing or behind.',
  'POST /v1/search/drift/repair': 'Starts a job that builds anew the search documents that differ from their assets.',
  'POST /v1/apps/trigger/{name}': 'Starts the rebuild of the search documents under the name that clients know.',
  'GET /v1/apps/name/{name}/status': 'Returns the latest rebuilds of the search documents, newest first.',
  'GET /v1/feed': 'Returns an empty list: this catalog has no conversations. For clients that read them.',
  'GET /v1/conversations': 'Returns an empty list: this catalog has no conversations. For clients that read them.',
  'GET /v1/activity':
    'Returns an empty list: what happened is told by change events and notifications. For clients that read activities.',
  'GET /v1/tasks': 'Returns an empty list: this catalog has no tasks of people. For clients that read them.',
  'GET /v1/announcements': 'Returns an empty list: this catalog has no announcements. For clients that read them.',
};
