// Stores the ranks of days within their kind, and marks their records for the search index.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
MATCH (day:UsageDay {key: row.key})
SET day.dailyRank = row.daily, day.weeklyRank = row.weekly, day.monthlyRank = row.monthly, n.revision = n.revision + 1
MERGE (mark:Dirty {entityId: row.id})
SET mark.revision = n.revision, mark.entityType = n.entityType, mark.isStale = true
RETURN row.at AS at
