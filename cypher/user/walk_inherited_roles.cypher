// Answers the roles that people have through their teams and the teams above those. Whoever is in no team belongs to the
// root of all teams; a deleted team passes nothing on.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
CALL (n) {
  MATCH (n)<-[:HAS_MEMBER]-(team:Team WHERE NOT team.deleted)
  RETURN team
  UNION
  WITH n
  WHERE NOT EXISTS { (n)<-[:HAS_MEMBER]-(other:Team WHERE NOT other.deleted) }
  MATCH (team:Team {fullyQualifiedName: 'Organization'})
  RETURN team
}
MATCH (team) (()<-[:PARENT_OF]-(step:Team WHERE NOT step.deleted)){0,50} (above)-[:HAS_ROLE]->(o:Entity)
WITH DISTINCT id, o
RETURN id, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
