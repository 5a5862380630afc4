// Lists the databases that stand for namespaces of no known service, with their first table and their number of tables.
MATCH (island:Entity)
USING INDEX SEEK island:Entity(entityType, scope1, deleted, sortKey)
WHERE island.entityType = 'database' AND island.scope1 = $service AND island.deleted = false
  AND island.sortKey > $after
WITH island ORDER BY island.entityType, island.scope1, island.deleted, island.sortKey
LIMIT toInteger($limit)
CALL (island) {
  MATCH (island)-[:CONTAINS]->(:DatabaseSchema)-[:CONTAINS]->(table:Table)
  WHERE NOT table.deleted
  RETURN count(table) AS tables, min(table.name) AS example
}
RETURN island.name AS namespace, island.sortKey AS sortKey, tables, example,
  island{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
ORDER BY sortKey
