// Answers what hangs below a record and stands or falls with it, with its greatest distance from the record. All of it is
// walked whatever the number, so this is for records below which little hangs.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
WITH below, max(size(step)) AS depth
LIMIT toInteger($limit)
RETURN below.id AS id, below.entityType AS entityType, depth
