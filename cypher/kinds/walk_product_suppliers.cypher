// Answers the data products that offer what others take in.
UNWIND $ids AS id
MATCH (n:Entity {id: id})-[:HAS_INPUT]->(asset:Entity)<-[:HAS_OUTPUT]-(o:DataProduct)
WHERE o <> n
WITH DISTINCT id, o
RETURN id, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
