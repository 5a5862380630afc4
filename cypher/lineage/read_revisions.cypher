// Returns numbers that grow with every change of records and of the edges next to them, without records that do not exist.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN collect(n.id) AS ids, collect(n.revision + coalesce(n.edgeRevision, 0)) AS revisions
