// Counts the distinct people in teams and their descendant teams, grouped by the facts that decide visibility: those of
// the person and of the person's team. A person in several such teams is the same unit in each of them.
UNWIND $ids AS id
MATCH (:Entity {id: id})-[:PARENT_OF*0..50]->(t:Team)-[:HAS_MEMBER]->(u:User)
WHERE NOT u.deleted AND NOT t.entityType IN $hiddenTypes AND NOT u.entityType IN $hiddenTypes
WITH id, u, [one IN [t, u] WHERE one.entityType IN $judgedTypes | [one.id, one.entityType]] AS judged
WITH id, judged, CASE WHEN judged = [] THEN null ELSE u.id END AS unit, count(DISTINCT u) AS count
RETURN id, judged, unit, count
LIMIT toInteger($limit)
