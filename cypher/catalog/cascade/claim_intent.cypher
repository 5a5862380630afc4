// Returns the rows of intents that still hold. The root is locked first, so that a concurrent change of it waits or is
// seen.
UNWIND $rows AS row
MATCH (intent:Intent {id: row.intentId})-[:CONCERNS]->(root:Entity)
SET root.entityType = root.entityType
WITH intent, root, row
WHERE root.deleted = coalesce(intent.rootDeleted, root.deleted)
RETURN row.at AS at
