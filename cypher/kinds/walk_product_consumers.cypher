// Answers the data products that take in what others offer.
UNWIND $ids AS id
MATCH (n:Entity {id: id})-[:HAS_OUTPUT]->(asset:Entity)<-[:HAS_INPUT]-(o:DataProduct)
WHERE o <> n
WITH DISTINCT id, o
RETURN id, o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
