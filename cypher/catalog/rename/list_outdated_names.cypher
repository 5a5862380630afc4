// Lists some descendants of a record whose names do not contain its current name yet.
MATCH (root:Entity {id: $id})
MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE step.entityType IN $kinds)){1,50} (below:Entity)
WHERE NOT below.fullyQualifiedName STARTS WITH root.fullyQualifiedName + '.'
WITH DISTINCT root, below
LIMIT toInteger($limit)
RETURN below.id AS id, below.entityType AS entityType, below.fullyQualifiedName AS fullyQualifiedName, below.updatedAt AS updatedAt, root.fullyQualifiedName AS rootName
