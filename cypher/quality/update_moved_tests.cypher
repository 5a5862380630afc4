// Renames tests after their targets and marks them for the search index.
UNWIND $rows AS row
MATCH (test:Entity {id: row.id})
SET test.revision = test.revision + 1, test += row.changes
MERGE (mark:Dirty {entityId: row.id})
SET mark.revision = test.revision, mark.entityType = test.entityType, mark.isStale = true
RETURN row.at AS at
