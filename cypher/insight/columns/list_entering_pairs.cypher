// Lists the columns, or records that represent columns, that some are made from, with the edges that say so.
UNWIND $keys AS key
OPTIONAL MATCH (column:Column {key: key})
OPTIONAL MATCH (part:Entity {id: key})
WITH key, coalesce(column, part) AS far
MATCH (far)<-[pair:DERIVES]-(near)
WITH key, pair.edgeId AS edgeId, coalesce(near.key, near.id) AS nearKey
LIMIT toInteger($limit)
RETURN key AS to, collect([nearKey, edgeId]) AS pairs
