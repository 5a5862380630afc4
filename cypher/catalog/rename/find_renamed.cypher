// Returns the rows of records whose descendants all follow the current name.
UNWIND $rows AS row
MATCH (root:Entity {id: row.id})
WHERE NOT EXISTS {
  MATCH (root) (()-[:CONTAINS|PARENT_OF]->(step WHERE step.entityType IN row.kinds)){1,50} (below:Entity)
  WHERE NOT below.fullyQualifiedName STARTS WITH root.fullyQualifiedName + '.'
}
RETURN row.at AS at
