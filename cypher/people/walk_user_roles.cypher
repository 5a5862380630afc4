// Returns the roles that people inherit from their teams and the ancestors of those. Everybody belongs to the root
// team; a deleted team passes nothing on.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
CALL (n) {
  MATCH (n)<-[:HAS_MEMBER]-(member:Team WHERE NOT member.deleted)
  MATCH (member) (()<-[:PARENT_OF]-(step:Team WHERE NOT step.deleted)){0,50} (team)
  RETURN team
  UNION
  MATCH (team:Team {fullyQualifiedName: 'Organization'})
  RETURN team
}
MATCH (team)-[:HAS_ROLE]->(o:Entity)
WITH DISTINCT id, o
RETURN id, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
