// Counts the edges that join each of some columns, or records that stand for columns, to others.
UNWIND $keys AS key
OPTIONAL MATCH (column:Column {key: key})
OPTIONAL MATCH (part:Entity {id: key})
WITH key, coalesce(column, part) AS end
WHERE end IS NOT NULL
RETURN key, COUNT { (end)-[:DERIVES]-() } AS count
