// Counts the results and measurements of a record and all its descendants.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE COUNT { (step)<-[:PARENT_OF]-() } <= 1)){0,50} (below:Entity)
WITH DISTINCT below
MATCH (below)-[:HAS_COLUMN*0..100]->(owner)
RETURN sum(COUNT { (owner)-[:HAS_RESULT]->() } + COUNT { (owner)-[:HAS_PROFILE]->() }) AS parts
