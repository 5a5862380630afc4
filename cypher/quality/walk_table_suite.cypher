// Matches the suites that belong to tables.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:CONTAINS]->(suite:TestSuite)
RETURN id, suite{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
