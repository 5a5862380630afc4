// Lists the tags that columns carry because a way leads to them, and those of classifications that apply by themselves.
CALL () {
  MATCH (carrier)-[label:TAGGED]->(tag)
  USING INDEX label:TAGGED(labelType)
  WHERE label.labelType = 'Propagated' AND label.reason CONTAINS ' → ' AND (carrier:Column OR carrier.entityType = 'chart')
  RETURN DISTINCT tag, false AS appliesItself
  UNION ALL
  MATCH (classification:Entity {entityType: 'classification', deleted: false})-[:CONTAINS]->(tag)
  USING INDEX SEEK classification:Entity(entityType, deleted, sortKey)
  WHERE classification.sortKey > '' AND classification.autoPropagate
  RETURN tag, true AS appliesItself
}
WITH tag, collect(appliesItself) AS origins
WHERE tag.entityType = 'tag' AND NOT tag.deleted
RETURN tag.fullyQualifiedName AS fqn, tag.name AS name, true IN origins AS appliesItself
