// Returns the roles that teams inherit from their ancestors, including the root team. A deleted team passes nothing on.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
CALL (n) {
  MATCH (n) (()<-[:PARENT_OF]-(step:Team WHERE NOT step.deleted)){1,50} (above)
  RETURN above
  UNION
  WITH n
  WHERE n.fullyQualifiedName <> 'Organization'
  MATCH (above:Team {fullyQualifiedName: 'Organization'})
  RETURN above
}
MATCH (above)-[:HAS_ROLE]->(o:Entity)
WITH DISTINCT id, o
RETURN id, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
