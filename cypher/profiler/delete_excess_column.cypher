// Scans some columns in the order of their series and deletes all but the newest profiles of each.
MATCH (c:Column)
USING INDEX SEEK c:Column(profileSeries)
WHERE c.profileSeries > $edge
WITH c ORDER BY c.profileSeries
LIMIT toInteger($limit)
WITH collect(c) AS looked
WITH looked, size(looked) AS seen, looked[-1].profileSeries AS edge
CALL (looked) {
  UNWIND looked AS c
  WITH c
  WHERE COUNT { (c)-[:HAS_PROFILE]->() } > $kept
  CALL (c) {
    MATCH (p:Profile)
    USING INDEX SEEK p:Profile(series, place)
    WHERE p.series = c.profileSeries AND p.place > ''
    WITH p ORDER BY p.series, p.place
    SKIP toInteger($kept) LIMIT toInteger($limit)
    RETURN p
  }
  WITH p LIMIT toInteger($limit)
  DETACH DELETE p
  RETURN count(p) AS removed
}
RETURN seen, removed, edge
