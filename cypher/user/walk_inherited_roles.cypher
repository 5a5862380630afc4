// Answers the roles that people have through their teams and the teams above those.
UNWIND $ids AS id
MATCH (n:Entity {id: id})<-[:HAS_MEMBER]-(:Team)<-[:PARENT_OF*0..50]-(:Team)-[:HAS_ROLE]->(o:Entity)
WITH DISTINCT id, o
RETURN id, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
