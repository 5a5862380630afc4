// Lists the descendant teams of teams at every depth.
UNWIND $ids AS id
MATCH (n:Entity {id: id})-[:PARENT_OF*1..50]->(o:Team)
WITH DISTINCT id, o
RETURN id, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
