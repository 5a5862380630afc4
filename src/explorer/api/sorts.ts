/** The orders of hits: the field of the search documents, and its direction. */
export const SORTS = {
  relevance: undefined,
  name: { field: 'displayName', order: 'asc' },
  changed: { field: 'updatedAt', order: 'desc' },
  used: { field: 'usageSummary.weeklyStats.count', order: 'desc' },
  tier: { field: 'tier.tagFQN', order: 'asc' },
} as const;
export type SortName = keyof typeof SORTS;
