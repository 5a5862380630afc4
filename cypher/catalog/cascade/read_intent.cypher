// Returns an intent with the record it concerns.
MATCH (intent:Intent {id: $id})-[:CONCERNS]->(root:Entity)
RETURN intent{.*} AS intent, root.id AS rootId, root.entityType AS rootType
