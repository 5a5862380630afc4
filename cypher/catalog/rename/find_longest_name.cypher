// Returns the longest name among the descendants of a record.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE step.entityType IN $kinds)){1,50} (below:Entity)
RETURN below.fullyQualifiedName AS fullyQualifiedName
ORDER BY size(below.fullyQualifiedName) DESC
LIMIT 1
