// Scans some profiles between two sort keys and deletes those that are not the newest of their series.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(place)
WHERE p.place > $edge AND p.place < $to
WITH p ORDER BY p.place
LIMIT toInteger($limit)
WITH collect(p) AS looked
WITH looked, size(looked) AS seen, looked[-1].place AS edge
CALL (looked) {
  UNWIND looked AS p
  WITH p
  WHERE EXISTS {
    MATCH (newer:Profile)
    USING INDEX SEEK newer:Profile(series, place)
    WHERE newer.series = p.series AND newer.place < p.place
  }
  DETACH DELETE p
  RETURN count(p) AS removed
}
RETURN seen, removed, edge
