/** What people call the members of records, where the name in the API says it badly, and which values nobody chose. */

const TITLES: ReadonlyMap<string, string> = new Map([
  ['allowImpersonation', 'May act for others'],
  ['autoClassificationEnabled', 'Applied automatically'],
  ['autoClassificationPriority', 'Priority when applied automatically'],
  ['autoPropagate', 'Its tags follow lineage'],
  ['autoCloseIncident', 'A success closes the incident'],
  ['basic', 'Tests of one table'],
  ['computePassedFailedRowCount', 'Counts passing and failing rows'],
  ['default', 'Default database'],
  ['dimensionColumns', 'Broken down by'],
  ['executable', 'Can be run'],
  ['extension', 'Custom properties'],
  ['inheritedPersonas', 'Personas from teams'],
  ['inheritedRoles', 'Roles from teams'],
  ['isAdmin', 'Administrator'],
  ['isBot', 'Program'],
  ['isEmailVerified', 'E-mail verified'],
  ['isJoinable', 'Anybody may join'],
  ['mutuallyExclusive', 'Only one of its tags at a time'],
  ['parents', 'Part of'],
  ['processedLineage', 'Lineage read from its SQL'],
  ['provider', 'Provided by'],
  ['supportsDynamicAssertion', 'Can learn its bounds'],
  ['supportsRowLevelPassedFailed', 'Can count failing rows'],
  ['testSuites', 'Test suites'],
  ['topDimensions', 'Values of each dimension'],
  ['usageCount', 'Uses'],
  ['useDynamicAssertion', 'Learns its bounds'],
]);

const WORDS: ReadonlyMap<string, string> = new Map([
  ['api', 'API'],
  ['dbt', 'dbt'],
  ['fqn', 'full name'],
  ['id', 'ID'],
  ['iri', 'IRI'],
  ['ml', 'ML'],
  ['odcs', 'ODCS'],
  ['sla', 'SLA'],
  ['sql', 'SQL'],
  ['ts', 'time'],
  ['uri', 'URI'],
  ['url', 'URL'],
]);

/** `minimumInSyncReplicas` becomes «Minimum in sync replicas», and `endpointURL` «Endpoint URL». */
export const readableName = (name: string): string => {
  const title = TITLES.get(name);
  if (title !== undefined) return title;
  const words = name
    .replaceAll('_', ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .trim()
    .split(/\s+/)
    .map((word) => WORDS.get(word.toLowerCase()) ?? (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Values that records have when nobody said anything. Flags are off unless they stand here. */
const DEFAULTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['autoClassificationPriority', 50],
  ['enabled', true],
  ['isJoinable', true],
  ['provider', 'user'],
  ['retentionSize', -1],
  ['topDimensions', 5],
]);

/** Counts that stand beside the list of what they count. */
const COUNTED: ReadonlySet<string> = new Set(['childrenCount', 'termCount', 'userCount']);

/** Whether a member tells nothing that anybody decided or looks for. */
export const isUnsaid = (name: string, value: unknown): boolean =>
  COUNTED.has(name) || value === (DEFAULTS.has(name) ? DEFAULTS.get(name) : false);
