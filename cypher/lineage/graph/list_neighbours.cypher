// Lists the records directly upstream or downstream of a record at a given time.
MATCH (near:Entity {id: $id})${IN}-[edge:FEEDS|FED_UNTIL]-${OUT}(far:Entity)
WHERE edge.since <= $at AND coalesce(edge.until, $at + 1) > $at AND ($deleted IS NULL OR far.deleted = $deleted)
WITH DISTINCT far
LIMIT toInteger($limit)
RETURN collect([far.id, far.entityType, far.name, far.fullyQualifiedName, far.displayName]) AS neighbours
