// Marks records for an update of the search index.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
// Its mark is looked for only when nobody can take it away any more.
SET n.entityType = n.entityType
MERGE (mark:Dirty {entityId: row.entityId})
SET mark.revision = n.revision, mark.entityType = n.entityType
RETURN row.at AS at
