// Answers the roles that teams pass on from the teams above them; a deleted team passes nothing on.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
MATCH (n) (()<-[:PARENT_OF]-(step:Team WHERE NOT step.deleted)){1,50} (above)-[:HAS_ROLE]->(o:Entity)
WITH DISTINCT id, o
RETURN id, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
