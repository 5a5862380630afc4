// Answers what hangs below a record and stands or falls with it, up to a number. What has another parent as well only loses
// this one. Nothing is grouped, so that the walk ends with the number.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
WITH DISTINCT below
LIMIT toInteger($limit)
RETURN below.id AS id, below.entityType AS entityType, below.deleted AS deleted, below.deletedWith AS deletedWith
