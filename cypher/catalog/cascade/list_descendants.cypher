// Lists dependent descendants of some types in id order: those not deleted, those deleted with the record, or all.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
WHERE below.id > $after AND below.entityType IN $types
  AND ($reach = 'all' OR ($reach = 'living' AND NOT below.deleted) OR ($reach = 'fallen' AND below.deleted AND below.deletedWith = root.id))
WITH DISTINCT below
ORDER BY below.id
LIMIT toInteger($limit)
RETURN below.id AS id, below.entityType AS entityType
