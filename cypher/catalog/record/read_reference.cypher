// Returns the properties that a reference to a record needs, by type and name.
UNWIND $rows AS row
MATCH (n:Entity {entityType: row.entityType, fullyQualifiedName: row.fqn})
RETURN row.at AS at, n{.revision, .id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .teamType, .isBot, .allowImpersonation, .disabled, .mutuallyExclusive, .serviceType, .styleJson, .category} AS node
