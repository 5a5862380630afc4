// Scans some tests in the order of their names and deletes results from before a moment, but never the newest of a
// test.
MATCH (c:TestCase)
USING INDEX SEEK c:TestCase(fullyQualifiedName)
WHERE c.fullyQualifiedName > $edge
WITH c ORDER BY c.fullyQualifiedName
LIMIT toInteger($limit)
WITH collect(c) AS looked
WITH looked, size(looked) AS seen, looked[-1].fullyQualifiedName AS edge
CALL (looked) {
  UNWIND looked AS c
  CALL (c) {
    MATCH (result:TestResult)
    USING INDEX SEEK result:TestResult(caseId, timestamp)
    WHERE result.caseId = c.id AND result.timestamp < toInteger($before)
      AND result.timestamp < coalesce(c.resultAt, 0)
    WITH result LIMIT toInteger($limit)
    RETURN result
  }
  WITH result LIMIT toInteger($limit)
  DETACH DELETE result
  RETURN count(result) AS removed
}
RETURN seen, removed, edge
