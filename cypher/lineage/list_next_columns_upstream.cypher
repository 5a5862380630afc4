// Lists the columns, and the records that stand for columns, that some columns are made from, with the records whose columns they are.
UNWIND $ids AS id
OPTIONAL MATCH (column:Column {key: id})
OPTIONAL MATCH (part:Entity {id: id})
WITH coalesce(column, part) AS near
MATCH (near)<-[:DERIVES]-(far)
WITH near, far
LIMIT toInteger($limit)
OPTIONAL MATCH (holder:Entity {id: split(far.key, ':')[0]})
OPTIONAL MATCH (shower:Entity)-[:SHOWS]->(far)
WITH near, far, coalesce(holder, shower) AS owner
WHERE NOT owner.deleted
RETURN
  coalesce(far.key, far.id) AS from,
  coalesce(near.key, near.id) AS to,
  coalesce(far.key, far.id) AS far,
  CASE WHEN far.key IS NULL THEN far.name ELSE far.fullyQualifiedName END AS name,
  owner{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
