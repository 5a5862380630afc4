// Lists the columns, and the records that represent columns, that carry a tag because a way leads to them. Labels of
// deleted records stay as they are.
MATCH (tag:Entity {id: $tagId})<-[label:TAGGED]-(carrier)
WHERE label.labelType = 'Propagated' AND label.reason CONTAINS ' → ' AND (carrier:Column OR carrier.entityType = 'chart')
MATCH (record:Entity {id: coalesce(split(carrier.key, ':')[0], carrier.id)})
WHERE NOT record.deleted
RETURN coalesce(carrier.key, carrier.id) AS key, carrier.fullyQualifiedName AS fullyQualifiedName, label.reason AS reason
