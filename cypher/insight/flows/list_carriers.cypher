// Lists the columns that carry some tags themselves.
MATCH (tag:Entity)<-[label:TAGGED]-(carrier:Column)
WHERE tag.id IN $tagIds AND label.labelType <> 'Propagated'
WITH DISTINCT carrier.key AS key
LIMIT toInteger($limit)
RETURN key
