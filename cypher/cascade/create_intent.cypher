// Notes on a record that a change of it has still to be carried to what hangs below it.
UNWIND $rows AS row
MATCH (root:Entity {id: row.id})
CREATE (intent:Intent)-[:CONCERNS]->(root)
SET intent = row.properties
RETURN row.at AS at
