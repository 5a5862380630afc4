// Lists some descendants that have no dependent descendants themselves, with the number of results and measurements of
// each.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){1,50} (below:Entity)
WHERE NOT EXISTS { (below)-[:CONTAINS]->(:Entity) }
  AND NOT EXISTS { (below)-[:PARENT_OF]->(c WHERE COUNT { (c)<-[:PARENT_OF]-() } = 1) }
WITH DISTINCT below
LIMIT toInteger($limit)
CALL (below) {
  MATCH (below)-[:HAS_COLUMN*0..100]->(owner)
  RETURN sum(COUNT { (owner)-[:HAS_RESULT]->() } + COUNT { (owner)-[:HAS_PROFILE]->() }) AS parts
}
RETURN below.id AS id, below.entityType AS entityType, parts
