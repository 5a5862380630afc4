/** What the tags that are no kinds hold, and kinds about which there is more to say. */
export const SUBJECT_TAGS: Readonly<Record<string, string>> = {
  Lineage:
    'Which asset feeds which, down to columns: state edges, ingest OpenLineage events and SQL, walk the graph up and down, find paths, compare two times, and see what a change breaks.',
  Insight:
    'Questions about the whole catalog: what changed, what matters, where labels belong and flow, and whether promises hold.',
  Graph: 'Ask the graph by queries of your own, with your own rights, and keep them by name.',
  'Audit log': 'What callers did that matters for security, in a chain of hashes. For administrators.',
  'Data contracts':
    'What consumers may rely on: contracts of assets, their results, their exchange as ODCS documents, and checks before a change.',
  Events: 'Every change of the catalog as a list and as a stream.',
  'Event subscriptions': 'Webhooks and other destinations to which change events are delivered.',
  'Ingestion pipelines': 'Runs that fill the catalog: their configuration, status, progress and logs.',
  Jobs: 'Work that goes on after its request was answered: its progress, result and end.',
  Notifications: 'What happened to the assets that you own, follow or depend on.',
  Permissions: 'What callers may do, and which policies decide it.',
  Pipelines: 'Pipelines with their tasks and the status of their runs.',
  Search: 'Find assets by words, filters and facets, and keep the search documents up to date.',
  System: 'Version, health, keys and configuration of the service.',
  Tables: 'Tables with their columns, profiles, samples, joins and data models.',
  'Test cases': 'Tests of tables and columns, and their results.',
  'Test suites': 'Tests that belong together: those of a table, and those chosen for a purpose.',
  Usage: 'How often assets are used, day by day, and how they rank among their kind.',
  Users: 'People and bots: their accounts, logins, sessions and tokens.',
};
