// Finds the asset that a test or a contract is about.
MATCH (part:Entity {id: $id})<-[:CONTAINS|HAS_CONTRACT]-(asset:Entity)
WHERE NOT asset.deleted AND asset.entityType <> 'testSuite'
RETURN asset{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS asset
ORDER BY asset.fullyQualifiedName
LIMIT 1
