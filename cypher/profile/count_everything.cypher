// Counts all that was ever measured of the columns of a table, by asking each column how much that is.
MATCH (:Entity {id: $id})-[:HAS_COLUMN*1..100]->(c:Column)
WHERE c.profileSeries IS NOT NULL
RETURN sum(COUNT { (c)-[:HAS_PROFILE]->() }) AS total
