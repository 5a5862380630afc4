// Lists the columns, and the records that represent columns, that carry a tag themselves and from which others are made.
MATCH (tag:Entity {id: $tagId})<-[label:TAGGED]-(carrier)
WHERE label.labelType <> 'Propagated' AND EXISTS { (carrier)-[:DERIVES]->() }
WITH coalesce(carrier.key, carrier.id) AS key
LIMIT toInteger($limit)
RETURN key
