// Returns the dependent descendants of a record, up to a limit; a record with another parent only loses this one.
// Nothing is grouped, so that the walk stops at the limit.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
WITH DISTINCT below
LIMIT toInteger($limit)
RETURN below.id AS id, below.entityType AS entityType, below.deleted AS deleted, below.deletedWith AS deletedWith
