// Lists all teams with the ids of their parent teams.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, deleted, sortKey)
WHERE n.entityType = 'team' AND n.deleted = false AND n.sortKey > ''
RETURN n{.id, .name, .displayName, .fullyQualifiedName, .teamType, .isJoinable} AS team,
  COLLECT { MATCH (n)<-[:PARENT_OF]-(p:Team) RETURN p.id } AS parents
