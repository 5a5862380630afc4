// Records what happened to records that are still there, and marks them for the search index.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
CREATE (event:ChangeEvent)-[:ABOUT]->(n)
SET event = row.event
MERGE (mark:Dirty {entityId: row.entityId})
SET mark.revision = n.revision, mark.entityType = n.entityType
RETURN row.at AS at
