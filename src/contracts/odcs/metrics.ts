/** The metrics of library rules since 3.1.0. */
export const LIBRARY_METRICS: readonly string[] = [
  'nullValues',
  'missingValues',
  'invalidValues',
  'duplicateValues',
  'rowCount',
];

/** The names of library rules before 3.1.0, with the equivalent metric. */
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
