// Lists all teams with the ids of their parent teams.
MATCH (n:Team)
USING INDEX SEEK n:Team(deleted, sortKey)
WHERE n.deleted = false AND n.sortKey > ''
RETURN n{.id, .name, .displayName, .fullyQualifiedName, .teamType, .isJoinable} AS team,
  COLLECT { MATCH (n)<-[:PARENT_OF]-(p:Team) RETURN p.id } AS parents
