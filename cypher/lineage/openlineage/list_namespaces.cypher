// Lists the namespaces that were assigned to records, with the records that are still there.
MATCH (namespace:OpenLineageNamespace)-[:STANDS_FOR]->(n:Entity)
WHERE namespace.name > '' AND NOT n.deleted
RETURN namespace.name AS namespace,
  n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
ORDER BY namespace
