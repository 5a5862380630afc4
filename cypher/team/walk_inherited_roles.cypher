// Answers the roles that teams pass on from the teams above them.
UNWIND $ids AS id
MATCH (n:Entity {id: id})<-[:PARENT_OF*1..50]-(:Team)-[:HAS_ROLE]->(o:Entity)
WITH DISTINCT id, o
RETURN id, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
