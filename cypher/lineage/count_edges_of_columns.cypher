// Counts the edges of each of some columns, or of records that represent columns.
UNWIND $keys AS key
OPTIONAL MATCH (column:Column {key: key})
OPTIONAL MATCH (part:Entity {id: key})
WITH key, coalesce(column, part) AS end
WHERE end IS NOT NULL
RETURN key, COUNT { (end)-[:DERIVES]-() } AS count
