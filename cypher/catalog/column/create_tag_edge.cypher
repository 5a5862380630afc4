// Puts labels on columns.
UNWIND $rows AS row
MATCH (c:Column {key: row.key})
MATCH (t:Entity {id: row.tagId})
CREATE (c)-[label:TAGGED]->(t)
SET label = row.properties
RETURN row.at AS at
