// Locks living records and returns those that neither changed nor got, lost or changed an edge since they were read.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.id = n.id
WITH row, n
WHERE n.revision + coalesce(n.edgeRevision, 0) = row.revision AND NOT n.deleted
RETURN row.at AS at
