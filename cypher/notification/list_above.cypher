// Answers the containers of some records that somebody follows together with all that lies in them.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:CONTAINS|PARENT_OF*1..50]-(above:Entity)
WITH DISTINCT id, above
WITH above, collect(id) AS ids
WHERE EXISTS { (above)<-[:FOLLOWS]-(:User)-[:PREFERS]->(:NotificationPreferences {includeDescendants: true}) }
RETURN above.id AS aboveId, ids
