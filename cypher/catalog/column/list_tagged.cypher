// Returns the columns of records that have a tag.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE NOT coalesce(n.columnsUntagged, false)
MATCH (n)-[:HAS_COLUMN*1..100]->(c:Column)-[:TAGGED]->(t:Entity {entityType: 'tag', fullyQualifiedName: $tag})
RETURN id, c.key AS key
