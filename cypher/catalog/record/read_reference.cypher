// Returns the properties that a reference to a record of one kind needs, by name.
UNWIND $rows AS row
MATCH (n:${LABEL} {fullyQualifiedName: row.fqn})
RETURN row.at AS at, n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .teamType, .isBot, .allowImpersonation, .disabled, .mutuallyExclusive, .serviceType, .styleJson, .category} AS node
