// Deletes name references from the owners of texts.
UNWIND $rows AS row
MATCH (:Entity {id: row.ownerId})-[:REFERENCES_NAME]->(naming:Naming WHERE naming.slot = row.slot)
DETACH DELETE naming
RETURN DISTINCT row.at AS at
