// Lists some dependent descendants of a record that are not deleted.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
WHERE NOT below.deleted
WITH DISTINCT below
LIMIT toInteger($limit)
RETURN below.id AS id, below.entityType AS entityType
