// Counts the records that belong to data products by what must be looked at of each before it counts.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:HAS_ASSET]->(r:Entity)
WHERE NOT r.entityType IN $hiddenTypes
WITH id, CASE WHEN r.entityType IN $judgedTypes THEN [[r.id, r.entityType]] ELSE [] END AS judged
RETURN id, judged, null AS unit, count(*) AS count
LIMIT toInteger($limit)
