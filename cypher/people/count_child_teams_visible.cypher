// Counts the direct child teams of teams, grouped by the facts that decide their visibility.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:PARENT_OF]->(r:Team)
WHERE NOT r.deleted AND NOT r.entityType IN $hiddenTypes
WITH id, CASE WHEN r.entityType IN $judgedTypes THEN [[r.id, r.entityType]] ELSE [] END AS judged
RETURN id, judged, null AS unit, count(*) AS count
LIMIT toInteger($limit)
