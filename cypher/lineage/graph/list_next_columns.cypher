// Lists the columns, and the records that represent columns, directly upstream or downstream of some columns. Each
// occurs once, with its owner and the columns it was reached from. Columns of deleted records count towards the limit, so
// that the caller notices a cut.
UNWIND $ids AS id
OPTIONAL MATCH (column:Column {key: id})
OPTIONAL MATCH (part:Entity {id: id})
WITH coalesce(column, part) AS near
MATCH (near)${IN}-[said:DERIVES]-${OUT}(far)
WITH near, far, said.edgeId AS edgeId
LIMIT toInteger($limit)
WITH far, collect(coalesce(near.key, near.id)) AS reachedFrom, collect(DISTINCT edgeId) AS edgeIds
OPTIONAL MATCH (holder:Entity {id: split(far.key, ':')[0]})
// Several records may show what stands for a column: those count whose edge it is.
OPTIONAL MATCH (shower:Entity)-[:SHOWS]->(far)
WHERE EXISTS {
  MATCH (shower)${BACK_IN}-[edge:FEEDS]-${BACK_OUT}(:Entity)
  WHERE edge.id IN edgeIds
}
WITH far, reachedFrom, coalesce(holder, shower) AS owner
WHERE owner IS NOT NULL
RETURN
  reachedFrom,
  coalesce(far.key, far.id) AS far,
  CASE WHEN far.key IS NULL THEN far.name ELSE far.fullyQualifiedName END AS name,
  owner{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
