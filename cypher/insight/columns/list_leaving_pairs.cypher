// Lists the columns that are made from some columns, or from records that represent columns, with the edges that say so.
UNWIND $keys AS key
OPTIONAL MATCH (column:Column {key: key})
OPTIONAL MATCH (part:Entity {id: key})
WITH key, coalesce(column, part) AS near
MATCH (near)-[pair:DERIVES]->(far)
WITH key, pair.edgeId AS edgeId, coalesce(far.key, far.id) AS farKey
LIMIT toInteger($limit)
RETURN key AS from, collect([farKey, edgeId]) AS pairs
