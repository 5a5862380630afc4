// Returns the dependent descendants of a record, each with its greatest distance. The walk visits all of them despite
// the limit, so use it only for records with few descendants.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
WITH below, max(size(step)) AS depth
LIMIT toInteger($limit)
RETURN below.id AS id, below.entityType AS entityType, depth
