// Removes columns with everything that hangs on them, and what was measured of them.
UNWIND $rows AS row
UNWIND row.columns AS column
MATCH (c:Column {key: column.key})
CALL (c) {
  MATCH (c)-[:HAS_PROFILE]->(p)
  DETACH DELETE p
}
DETACH DELETE c
RETURN DISTINCT row.at AS at
