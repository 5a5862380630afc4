// Matches the contracts of records.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_CONTRACT]->(contract:Entity)
RETURN id, contract{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
