// Stores an intent on a record: a change of it that remains to be carried to its descendants.
UNWIND $rows AS row
MATCH (root:Entity {id: row.id})
CREATE (intent:Intent)-[:CONCERNS]->(root)
SET intent = row.properties
RETURN row.at AS at
