// Scans some tables in the order of their names and deletes all but the newest table-level profiles of each.
MATCH (t:Table)
USING INDEX SEEK t:Table(fullyQualifiedName)
WHERE t.fullyQualifiedName > $edge
WITH t ORDER BY t.fullyQualifiedName
LIMIT toInteger($limit)
WITH collect(t) AS looked
WITH looked, size(looked) AS seen, looked[-1].fullyQualifiedName AS edge
CALL (looked) {
  UNWIND looked AS t
  WITH t
  WHERE COUNT { (t)-[:HAS_PROFILE]->() } > $kept
  CALL (t) {
    MATCH (p:Profile)
    USING INDEX SEEK p:Profile(series, place)
    WHERE p.series = $letter + ' ' + t.id AND p.place > ''
    WITH p ORDER BY p.series, p.place
    SKIP toInteger($kept) LIMIT toInteger($limit)
    RETURN p
  }
  WITH p LIMIT toInteger($limit)
  DETACH DELETE p
  RETURN count(p) AS removed
}
RETURN seen, removed, edge
