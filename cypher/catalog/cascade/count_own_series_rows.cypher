// Counts the results and measurements of one record and its columns.
MATCH (:Entity {id: $id})-[:HAS_COLUMN*0..100]->(owner)
RETURN sum(COUNT { (owner)-[:HAS_RESULT]->() } + COUNT { (owner)-[:HAS_PROFILE]->() }) AS parts
