// Scans some tests in the order of their names and deletes all but the newest results of each.
MATCH (c:TestCase)
USING INDEX SEEK c:TestCase(fullyQualifiedName)
WHERE c.fullyQualifiedName > $edge
WITH c ORDER BY c.fullyQualifiedName
LIMIT toInteger($limit)
WITH collect(c) AS looked
WITH looked, size(looked) AS seen, looked[-1].fullyQualifiedName AS edge
CALL (looked) {
  UNWIND looked AS c
  WITH c
  WHERE COUNT { (c)-[:HAS_RESULT]->() } > $kept
  CALL (c) {
    MATCH (result:TestResult)
    USING INDEX SEEK result:TestResult(caseId, timestamp)
    WHERE result.caseId = c.id AND result.timestamp >= 0
    WITH result ORDER BY result.caseId DESC, result.timestamp DESC
    SKIP toInteger($kept) LIMIT toInteger($limit)
    RETURN result
  }
  WITH result LIMIT toInteger($limit)
  DETACH DELETE result
  RETURN count(result) AS removed
}
RETURN seen, removed, edge
