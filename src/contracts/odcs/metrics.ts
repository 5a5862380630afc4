/** What library rules measure since 3.1.0. */
export const LIBRARY_METRICS: readonly string[] = [
  'nullValues',
  'missingValues',
  'invalidValues',
  'duplicateValues',
  'rowCount',
];

/** Words for library rules before 3.1.0, with the metric that says the same. */
export const METRIC_BY_RULE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(LIBRARY_METRICS.map((metric) => [metric, metric])),
  nullCount: 'nullValues',
  nullCheck: 'nullValues',
  notNull: 'nullValues',
  duplicateCount: 'duplicateValues',
  unique: 'duplicateValues',
  missingCount: 'missingValues',
  countCheck: 'rowCount',
};
