// Records what happened to records that are still there, and marks them for the search index.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
// Its mark is looked for only when nobody can take it away any more.
SET n.entityType = n.entityType
CREATE (event:ChangeEvent:Unsequenced)-[:ABOUT]->(n)
SET event = row.event, event.revision = n.revision
MERGE (mark:Dirty {entityId: row.entityId})
SET mark.revision = n.revision, mark.entityType = n.entityType
RETURN row.at AS at
