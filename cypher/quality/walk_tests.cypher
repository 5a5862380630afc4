// Matches the tests that belong to suites.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_TEST]->(test:Entity)
RETURN id, test{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
