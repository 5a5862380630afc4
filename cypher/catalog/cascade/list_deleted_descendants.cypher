// Lists some of the descendants that were deleted together with a record.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
WHERE below.deleted AND below.deletedWith = root.id
WITH DISTINCT below
LIMIT toInteger($limit)
RETURN below.id AS id, below.entityType AS entityType
