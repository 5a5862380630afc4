// All records of a kind that were used on one day are ranked together.
CREATE INDEX UsageDay_rank IF NOT EXISTS FOR (n:UsageDay) ON (n.entityType, n.date, n.key)
