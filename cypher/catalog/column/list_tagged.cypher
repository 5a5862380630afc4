// Returns the columns of records that have a tag, and those measured while they had it, up to which measurement.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE n.sensitiveProfiles OR NOT coalesce(n.columnsUntagged, false)
MATCH (n)-[:HAS_COLUMN*1..100]->(c:Column)
WITH id, c, EXISTS { (c)-[:TAGGED]->(:Entity {entityType: 'tag', fullyQualifiedName: $tag}) } AS isTagged
WHERE isTagged OR c.sensitiveUntil IS NOT NULL
RETURN id, c.key AS key, isTagged, c.sensitiveUntil AS until
