// Counts the queries that mention records by what must be looked at of each before it counts.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:MENTIONED_IN]-(r:Entity)
WHERE NOT r.entityType IN $hiddenTypes
WITH id, CASE WHEN r.entityType IN $judgedTypes THEN [[r.id, r.entityType]] ELSE [] END AS judged
RETURN id, judged, null AS unit, count(*) AS count
LIMIT toInteger($limit)
