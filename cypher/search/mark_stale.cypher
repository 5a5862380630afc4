// Marks records whose documents tell of something that has changed elsewhere. Whoever takes marks away holds their records: they are held here before a mark is looked for, because what is written to a mark that has gone meanwhile is lost without a word.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
SET n.entityType = n.entityType
MERGE (mark:Dirty {entityId: row.entityId})
SET mark.revision = n.revision, mark.entityType = n.entityType, mark.isStale = true
RETURN row.at AS at
