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

/** What tags belong to. */
export const TAG_GROUPS: Readonly<Record<string, { readonly text: string; readonly tags: readonly string[] }>> = {
  'Lineage and insight': {
    text: 'How data flows, and what follows from it.',
    tags: ['Lineage', 'Insight', 'Graph'],
  },
  'Data assets': {
    text: 'What holds, moves and shows data.',
    tags: [
      'API collections',
      'API endpoints',
      'Charts',
      'Containers',
      'Dashboard data models',
      'Dashboards',
      'Database schemas',
      'Databases',
      'Directories',
      'Files',
      'Metrics',
      'ML models',
      'Pipelines',
      'Queries',
      'Search indexes',
      'Stored procedures',
      'Tables',
      'Topics',
      'Types',
    ],
  },
  Services: {
    text: 'The systems that assets live in, and the runs that read them.',
    tags: [
      'API services',
      'Dashboard services',
      'Database services',
      'Drive services',
      'Ingestion pipelines',
      'Messaging services',
      'ML model services',
      'Pipeline services',
      'Search services',
      'Storage services',
    ],
  },
  Governance: {
    text: 'What assets mean, whom they belong to, and what is promised of them.',
    tags: [
      'Classifications',
      'Data contracts',
      'Data products',
      'Domains',
      'Glossaries',
      'Glossary terms',
      'Tags',
      'Test cases',
      'Test definitions',
      'Test suites',
    ],
  },
  'People and access': {
    text: 'Who uses the catalog, and what they may do.',
    tags: ['Bots', 'Permissions', 'Policies', 'Roles', 'Teams', 'Users'],
  },
  Operation: {
    text: 'Finding things, following changes, and the service itself.',
    tags: ['Audit log', 'Event subscriptions', 'Events', 'Jobs', 'Notifications', 'Search', 'System', 'Usage'],
  },
};
