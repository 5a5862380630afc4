// Returns the properties that a reference to a record needs, by id.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
RETURN row.at AS at, n{.revision, .id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .teamType, .isBot, .allowImpersonation, .disabled, .mutuallyExclusive, .serviceType, .styleJson, .category} AS node
