// Lists the living tables of a namespace of no known service in the order of their names.
MATCH (table:Entity)
USING INDEX SEEK table:Entity(entityType, scope2, deleted, sortKey)
WHERE table.entityType = 'table' AND table.scope2 = $island AND table.deleted = false AND table.sortKey > $after
WITH table ORDER BY table.entityType, table.scope2, table.deleted, table.sortKey
LIMIT toInteger($limit)
RETURN table.sortKey AS sortKey,
  table{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
ORDER BY sortKey
