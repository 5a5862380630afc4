// Matches the suites that tests belong to.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:HAS_TEST]-(suite:Entity)
RETURN id, suite{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
