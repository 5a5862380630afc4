// Reads the latest profiles of tables, and of each of their columns by column key.
UNWIND $ids AS id
CALL (id) {
  MATCH (p:Profile)
  USING INDEX SEEK p:Profile(series, place)
  WHERE p.series = 't ' + id AND p.place > ''
  WITH p ORDER BY p.series, p.place
  LIMIT 1
  RETURN null AS key, p.json AS json
UNION ALL
  MATCH (asset:Entity {id: id})-[:HAS_COLUMN*1..100]->(c:Column)
  // An expression that no index answers: the planner would otherwise begin with all columns that have profiles.
  WHERE coalesce(c.profileSeries, '') <> ''
  CALL (c) {
    MATCH (p:Profile)
    USING INDEX SEEK p:Profile(series, place)
    WHERE p.series = c.profileSeries AND p.place > ''
    WITH p ORDER BY p.series, p.place
    LIMIT 1
    RETURN p.json AS json
  }
  RETURN c.key AS key, json
}
RETURN id, key, json
